#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# HITM totals of the model through the QEMU door: the same on an idle and on a busy machine, and for any
# quantum. Also 100 runs of a program whose threads come and go.
set -u
build=${1:-build}
work=$(mktemp -d)
busy=
trap '[ -z "$busy" ] || kill $busy 2>/dev/null; rm -rf "$work"' EXIT
qemu=$(command -v qemu-x86_64 || echo deps/qemu/bin/qemu-x86_64)
"$qemu" -h 2>/dev/null | grep -q -- -plugin || { echo "no qemu-x86_64 with plugins"; exit 77; }
case $("$qemu" --version | sed -n 's/.*version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p') in
"7 "* | "8 "*) api=1 ;;
"9 0") api=2 ;;
"9 "* | "10 "* | "11 0") api=3 ;;
*) api=4 ;;
esac
receive="python3 tests/programs/receive.py --build $build --qemu $qemu --api $api --timeout 60 --brief"
failed=0 notes=

program() {
	[ -x "$work/$1" ] || cc -O2 -g -pthread -o "$work/$1" "tests/programs/$1.c" || exit 1
}

hitms() { # QUANTUM CPUS NAME ARGUMENTS: HITMs at the typical hold of the program's own lines
	local quantum=$1 cpus=$2 name=$3
	shift 3
	$receive --quantum "$quantum" --cpus "$cpus" -- "$work/$name" "$@" |
		jq '[.processes[0].lines[] | select(.object | test("^(counters|counter|shared|ring)$")) |
			.hitm[1]] | add'
}

load() { # on | off
	if [ "$1" = on ]; then
		(while :; do :; done) & busy=$!
		(while :; do :; done) & busy="$busy $!"
	else
		kill $busy 2>/dev/null
		busy=
	fi
}

spread() { # PERCENT NAME CPUS ARGUMENTS: ten runs, half of them on a busy machine
	local most=$1 name=$2 cpus=$3 n all= quanta="8192 4096 8192 65536 8192"
	shift 3
	program "$name"
	for state in off on; do
		load $state
		for quantum in $quanta; do
			n=$(hitms $quantum "$cpus" "$name" "$@") || n=0
			all="$all ${n:-0}"
		done
		[ $state = off ] || load off
	done
	read -r low high <<<"$(echo $all | tr ' ' '\n' | sort -n | sed -n '1p;$p' | tr '\n' ' ')"
	[ "${low:-0}" -gt 0 ] && [ $((10000 * (high - low))) -le $((100 * most * high)) ] || {
		echo "$name: HITMs differ by more than $most %:$all"
		failed=1
	}
	notes="$notes $name $(awk "BEGIN { printf \"%.1f\", $high ? 100 * ($high - $low) / $high : 0 }") %"
}

spread 1 neighbours 16 2 50000
spread 1 atomic 16 2 50000
spread 1 spin 16 2 10000
spread 1 mutex 16 2 5000
spread 3 ring 16 2 20000
spread 5 spin 192 192 20
program churn
for i in $(seq 100); do
	$receive -- "$work/churn" 4 3 >"$work/out" 2>&1
	jq -e '.status == 0 and .processes[0].complete' "$work/out" >/dev/null || {
		echo "churn: run $i:" "$(jq -c '{status, p: [.processes[] | del(.lines, .sites)]}' "$work/out")"
		failed=1
		break
	}
done
echo "note: spread of HITM totals over 10 runs:$notes"
exit $failed
