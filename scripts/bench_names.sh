#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# bench_names.sh BUILD [PROGRAM]...: what it costs to name 10,000 code addresses of a program with debug
# information (hitmap itself): function, line, what was inlined, and the type that the instruction touches;
# against addr2line, which gives the first three. Medians of 5. Prints a table; judges nothing.
set -eu
cd "$(dirname "$0")/.."
build=$1
shift
[ $# -gt 0 ] || set -- "$build/hitmap"
count=10000
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

median() {
	awk '{ line[NR] = $0 } END { print line[int((NR + 1) / 2)] }'
}

ours() { # PROGRAM: seconds of the first name, of the others, MB, names
	for _ in 1 2 3 4 5; do
		"$tmp/names" "$1" $count || return 1
	done | sort -k2n | median
}

theirs() { # PROGRAM: seconds
	"$tmp/names" "$1" $count list >"$tmp/addresses"
	for _ in 1 2 3 4 5; do
		"$tmp/cost" sh -c 'addr2line -Cfie "$1" <"$2"' sh "$1" "$tmp/addresses" || return 1
	done | sort -n | median | cut -d' ' -f1
}

cc -O2 -o "$tmp/cost" tests/bench/cost.c
# shellcheck disable=SC2046
cc -std=gnu11 -O2 $(make -s print-CPPFLAGS) -o "$tmp/names" tests/bench/names.c "$build/libhitmap.a" \
	$(make -s print-LDLIBS)
printf '%-34s %9s %9s %9s %12s\n' "naming $count code addresses" "first s" "others s" "peak MB" "addr2line s"
for program in "$@"; do
	read -r first others peak named <<<"$(ours "$program")"
	[ "$named" = $count ] || { echo "bench_names.sh: only $named addresses have names" >&2; exit 1; }
	printf '%-34s %9.2f %9.2f %9.1f %12.2f\n' \
		"$(basename "$program"), $(($(stat -Lc %s "$program") >> 20)) MB" "$first" "$others" "$peak" \
		"$(theirs "$program")"
done
