#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# demo.sh BUILD: the two kernel changes that hitmap was made for, before and after, as user-space replicas
# under the software model, on the 192-thread and the 60-core machine.
set -eu
build=$1
hitmap=$build/hitmap
out=$build/demo
mkdir -p "$out"
export LC_ALL=C.UTF-8

record() { # FILE MACHINE BENCH ARGUMENTS...
	local file=$1 machine=$2 start=$SECONDS
	shift 2
	"$hitmap" record --source model --machine "$machine" -o "$file" -- "$hitmap" bench "$@" \
		>"$out/log" 2>&1 || {
		cat "$out/log"
		echo "demo: hitmap record failed"
		exit 1
	}
	echo "  recorded: hitmap bench $* ($((SECONDS - start)) s)"
}

compare() { # BENCH MACHINE THREADS PUBLISHED ARGUMENTS...
	local bench=$1 machine=$2 threads=$3 published=$4
	shift 4
	echo
	echo "== $bench, $threads threads on $machine"
	for side in before after; do
		record "$out/$bench-$machine-$side.data" "$machine" "$bench" --$side --threads "$threads" "$@"
	done
	echo
	"$hitmap" diff "$out/$bench-$machine-before.data" "$out/$bench-$machine-after.data"
	echo
	echo "published: $published"
}

compare signal cascadelake-2s-192t 192 \
	"will-it-scale signal1 17000 -> 54000 operations/s (3.2x), 2 sockets, 192 threads, Cascade Lake"
compare signal westmere-ex-60c 60 "no figure for this machine"
compare futex cascadelake-2s-192t 192 "no figure for this machine"
compare futex westmere-ex-60c 60 \
	"perf bench futex hash up to +45 % above 100 threads, 60-core Westmere"

echo
echo "== the report of one of them: hitmap report -i $out/signal-cascadelake-2s-192t-before.data"
echo
"$hitmap" report -i "$out/signal-cascadelake-2s-192t-before.data"
