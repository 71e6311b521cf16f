#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Programs under both front doors: what is named, what is told at forks, crashes and hangs.
set -u
build=${1:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
receive="python3 tests/programs/receive.py --build $build --timeout 30 --brief"
failed=0

qemu=$(command -v qemu-x86_64 || echo deps/qemu/bin/qemu-x86_64)
"$qemu" -h 2>/dev/null | grep -q -- -plugin || { echo "no qemu-x86_64 with plugins"; exit 77; }
case $("$qemu" --version | sed -n 's/.*version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p') in
"7 "* | "8 "*) api=1 ;;
"9 0") api=2 ;;
"9 "* | "10 "* | "11 0") api=3 ;;
*) api=4 ;;
esac

check() { # NAME FILE JQ-EXPRESSION
	if ! jq -e "$3" "$2" >/dev/null; then
		echo "$1: not so: $3"
		jq -c '{status, seconds, processes: [.processes[] | del(.paths, .sites, .comms)]}' "$2"
		failed=1
	fi
}

program() { # NAME: compiles it for both doors
	[ -x "$work/hooks_$1" ] && return
	cc -O2 -g -pthread -o "$work/qemu_$1" "tests/programs/$1.c" || exit 1
	"$build/hitmap" cc -O2 -g -pthread -o "$work/hooks_$1" "tests/programs/$1.c" || exit 1
}

run() { # DOOR NAME [ARGUMENTS]: leaves $out
	out=$work/out_$1_$2
	program "$2"
	local door=$1 name=$2
	shift 2
	$receive --door "$door" --qemu "$qemu" --api "$api" $options -- "$work/${door}_$name" "$@" \
		>"$out" 2>"$work/err" || { cat "$work/err"; failed=1; }
}

for door in qemu hooks; do
	options=
	# Every program ends well, is complete and names the line that is fought over.
	for case in "neighbours counters 0 work" "atomic counter 0 work" "spin shared 0 work" \
		"ring ring 0 work" "mutex shared 0 -" "nested shared 0 -" "queue queue 0 -"; do
		set -- $case
		run $door "$1" 2 3000
		check "$door $1" "$out" '.status == 0 and .processes[0].complete'
		check "$door $1" "$out" '.processes[0] | .strangers == 0 and .tasks == 3 and .exits == 2
			and .thread_totals == 3 and .total.unplaced == 0'
		check "$door $1" "$out" "[.processes[0].lines[] | .object == \"$2\"] | any"
		[ "$4" = - ] || check "$door $1" "$out" "[.processes[0].sites[] | .function == \"$4\"] | any"
	done
	# The program's own lines are on top, at the same offset, whichever door saw them.
	run $door neighbours 2 3000
	check "$door neighbours" "$out" '.processes[0].lines[0] | .object == "counters" and .offset == 0'
	check "$door neighbours" "$out" '[.processes[0].sites[] | select(.function == "work") | .offset]
		| unique == [0, 8]'
	check "$door maps" "$out" '.processes[0].paths | (map(endswith("_neighbours")) | any) and
		(map(test("libc\\.so")) | any) and (map(. == "[stack]") | any) and
		(map(. == "//anon") | any)'
	[ $door = hooks ] || check "$door maps" "$out" '.processes[0].paths |
		map(test("qemu-x86_64|glib|libhitmap")) | any | not'
	run $door churn 8 40
	check "$door churn" "$out" '.status == 0 and .processes[0].tasks == 321 and
		.processes[0].thread_totals == 321'
	# A forked child has a connection of its own; a child that becomes another program is remarked.
	run $door forks 2 2000
	check "$door forks" "$out" '.status == 0 and ([.processes[].complete] | all)'
	check "$door forks" "$out" '[.processes[] | select(.tasks > 1)] | length == 2 and
		(map(.pid) | unique | length == 2) and (map(.lines[0].object) | unique == ["counter"])'
	[ $door = hooks ] || check "$door forks" "$out" '[.processes[].remarks[]] |
		map(test("ran /bin/true natively: not modelled")) | any'
	# However the program ends, what was seen before is there.
	for case in "exit 0 true" "abort -6 true" "exec 0 true" "kill -9 false" "segv -11 false"; do
		set -- $case
		run $door crash "$1"
		check "$door crash $1" "$out" ".status == $2 and .processes[0].samples > 1000"
		[ "$3" = false ] || check "$door crash $1" "$out" '.processes[0].complete'
	done
	# A deadlock ends on Ctrl-C.
	options="--interrupt 0.7"
	run $door hang
	check "$door hang" "$out" '.status == -2 and .seconds < 5'
	# The program runs on when the other end goes away in the middle.
	options="--leave 0.1"
	run $door crash exit
	check "$door leave" "$out" '.status == 0'
done

# Without a recorder the hooks are inert.
"$work/hooks_atomic" 2 1000 || { echo "hooks: the program does not run by itself"; failed=1; }
exit $failed
