#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# open_sequence.sh [BUILD]: the calls of perf_event_open, and those that join rings and start events, as
# strace sees them, are those of tests/expected/open_sequence, in their order, for each way to say what is
# recorded. Of the CPUs' calls those for CPU 0 are compared, and the others counted. With UPDATE=1 what is
# seen becomes what is expected.
set -u
cd "$(dirname "$0")/../.."
build=${1:-build}
hitmap=$PWD/$build/hitmap
expected=tests/expected/open_sequence
tmp=$(mktemp -d)
task=
trap '[ -z "$task" ] || kill $task 2>/dev/null; rm -rf "$tmp"' EXIT
fail=0

strace -o "$tmp/probe" -e trace=perf_event_open true 2>/dev/null || { echo "strace cannot trace here"; exit 77; }
"$hitmap" record -q -e page-faults -o "$tmp/data" -- true 2>"$tmp/err" ||
	{ echo "no perf events here: $(head -1 "$tmp/err")"; exit 77; }
# LeakSanitizer cannot work under strace.
export ASAN_OPTIONS=detect_leaks=0

# One line a call: what is 0 is left out, tasks and descriptors are named for what they are.
calls() { # FILE, PID of a task named by an option or 0
	awk -v named="$2" '
	function fields(text,    n, part, i, out) {
		n = split(text, part, ", ")
		out = ""
		for (i = 1; i <= n; i++) {
			sub(/ \/\*.*\*\//, "", part[i])
			if (part[i] ~ /=0$|^size=|^wakeup_/ || part[i] == "0")
				continue
			out = out " " part[i]
		}
		return out
	}
	/^perf_event_open\(/ {
		attr = $0
		sub(/^perf_event_open\(\{/, "", attr)
		sub(/\}, .*/, "", attr)
		rest = $0
		sub(/.*\}, /, "", rest)
		split(rest, word, /[,)] */)
		pid = word[1] == -1 ? "all" : word[1] == 0 ? "self" : word[1] == named ? "named" : "program"
		cpu = word[2]
		group = word[3] == -1 ? "none" : event[word[3]]
		result = rest
		sub(/.*= /, "", result)
		if (result ~ /^-1/) {
			sub(/ \(.*/, "", result)
		} else {
			name = attr
			sub(/.*config=/, "", name)
			sub(/[,}].*/, "", name)
			event[result] = name
			of[result] = cpu
			result = "opened"
		}
		if (cpu > 0) {
			others++
			next
		}
		print "open", fields(attr) " | task " pid " cpu " cpu " group " group ": " result
	}
	/PERF_EVENT_IOC_(SET_OUTPUT|ENABLE|DISABLE)/ {
		fd = $0
		sub(/ioctl\(/, "", fd)
		sub(/,.*/, "", fd)
		what = $0
		sub(/.*PERF_EVENT_IOC_/, "", what)
		sub(/[,)].*/, "", what)
		to = $0
		sub(/.*SET_OUTPUT, /, "", to)
		sub(/\).*/, "", to)
		if (of[fd] > 0)
			next
		print tolower(what), event[fd] (what == "SET_OUTPUT" ? " to " event[to] : "")
	}
	END { print "other CPUs:", others + 0 }' "$1"
}

sequence() { # NAME CPUS PID OPTIONS...: the others' calls are CPUS - 1 times those for CPU 0
	local name=$1 cpus=$2 pid=$3 own
	shift 3
	# Without -f: the calls of hitmap alone.
	strace -qq -v -o "$tmp/trace" -e trace=perf_event_open,ioctl "$hitmap" record -q -o "$tmp/data" "$@" \
		>"$tmp/out" 2>&1 || { echo "$name fails: $(cat "$tmp/out")"; fail=1; return; }
	calls "$tmp/trace" "$pid" >"$tmp/all"
	own=$(grep -c '^open .* cpu 0 ' "$tmp/all")
	grep -q "^other CPUs: $((own * (cpus - 1)))$" "$tmp/all" ||
		{ echo "$name: $(tail -1 "$tmp/all"), not $((own * (cpus - 1)))"; fail=1; }
	grep -v '^other' "$tmp/all" | sed 's/|PERF_FORMAT_LOST//' >"$tmp/seen"
	[ -z "${UPDATE:-}" ] || cp "$tmp/seen" "$expected/$name"
	diff "$expected/$name" "$tmp/seen" >"$tmp/diff" ||
		{ echo "$name: the calls differ, expected and seen:"; head -10 "$tmp/diff"; fail=1; }
}

all=$(nproc --all)
sequence program "$all" 0 -e page-faults -- true
sequence two_events "$all" 0 -e page-faults,cpu-clock -c 1000 -- true
sequence callchain "$all" 0 -e page-faults -g -F 500 -- true
sequence user_only "$all" 0 -e page-faults -u -- true
sequence first_cpu 1 0 -C 0 -e cpu-clock -- true
[ "$(id -u)" != 0 ] || sequence all "$all" 0 -a -e page-faults -- true
sleep 5 &
task=$!
sequence process "$all" $task -p $task -e page-faults
exit $fail
