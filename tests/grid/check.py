#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""check.py HITMAP DIR [small]: runs the grid of sharing patterns under the model and holds the verdicts
against what each program says of its lines. Prints what differs and the score."""
import itertools
import json
import os
import subprocess
import sys

NAME = {'true': 'true sharing', 'false': 'false sharing'}
NOISE = 20      # HITM: a thread's start and end move a line now and then
QUIET = 0.02    # of the lines, at most: their threads hardly met, as happens on a busy host


def grid(small):
    every = itertools.product(('rw', 'ww'), ('true', 'false', 'none'), (4, 8, 16, 32, 64, 128),
                              ('heap', 'static'), (2, 4, 8))
    # Of the small one each value of each parameter comes up.
    return [p for i, p in enumerate(every) if not small or i % 17 == 0]


def run(hitmap, tmp, program, parameters, door):
    data = os.path.join(tmp, 'data')
    words = [str(p) for p in parameters]
    done = subprocess.run([hitmap, 'record', '--door', door, '-o', data, '--', program, *words, '3000'],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    report = subprocess.run([hitmap, 'report', '-i', data, '--format', 'json', '--all'],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode or report.returncode:
        return None, None, done.stderr + report.stderr
    truth = dict(line.split()[1:] for line in done.stdout.splitlines() if line.startswith('GRID'))
    return truth, json.loads(report.stdout), None


def judged(line):
    """The verdict as a truth would say it; what is too little to see is none."""
    if not line or not line['contended'] or line['verdict'] in ('none', 'unsure'):
        return 'none'
    return {v: k for k, v in NAME.items()}.get(line['verdict'], line['verdict'])


def compare(truth, report):
    """Pairs of truth and verdict, and other lines that are called falsely shared."""
    lines = {int(l['address'], 16): l for l in report['lines']}
    pairs = []
    for address, want in truth.items():
        line = lines.pop(int(address, 16), None)
        got = judged(line)
        if got != want and got != 'false' and (not line or sum(line['hitm'].values()) < NOISE):
            got = 'none' if want == 'none' else 'quiet'
        pairs.append((want, got, line))
    total = sum(sum(l['hitm'].values()) for l in report['lines'])
    other = [l for l in lines.values() if judged(l) == 'false' and sum(l['hitm'].values()) >= NOISE and
             sum(l['hitm'].values()) * 100 >= total]
    return pairs, other


def main():
    hitmap, tmp, small = sys.argv[1], sys.argv[2], len(sys.argv) > 3
    score, wrong, programs = {}, 0, 0
    for i, p in enumerate(grid(small)):
        door = 'hooks' if i % 4 else 'qemu'
        truth, report, error = run(hitmap, tmp, os.path.join(tmp, 'grid.' + door), p, door)
        if error is not None:
            print(*p, door, ': no report:', error)
            wrong += 1
            continue
        programs += 1
        pairs, other = compare(truth, report)
        for want, got, line in pairs:
            score[want, got] = score.get((want, got), 0) + 1
            if want != got and got != 'quiet':
                wrong += 1
            if want != got:
                print(*p, door, f': is {want}, said to be {got}:', line and line['reason'])
        for line in other:
            wrong += 1
            print(*p, door, f": {line['name']} is called false sharing: {line['reason']}")
    print(f'{programs} programs; lines by what they are and what they are said to be:')
    for (want, got), n in sorted(score.items()):
        print(f'\tis {want:6} said {got:15} {n:6}')
    right = sum(n for (want, got), n in score.items() if want == got)
    called = sum(n for (want, got), n in score.items() if got == 'false' and want != 'false')
    missed = sum(n for (want, got), n in score.items() if want == 'false' and got not in ('false', 'quiet'))
    quiet = sum(n for (want, got), n in score.items() if got == 'quiet')
    if quiet > QUIET * sum(score.values()):
        wrong += 1
    print(f'score: {right} of {sum(score.values())} lines right; false "false sharing": {called}, '
          f'missed: {missed}; below the noise: {quiet}')
    sys.exit(bool(wrong) or not programs)


main()
