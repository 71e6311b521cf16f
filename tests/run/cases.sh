#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Programs with known sharing: the report names the line, its verdict and roles, offsets, halves, fields and functions that each
# program prints as its truth; through both front doors of the software model.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0

# NAME, the iterations that make it long enough to contend and short enough for a test, other arguments
cases="01_adjacent_counters 20000
02_lock_next_to_data 5000
04_perthread_stats_array 20000
05_refcount_readmostly 10000
06_seqlock 5000
07_lock_stripes 10000
09_adjacent_pair_128 20000
10_split_atomic 400000000
12_heap_neighbours 20000
14_tls_scanner 20000
16_cxx_symbols 20000
17_true_shared_counter 20000
18_half_line 10000 lo
18_half_line 10000 hi
19_lock_offset_shift 20000 120
19_lock_offset_shift 20000 128
20_indirect_no_sharing 20000
21_redundant_store 10000"

one() { # DOOR PROGRAM NAME ARGUMENTS...
	local door=$1 program=$2 name=$3 out
	shift 3
	if ! "$hitmap" record --door "$door" -o "$tmp/data" -- "$program" "$@" >"$tmp/out" 2>"$tmp/err" ||
		! "$hitmap" report -i "$tmp/data" --format json --all -o "$tmp/json" 2>>"$tmp/err"; then
		echo "$door $name $*: no report"
		tail -5 "$tmp/err"
		fail=1
	elif ! out=$(python3 tests/check_truth.py "$tmp/out" "$tmp/json"); then
		echo "$door $name $*:"
		grep TRUTH "$tmp/out"
		echo "$out"
		fail=1
	else
		echo "$door $name $*: $out"
	fi
}

while read -r name arguments; do
	src=$(ls tests/cases/"$name".c*)
	cc=cc cxx=
	case $src in *.cpp) cc=c++ cxx=1 ;; esac
	[ -e "$tmp/$name" ] || $cc -O2 -g -pthread -o "$tmp/$name" "$src" || fail=1
	[ -e "$tmp/$name.hooks" ] ||
		"$hitmap" "$cc" -O2 -g -pthread -o "$tmp/$name.hooks" "$src" || fail=1
	one qemu "$tmp/$name" "$name" $arguments
	# 10: the split access is inline assembly, which compile-time hooks do not see.
	[ "$name" = 10_split_atomic ] || one hooks "$tmp/$name.hooks" "$name" $arguments
done <<<"$cases"
exit $fail
