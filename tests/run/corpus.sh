#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Likenesses of layout changes that were measured in the kernel: before and after, each line's verdict and
# each field's role are what the change's history says. Hash collisions, shared counters and moved code are
# never called false sharing. hitmap align says what changed.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0

# What hitmap align says of before and after. Layouts of different types are different objects here.
diagnosis() { # NAME
	case $1 in
	01_*) echo field_moved ;;
	03_* | 15_*) echo nothing ;;
	04_* | 08_* | 10_*) echo gone ;;
	09_* | 14_*) echo new ;;
	13_*) echo true_sharing ;;
	02_* | 05_*) echo 'new or gone' ;; # the one type for the other
	esac
}

for src in tests/corpus/*.c; do
	name=$(basename "$src" .c)
	"$hitmap" cc -O2 -g -pthread -o "$tmp/program" "$src" || { fail=1; continue; }
	for when in before after; do
		"$hitmap" record --door hooks -o "$tmp/$when.data" -- "$tmp/program" $when >"$tmp/out" 2>"$tmp/err" &&
			"$hitmap" report -i "$tmp/$when.data" --format json --all -o "$tmp/json" 2>>"$tmp/err" ||
			{ echo "$name $when: no report"; tail -3 "$tmp/err"; fail=1; continue; }
		out=$(python3 tests/check_truth.py "$tmp/out" "$tmp/json") || { fail=1; grep TRUTH "$tmp/out"; }
		echo "$name $when: $out"
	done
	got=$("$hitmap" align --format json "$tmp/before.data" "$tmp/after.data" | jq -r .diagnosis)
	case " $(diagnosis "$name") " in
	*" $got "*) ;;
	*) echo "$name: align says $got, not $(diagnosis "$name")"; fail=1 ;;
	esac
done
exit $fail
