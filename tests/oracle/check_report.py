#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""check_report.py TEXT JSON - hold the text report (--ascii) of a recording against its JSON report.

Every number of the text is computed again from the JSON and compared; prints how many and exits 1 when
one differs.
"""
import json
import re
import sys

text = open(sys.argv[1]).read().split('\n')
report = json.load(open(sys.argv[2]))
compared = differing = 0


def same(what, got, want):
    global compared, differing
    compared += 1
    if got != want:
        differing += 1
        print(f'{what}: text {got!r}, JSON {want!r}')


def count(n):
    return 'n/a' if n is None else f'{round(n):,}'


def percent(x):
    return 'n/a' if x is None else f'{100 * x:.1f} %'


def rate(x):
    if x >= 1000:
        return f'{x:,.0f}'
    return f'{x:.{0 if x >= 100 else 1 if x >= 10 else 2 if x >= 0.1 or x == 0 else 4}f}'


def ranged(of, key, form):
    v, low, high = (of[key + s] for s in ('', '_low', '_high'))
    if v is None:
        return 'n/a'
    return form(v) if form(low) == form(high) else f'{form(v)} ({form(low)}..{form(high)})'


def parts(values):
    total = sum(values)
    return '/'.join(f'{100 * v / total:.0f}' for v in values) if total else 'n/a'


def total(hitm):
    return None if hitm is None else sum(hitm.values())


def shade(heat, hottest):
    return next(c for c, part in ((' ', None), ('#', 2), ('+', 8), ('-', 32), ('.', 1 << 64))
                if (part is None and heat == 0) or (part and heat * part >= hottest))


def strip(heat, hottest):
    s = ''.join(shade(h, hottest) for h in heat)
    return f'[{s[:4]}|{s[4:]}]'


def find(pattern):
    for line in text:
        m = re.search(pattern, line)
        if m:
            return m.groups()
    same(f'/{pattern}/', 'not in the text', 'expected')
    return None


def check_head():
    r = report['recording']
    got = find(r'^([\d,]+) samples?, (?:(all) usable|([\d,]+) usable \(([\d.]+ %)\)): ([\d,]+) loads?, '
               r'(?:([\d,]+) stores?|no stores recorded.*); (?:(none) lost|([\d,]+) lost \(([\d.]+ %)\))')
    if got:
        all_usable, none_lost = r['usable'] == r['samples'], r['lost'] == 0
        same('head', got, (count(r['samples']), 'all' if all_usable else None,
                           None if all_usable else count(r['usable']),
                           None if all_usable else percent(r['usable'] / r['samples']),
                           count(r['loads']), None if r['stores'] is None else count(r['stores']),
                           'none' if none_lost else None, None if none_lost else count(r['lost']),
                           None if none_lost else percent(r['loss'])))
    for key, what in (('no_data_source', 'not known to be'), ('no_address', 'without an address'),
                      ('malformed', 'malformed')):
        if r[key]:
            same(key, find(r'([\d,]+) ' + what), (count(r[key]),))
    same('seen', find(r'^seen: ([\d,]+|threads) .*? on ([\d,]+|CPUs) ' if r['threads'] is None else
                      r'^seen: ([\d,]+) threads? on ([\d,]+) CPU'), (count(r['threads']), count(r['cpus'])))
    if not r['contended_lines']:
        same('none', find(r'^no contention in ([\d,]+) usable samples?, loss ([\d.]+ %)'),
             (count(r['usable']), percent(r['loss'])))
    elif r['latency'] is not None:
        same('answer', find(r'^([\d,]+) contended lines?: ([\d.]+ %) of all sampled (load cycles|cycles)'),
             (count(r['contended_lines']), percent(r['contended_share']),
              'load cycles' if r['cost_of'] == 'loads' else 'cycles'))


def check_model():
    m = report['model']
    if not m:
        return
    same('machine', find(r'^modelled on (\S+), not measured \(([\d,]+) CPUs?, ([\d,]+) nodes?, ([\d,]+) MHz'),
         (m['machine'], count(m['cpus']), count(m['nodes']), count(m['mhz'])))
    same('run', find(r'^modelled run: (.*) cycles, (.*) HITM'),
         (ranged(m, 'cycles', count), ranged(m, 'hitm', count)))
    for o in report['operations']:
        same('operations', find(r'^([\d,]+) operations? \(' + re.escape(o['name'])), (count(o['count']),))
    if m['operations']:
        same('per operation', find(r'^one operation(?: of any kind)?: (.*) HITM, one every (.*) cycles'),
             (ranged(m, 'hitm_per_operation', rate), ranged(m, 'cycles_per_operation', rate)))


N = r'([\d,]+|n/a)'
PEER = ' +' + N if report['recording']['peer'] else '()'
RATE = r' +(\d\S*(?: \(\S+\))?|n/a)' if report['model'] and report['model']['operations'] else '()'
LINE = re.compile(r'^ *(\d+) +([\d.]+ %|n/a) (.*?) +(\[.{4}\|.{4}\]) +(\S+) +' + N + r' +(\S+)' + PEER + RATE +
                  r' +(none|true sharing|false sharing|mixed|split access|pair candidate|transient|unsure)$')
CELL = re.compile(r'^    \+(\d+) +(lower|upper) .*? (?:(victim|aggressor|both) +)?' + ' +'.join([N] * 6) + PEER + r' +(\S.*)$')
CODE = re.compile(r'^ {10,}' + ' +'.join([N] * 6) + PEER + r' +(\S.*)$')


def figures(of):
    hitm = [count(of['hitm'])] + ([count(of['peer'])] if report['recording']['peer'] else [])
    rest = [count(of[key]) for key in ('latency', 'cpus', 'threads')]
    return [count(of['loads']), count(of['stores'])] + hitm + rest


def numbers(groups):
    return [g for g in groups[:-1] if g]


def check_cell(rows, cell):
    m = CELL.match(rows.pop(0))
    if not m:
        same('cell', None, cell['offset'])
        return
    same('cell', list(m.groups()[:3]) + numbers(m.groups()[3:]),
         [str(cell['offset']), cell['half'], cell['role']] + figures(cell))
    for code in cell['code'] if len(cell['code']) > 1 else []:
        m = CODE.match(rows.pop(0))
        same('code', m and numbers(m.groups()), figures(code))


def check_lines():
    hottest = max((max(l['heat']) for l in report['lines']), default=0)
    rows = [t for t in text if LINE.match(t) or CELL.match(t) or CODE.match(t)]
    for line in report['lines']:
        m = LINE.match(rows.pop(0)) if rows else None
        if not m:
            same('line', None, line['address'])
            return
        want = [str(line['rank']), percent(line['cost_share']), strip(line['heat'], hottest),
                parts([sum(line['heat'][:4]), sum(line['heat'][4:])]), count(total(line['hitm'])),
                parts(line['hitm'].values()) if line['hitm'] else 'n/a']
        got = [g for g in m.groups()[:2] + m.groups()[3:7]]
        same(f'line {line["rank"]}', got, want)
        if report['recording']['peer']:
            same('peer', m.group(8), count(line['peer']))
        if report['model'] and report['model']['operations']:
            same('HITM per operation', m.group(9),
                 ranged(line, 'hitm_per_operation', rate))
        same('verdict', m.group(10), line['verdict'])
        for cell in line['cells']:
            check_cell(rows, cell)
    same('rows that the JSON has not', rows, [])


def check_foot():
    h, all_hitm = report['hidden'], total(report['recording']['hitm'])
    if h['lines']:
        same('hidden lines', find(r'^([\d,]+) lines? with ([\d.]+ %) of HITM \(([\d,]+)\) not shown'),
             (count(h['lines']), percent((h['hitm'] or 0) / all_hitm if all_hitm else 0),
              count(h['hitm'] or 0)))
    if h['cells']:
        same('hidden cells', find(r'^of these lines not shown: ([\d,]+) more offsets? with ([\d,]+) HITM'),
             (count(h['cells']), count(h['cells_hitm'] or 0)))
    if h['code']:
        same('hidden code', find(r'not shown: .*?([\d,]+) more places?'), (count(h['code']),))
    if h['quiet_lines']:
        same('quiet lines', find(r'^([\d,]+) lines? shared without contention'), (count(h['quiet_lines']),))


check_head()
check_model()
check_lines()
check_foot()
print(f'{compared} rows compared, {differing} differ')
sys.exit(bool(differing))
