#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Likenesses of layout changes that were measured in the kernel: before and after, each line's verdict and
# each field's role are what the change's history says. Hash collisions, shared counters and moved code are
# never called false sharing.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0

for src in tests/corpus/*.c; do
	name=$(basename "$src" .c)
	"$hitmap" cc -O2 -g -pthread -o "$tmp/program" "$src" || { fail=1; continue; }
	for when in before after; do
		"$hitmap" record --door hooks -o "$tmp/data" -- "$tmp/program" $when >"$tmp/out" 2>"$tmp/err" &&
			"$hitmap" report -i "$tmp/data" --format json --all -o "$tmp/json" 2>>"$tmp/err" ||
			{ echo "$name $when: no report"; tail -3 "$tmp/err"; fail=1; continue; }
		out=$(python3 tests/check_truth.py "$tmp/out" "$tmp/json") || { fail=1; grep TRUTH "$tmp/out"; }
		echo "$name $when: $out"
	done
done
exit $fail
