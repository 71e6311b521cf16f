#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""check_html.py report|diff|align PAGE JSON CSV: the page is well formed, needs nothing from elsewhere, and each
figure on it, and each in the CSV, is the JSON's. Prints what is wrong."""
import csv
import json
import sys
from html.parser import HTMLParser

VOID = {'meta', 'br', 'hr', 'img', 'input', 'link'}
ALLOWED = {'html', 'head', 'meta', 'title', 'style', 'body', 'h1', 'h2', 'p', 'strong', 'table', 'thead',
           'tbody', 'tr', 'th', 'td', 'span', 'section', 'details', 'summary', 'script'}
RANGE = ('', '_low', '_high')
DISTANCES = ('same_llc', 'same_node', 'other_node')


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.errors, self.rows, self.scripts = [], [], [], 0
        self.cell = self.where = self.section = None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in ALLOWED:
            self.errors.append(f'a <{tag}> in the page')
        for name in attrs:
            if name in ('src', 'href', 'action') or name.startswith('on'):
                self.errors.append(f'<{tag} {name}={attrs[name]!r}>')
        self.scripts += tag == 'script'
        if tag not in VOID:
            self.open.append(tag)
        if tag == 'section':
            self.section = attrs.get('id') or attrs.get('class')
        if tag in ('table', 'section'):
            self.where = attrs.get('id') or attrs.get('class')
            if self.where == 'pairs':
                self.where = self.section + ' pairs'
            if self.where == 'line':
                self.rows.append(('line', {}))
        if tag == 'tr':
            self.rows.append((self.where + (' sub' if attrs.get('class') == 'sub' else ''), {}))
        if tag == 'td' and 'data-key' in attrs:
            self.cell = (attrs['data-key'], attrs.get('data-value'), [])

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.errors.append(f'</{tag}> where it does not belong')
        if tag == 'td' and self.cell:
            key, value, text = self.cell
            self.rows[-1][1][key] = value if value is not None else ''.join(text)
            self.cell = None

    def handle_data(self, data):
        if self.cell:
            self.cell[2].append(data)


def values(of, key):
    """What JSON says of a key, as the page and CSV write it."""
    v = of[key]
    if key + '_low' in of:
        return [of[key + s] for s in RANGE]
    if isinstance(v, dict):
        return [v[d] for d in DISTANCES]
    return v if isinstance(v, list) else [v]


def same(text, v):
    if v is None:
        return text in ('', 'n/a')
    if isinstance(v, bool):
        return text == str(v).lower()
    if isinstance(v, (int, float)):
        return text != '' and text != 'n/a' and float(text) == float(v)
    # A guard against formulas stands before some texts in CSV.
    clean = ''.join('\ufffd' if ord(c) < 32 or 127 <= ord(c) < 160 else c for c in v)
    return text in (v, "'" + v, clean)


class Check:
    def __init__(self):
        self.errors, self.compared = [], 0

    def one(self, what, key, texts, of):
        if key not in of:
            self.errors.append(f'{what}: JSON has no {key}')
            return
        want = values(of, key)
        if want[0] is None:
            want = [None] * len(texts)
        if len(texts) != len(want) or not all(map(same, texts, want)):
            self.errors.append(f'{what}: {key} is {texts}, in JSON {want}')
        self.compared += len(texts)

    def row(self, what, row, of):
        for key, text in row.items():
            many = key in of and len(values(of, key)) > 1
            self.one(what, key, text.split(',') if many else [text], of)


def check_report(c, rows, doc):
    line_rows = [r for w, r in rows if w == 'lines' and r]
    if len(line_rows) != len(doc['lines']):
        c.errors.append(f'{len(line_rows)} lines, in JSON {len(doc["lines"])}')
    for r, line in zip(line_rows, doc['lines']):
        c.row('line', r, line)
    at = -1
    for w, r in rows:
        if w in ('recording pairs', 'model pairs'):
            c.row(w, r, doc[w.split()[0]])
        at += w == 'line'
        if w == 'line pairs':
            c.row('line', r, doc['lines'][at])
    cells = [cell for line in doc['lines'] for cell in line['cells']]
    cell_rows = [r for w, r in rows if w == 'sort cells' and r]
    if len(cell_rows) != len(cells):
        c.errors.append(f'{len(cell_rows)} cells, in JSON {len(cells)}')
    for r, cell in zip(cell_rows, cells):
        c.row('cell', r, cell)
    code = [x for cell in cells if len(cell['code']) > 1 for x in cell['code']]
    code_rows = [r for w, r in rows if w == 'sort cells sub']
    if len(code_rows) != len(code):
        c.errors.append(f'{len(code_rows)} places, in JSON {len(code)}')
    for r, of in zip(code_rows, code):
        c.row('code', {k: v for k, v in r.items() if k in of}, of)


def check_diff(c, rows, doc):
    fields = {(o['object'], f['field'], f['offset']): dict(f, object=o['object'])
              for o in doc['objects'] for f in o['fields']}
    shown = [r for w, r in rows if w == 'fields' and r]
    if not shown and fields:
        c.errors.append('no field is shown')
    by_name = {}
    for (o, f, _), of in fields.items():
        by_name.setdefault((o, f), of)
    for r in shown:
        of = by_name.get((r['object'], r['field']))
        if of:
            c.row('field', r, of)
        elif '\ufffd' not in r['object'] + r['field']:
            c.errors.append(f'{r["object"]} {r["field"]} is not in JSON')
    for w, r in rows:
        if w == 'whole':
            c.row('whole', r, doc)
        if w == 'total':
            c.row('total', r, doc['total'])


def align_rows(doc):
    """The rows of the tables of hitmap align, by table; the first one is the CSV's."""
    def places(f):
        return {f'{side}_{k}': (f[side] or {}).get(k) for side in ('before', 'after')
                for k in ('offset', 'size', 'line', 'half', 'line_offset')}
    if 'types' in doc:
        return {'fields': [dict(f, type=t['type'], **places(f)) for t in doc['types'] for f in t['fields']
                           if f['hot'] or f['change'] in ('line', 'half')]}
    if 'hitm_per' in doc:
        return {'fields': [dict(o, field=f['name'], joined=f['joined'], parted=f['parted'], **{'with': f['with']},
                                **places(f)) for o in doc['objects'] for f in o['fields']]}
    tables = {'bases': [], 'changes': [], 'fields': []}
    for o in doc['objects']:
        own = dict(object=o['object'], type=o['type'], recorded_hitm=o['hitm'])
        step = o['bases'][1]['base'] if len(o['bases']) > 1 else 64
        for b in o['bases']:
            tables['bases'].append(dict(own, recorded=b['base'] <= o['base'] < b['base'] + step, **b))
        for x in o['changes']:
            tables['changes'].append(dict(own, **x))
        for f in o['fields']:
            tables['fields'].append(dict(own, field=f['name'], **f))
    return tables


def check_align(c, rows, doc):
    for name, want in align_rows(doc).items():
        got = [r for w, r in rows if w == name and r]
        if len(got) != len(want):
            c.errors.append(f'{name}: {len(got)} rows, in JSON {len(want)}')
        for r, of in zip(got, want):
            c.row(name, r, of)


def check_align_csv(c, path, doc):
    with open(path, newline='', encoding='utf-8', errors='replace') as f:
        table = list(csv.reader(f))
    want = next(iter(align_rows(doc).values()))
    if len(table) != len(want) + 1:
        c.errors.append(f'CSV: {len(table) - 1} rows, in JSON {len(want)}')
    for r, of in zip(table[1:], want):
        c.row('CSV', dict(zip(table[0], r)), of)


def check_csv(c, path, doc, kind):
    with open(path, newline='', encoding='utf-8', errors='replace') as f:
        table = list(csv.reader(f))
    head, body = table[0], table[1:]
    if any(len(r) != len(head) for r in body):
        c.errors.append('CSV: a row is not as long as the head')
    if kind == 'report':
        want = [(line, cell) for line in doc['lines'] for cell in line['cells']]
    else:
        want = [(dict(object=o['object']), f) for o in doc['objects'] for f in o['fields']]
    if len(want) != len(body):
        c.errors.append(f'CSV: {len(body)} rows, in JSON {len(want)}')
    for row, (outer, inner) in zip(body, want):
        r = dict(zip(head, row))
        for prefix, of in (('line_' if kind == 'report' else '', outer), ('', inner)):
            for key, v in of.items():
                name = prefix + key
                if isinstance(v, dict):
                    names = [f'{name}_{d}' for d in DISTANCES]
                    v = [v[d] for d in DISTANCES]
                elif isinstance(v, list) and key == 'heat':
                    names = [f'{name}_{i}' for i in range(8)]
                elif isinstance(v, list) or name not in r:
                    continue
                else:
                    names, v = [name], [v]
                for n, x in zip(names, v):
                    if n in r and not same(r[n], x):
                        c.errors.append(f'CSV: {n} is {r[n]!r}, in JSON {x!r}')
                    c.compared += n in r


kind, page_path, json_path, csv_path = sys.argv[1:5]
page = Page()
with open(page_path, encoding='utf-8') as f:
    page.feed(f.read())
page.close()
with open(json_path, encoding='utf-8') as f:
    doc = json.load(f)
check = Check()
if page.open:
    check.errors.append(f'not closed: {page.open}')
if page.scripts != 1:
    check.errors.append(f'{page.scripts} scripts, not the one that sorts')
check.errors += page.errors
{'report': check_report, 'diff': check_diff, 'align': check_align}[kind](check, page.rows, doc)
if kind == 'align':
    check_align_csv(check, csv_path, doc)
else:
    check_csv(check, csv_path, doc, kind)
for e in check.errors[:10]:
    print(e)
if check.compared < 100:
    print(f'only {check.compared} figures were compared')
    sys.exit(1)
sys.exit(bool(check.errors))
