#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# bench.sh BUILD: what the software model costs, as ratios against the same program run natively in the
# same minute. Prints a table; judges nothing. Times are the best of three, so that other load counts less.
set -eu
build=$1
hitmap=$build/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

best() { # COMMAND...: seconds
	local best=
	for _ in 1 2 3; do
		local t0=$EPOCHREALTIME t1
		"$@" >/dev/null 2>"$tmp/err" || { cat "$tmp/err" >&2; exit 1; }
		t1=$EPOCHREALTIME
		best=$(awk -v a="$t0" -v b="$t1" -v c="${best:-1e9}" 'BEGIN { d = b - a; print d < c ? d : c }')
	done
	echo "$best"
}

row() { # NAME TARGET NATIVE... -- MODELLED...
	local name=$1 target=$2 native=() a b
	shift 2
	while [ "$1" != -- ]; do native+=("$1"); shift; done
	shift
	a=$(best "${native[@]}")
	b=$(best "$@")
	awk -v n="$name" -v a="$a" -v b="$b" -v t="$target" \
		'BEGIN { printf "%-44s %9.2f %9.2f %8.1fx  %s\n", n, a, b, b / a, t }'
}

record() {
	"$hitmap" record -o "$tmp/data" "$@"
}

head -c 20000000 /dev/urandom | base64 | head -c 20000000 >"$tmp/noise"
while cat src/*.[ch] model/*.[ch] tests/unit/*.[ch] 2>/dev/null; do :; done | head -c 20000000 >"$tmp/source"
cc -O2 -g -pthread -o "$tmp/adjacent" tests/cases/01_adjacent_counters.c
"$hitmap" cc -O2 -g -pthread -o "$tmp/adjacent.hooks" tests/cases/01_adjacent_counters.c

printf '%-44s %9s %9s %9s  %s\n' "seconds" native modelled ratio target
for text in source noise; do
	row "pigz -p2, 20 MB of $text text, qemu door" "below 25x" pigz -p2 -c "$tmp/$text" -- \
		record --door qemu -- pigz -p2 -c "$tmp/$text"
done
row "two neighbouring counters, 2 M, qemu door" "-" "$tmp/adjacent" 2000000 -- \
	record --door qemu -- "$tmp/adjacent" 2000000
row "two neighbouring counters, 2 M, hooks door" "-" "$tmp/adjacent" 2000000 -- \
	record --door hooks -- "$tmp/adjacent.hooks" 2000000

echo
echo "reading a recording:"
scripts/bench_report.sh "$build"

echo
scripts/bench_names.sh "$build"

echo
scripts/bench_live.sh "$build"
