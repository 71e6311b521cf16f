#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the style rules say and a program can check: licence lines, widths, sizes, stray globals.
set -u
cd "$(dirname "$0")/../.."
fail=0

say() {
	echo "$*"
	fail=1
}

for f in src/*.[ch] model/*.[ch] bench/*.[ch] tests/unit/*.[ch] scripts/*.sh tests/run/*.sh; do
	[ -e "$f" ] || continue
	head -2 "$f" | grep -q 'SPDX-License-Identifier: GPL-2.0' || say "$f: no SPDX line"
done
for f in src/*.[ch] model/*.[ch] bench/*.[ch]; do
	lines=$(wc -l <"$f")
	[ "$lines" -le 700 ] || say "$f: $lines lines, 700 are the limit"
	wide=$(expand -t8 "$f" | awk 'length > 100 { print NR; exit }')
	[ -z "$wide" ] || say "$f:$wide: wider than 100 columns"
	awk -v f="$f" '/^{/ { start = NR } /^}/ { if (start && NR - start > 80)
		{ printf "%s:%d: a function of %d lines, 80 are the limit\n", f, start, NR - start; bad = 1 }
		start = 0 } END { exit bad }' "$f" || fail=1
done
exit $fail
