#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""check_truth.py OUTPUT REPORT.json: holds a report against the TRUTH lines a case printed.

A TRUTH line names a line of memory, the verdict and, where the case can say them, its fields as
NAME:OFFSET:SIZE:ACCESS@FUNCTION[+ACCESS@FUNCTION]. Checked: the line is (or is not) among the contended
ones; each field has a cell at its offset, in its half, with its loads and stores, under its name, and
touched by its functions; the verdict is the truth's; fields that are only read are victims and no aggressors,
fields that are written are aggressors.
"""
import json
import re
import sys

FIELD = re.compile(r'(.+?):(\d+):(\d+):(.+)$')
problems = []
checks = 0


def check(ok, what):
    global checks
    checks += 1
    if not ok:
        problems.append(what)


def functions(cells):
    return {c.get('symbol') or '' for cell in cells for c in cell['code']}


def plain(name):
    """The bare function name of a demangled one."""
    return re.sub(r'\(.*', '', name).split('::')[-1].split('.')[0]


def check_field(line, addr, name, off, size, uses):
    base = addr - int(line['address'], 16) if addr else 0
    lo, hi = base + off, base + off + size
    cells = [c for c in line['cells'] if lo <= c['offset'] < hi]
    where = f"{name} at +{lo}..{hi - 1}"
    check(cells, f"{where}: no cell; the line has cells at {[c['offset'] for c in line['cells']]}")
    if not cells:
        return
    for c in cells:
        half = 'upper' if c['offset'] & 32 else 'lower'
        check(c['half'] == half, f"{where}: cell +{c['offset']} says {c['half']}, is {half}")
    if not name.startswith('[6'):       # a byte range, not a name
        got = [c.get('field') or '' for c in cells]
        word = re.sub(r'\[(\d+)\.\.\d+\]', r'[\1]', name)
        check(any(word in g for g in got), f"{where}: field is called {got}")
    for use in uses.split('+'):
        access, _, func = use.partition('@')
        func = re.sub(r'\(.*', '', func)
        mine = [c for c in cells if func in {plain(s) for s in functions([c])}]
        check(mine, f"{where}: {func} is not among {sorted(functions(cells))}")
        if 'r' in access:
            check(sum(c['loads'] for c in mine), f"{where}: no loads by {func}")
        if 'w' in access:
            check(sum(c['stores'] for c in mine), f"{where}: no stores by {func}")


VERDICT = {'true': 'true sharing', 'false': 'false sharing', 'mixed': 'mixed', 'split': 'split access'}


def check_role(line, spot, uses):
    """Of a field that takes, or causes, a hundredth of the line's moves; "uses": all of it."""
    least = sum(s['moves'] for s in line['spots']) / 100
    role = {c['role'] for c in line['cells'] if c['offset'] == spot['offset']}
    writes = any('w' in u.partition('@')[0] for u in uses)
    where = f"+{spot['offset']} ({spot['moves']} moves, {spot['moves_caused']} caused)"
    if not writes:
        check(role <= {'victim', None}, f'{where}: is only read, but its role is {role}')
    if not writes and spot['moves'] >= least:
        check(role == {'victim'}, f'{where}: pays, but its role is {role}')
    if writes and spot['moves_caused'] >= least:
        check(role <= {'aggressor', 'both'}, f'{where}: is written, but its role is {role}')


def check_roles(line, addr, fields):
    base = addr - int(line['address'], 16) if addr else 0
    for spot in line['spots']:
        uses = [use for m in fields if base + int(m[2]) <= spot['offset'] < base + int(m[2]) + int(m[3])
                for use in m[4].split('+')]
        if uses:
            check_role(line, spot, uses)


def check_verdict(truth, line):
    want = VERDICT[truth['kind']]
    check(line['verdict'] == want, f"{truth['sym']}: is {want}, said to be {line['verdict']}: "
                                   f"{line['reason']}")
    check((line['verdict_confidence'] or 0) >= 0.9, f"{truth['sym']}: confidence is {line['verdict_confidence']}")


def check_line(truth, lines):
    kind, addr = truth['kind'], int(truth.get('addr') or truth['line'], 16)
    start = int(truth['line'], 16)
    found = [l for l in lines if int(l['address'], 16) == start]
    if kind in ('none', 'pair'):
        hitm = [sum(l['hitm'].values()) for l in found]
        # A few transfers are the program's start and end: joining, the main thread's last look.
        check(sum(hitm) < 20, f"{truth['sym']}: {kind}, but the line has {hitm} HITM")
        for line in found:
            check(line['verdict'] in ('none', 'unsure'), f"{truth['sym']}: {kind}, but the verdict "
                                                         f"is {line['verdict']}")
        return
    check(found, f"{truth['sym']}: line {truth['line']} is not reported; contended are "
                 f"{[l['address'] for l in lines]}")
    if not found:
        return
    line = found[0]
    check(sum(line['hitm'].values()) > 0, f"{truth['sym']}: no HITM on {truth['line']}")
    check_verdict(truth, line)
    if 'half' in truth:
        want = {'hi': 'upper', 'lo': 'lower'}[truth['half']]
        half = {h['half']: h for h in line['halves']}[want]
        check(half['loads'] + half['stores'] > 0, f"{truth['sym']}: nothing in the {want} half")
    if kind == 'split':
        # The access reaches over the border: both lines pay. Its offset is given within the line.
        check([l for l in lines if int(l['address'], 16) == start + 64],
              f"{truth['sym']}: the second line of the split access is not reported")
        addr = 0
    fields = re.split(r',(?=[^,@]+:\d+:\d+:)', truth['fields'])
    check_roles(line, addr, [m for m in map(FIELD.match, fields) if m])
    for f in fields:
        m = FIELD.match(f)
        if m:
            check_field(line, addr, m[1], int(m[2]), int(m[3]), m[4])
        else:
            for func in re.findall(r'@(\w+)', f):
                names = {plain(s) for s in functions(line['cells'])}
                check(func in names, f"{truth['sym']}: {func} is not among {sorted(names)}")


def main():
    report = json.load(open(sys.argv[2]))
    lines, lost = report['lines'], report['recording']['no_mapping']
    check(not lost, f'{lost} samples lie in no known mapping')
    lines = [l for l in lines if sum(l['hitm'].values())]
    truths = 0
    for text in open(sys.argv[1]):
        if not text.startswith('TRUTH '):
            continue
        truths += 1
        check_line(dict(w.split('=', 1) for w in re.findall(r'\w+=\S+(?: value\)\S*)?', text)), lines)
    if not truths:
        problems.append('the case printed no TRUTH line')
    for p in problems:
        print('	' + p)
    print(f'{checks} checks, {len(problems)} differ')
    sys.exit(bool(problems))


main()
