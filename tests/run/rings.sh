#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs alone: for a second it lowers the rate of samples that the kernel allows all of the machine.
# rings.sh [BUILD]: recordings from the kernel's rings, by software events, which every machine has:
# nothing is lost at defaults; what is lost with small rings and a stopped reader is what the kernel
# counted; perf script reads the same samples, one by one; interrupts lose nothing; -a, -p, -t, -C, -G,
# pipes, exit statuses; and what is said when the kernel refuses.
set -u
cd "$(dirname "$0")/../.."
build=${1:-build}
hitmap=$PWD/$build/hitmap
tmp=$(mktemp -d)
cgroup=
mounted=
rate=
limit=/proc/sys/kernel/perf_event_max_sample_rate
end() {
	[ -z "$rate" ] || echo "$rate" >$limit
	[ -z "$cgroup" ] || rmdir "$cgroup" 2>/dev/null
	[ -z "$mounted" ] || umount "$mounted" 2>/dev/null
	rm -rf "$tmp"
}
trap end EXIT
fail=0
# libperf has no way to free the tables of an event's ids.
echo leak:perf_evsel__alloc_id >"$tmp/leaks"
export LSAN_OPTIONS=suppressions=$tmp/leaks:print_suppressions=0

"$hitmap" record -q -e cpu-clock -o "$tmp/probe" -- true 2>"$tmp/err" ||
	{ echo "no perf events here: $(head -1 "$tmp/err")"; exit 77; }
cc -O2 -o "$tmp/faults" tests/programs/faults.c || exit 1
cc -O2 -shared -fPIC -o "$tmp/refuse.so" tests/programs/refuse.c -ldl || exit 1
make -s BUILD="$build" "$build/libhitmap.a" >/dev/null || exit 1
# Whole lists of flags.
# shellcheck disable=SC2046
cc $(make -s print-CPPFLAGS) -o "$tmp/dump" tests/programs/rings_dump.c "$build/libhitmap.a" \
	$(make -s print-SANITIZE ASAN="$(case $build in *asan*) echo 1 ;; esac)") \
	$(make -s print-LDLIBS) || exit 1

wrong() {
	echo "$*"
	fail=1
}

# ours FILE, perfs FILE: samples in order, in the same words.
ours() {
	"$tmp/dump" "$1" >"$tmp/all" || wrong "hitmap does not read $1"
	grep -v '^lost \|^maps ' "$tmp/all" | sort -k5,5n -k1,4 -k6
}

perfs() {
	perf script --ns -i "$1" -F pid,tid,cpu,time,event,addr,ip 2>"$tmp/perf.err" |
		awk '{ split($1, id, "/"); if (split($1, id, "/") == 1) { sub(/^\//, "", $2); id[2] = $2; $2 = ""; $0 = $0 }
			cpu = substr($2, 2, length($2) - 2) + 0; time = $3; gsub(/[.:]/, "", time)
			name = $4; sub(/:$/, "", name)
			if (NF == 5) print name, id[1], id[2], cpu, time + 0, "0", $5
			else print name, id[1], id[2], cpu, time + 0, $5, $6 }' OFMT=%.0f CONVFMT=%.0f |
		sort -k5,5n -k1,4 -k6
}

lost() { sed -n 's/^lost //p' "$tmp/all"; }

agrees() { # NAME FILE LEAST
	local n
	ours "$2" >"$tmp/ours"
	n=$(wc -l <"$tmp/ours")
	[ "$n" -ge "$3" ] || wrong "$1: $n samples, at least $3 expected"
	perf version >/dev/null 2>&1 || return
	perfs "$2" >"$tmp/perfs"
	cmp -s "$tmp/ours" "$tmp/perfs" && return
	wrong "$1: perf script ($(wc -l <"$tmp/perfs") samples) and hitmap ($n) differ:"
	diff "$tmp/ours" "$tmp/perfs" | head -6
}

# ---- Nothing is lost at defaults
tracepoint=
if [ "$(id -u)" = 0 ] && [ ! -e /sys/kernel/tracing/events/sched ] && [ -d /sys/kernel/tracing ]; then
	mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null && mounted=/sys/kernel/tracing
fi
[ -e /sys/kernel/tracing/events/sched/sched_switch/id ] && tracepoint=,sched:sched_switch

"$hitmap" record -e "page-faults,cpu-clock$tracepoint" -c 100003 -o "$tmp/mixed" -- "$tmp/faults" 20000 2 \
	>"$tmp/out" 2>&1 || { cat "$tmp/out"; wrong "mixed events: failed"; }
agrees "mixed events" "$tmp/mixed" 1
"$hitmap" record -e page-faults -c 1 -o "$tmp/program" -- "$tmp/faults" 100000 2 >"$tmp/out" 2>&1 ||
	wrong "a program: $(cat "$tmp/out")"
agrees "two noisy children" "$tmp/program" 200000
[ "$(lost)" = 0 ] || wrong "two noisy children: lost $(lost) at defaults"
addresses=$(awk '$6 != "0"' "$tmp/ours" | wc -l)
[ "$addresses" -ge 200000 ] || wrong "page faults: only $addresses have an address"
grep -q ' lost ' "$tmp/out" && wrong "it says that something was lost: $(cat "$tmp/out")"

if [ "$(id -u)" = 0 ]; then
	"$hitmap" record -a -e page-faults,cpu-clock -F 1000 -o "$tmp/wide" -- "$tmp/faults" 20000 2 2>"$tmp/out" ||
		wrong "-a: $(cat "$tmp/out")"
	agrees "-a" "$tmp/wide" 100
	[ "$(lost)" = 0 ] || wrong "-a: lost $(lost) at defaults"
	[ "$(sed -n 's/^maps //p' "$tmp/all")" -gt 50 ] || wrong "-a: the maps of what ran before are missing"
	cut -d' ' -f2 "$tmp/ours" | sort -u | wc -l | grep -q '^1$' && wrong "-a: one process only"
	"$hitmap" record -C 0 -e cpu-clock -F 500 -q -o "$tmp/cpu" -- sleep 0.3 || wrong "-C 0 fails"
	ours "$tmp/cpu" | awk '$4 != 0 { bad = 1 } END { exit bad || !NR }' || wrong "-C 0: samples of other CPUs, or none"
fi

# ---- Build ids: the program's own, and the kernel's
"$hitmap" record -q -e cpu-clock,page-faults -o "$tmp/ids" -- "$tmp/faults" 20000 1 >/dev/null 2>&1
if perf version >/dev/null 2>&1; then
	id=$(readelf -n "$tmp/faults" | sed -n 's/.*Build ID: //p')
	perf buildid-list -i "$tmp/ids" >"$tmp/list" 2>/dev/null
	grep -q "^$id $tmp/faults$" "$tmp/list" || wrong "no build id $id of the program: $(cat "$tmp/list")"
	kernel=$(perf buildid-list -k)
	grep -q "^$kernel .kernel.kallsyms.$" "$tmp/list" || wrong "no build id $kernel of the kernel: $(cat "$tmp/list")"
fi

# ---- Small rings and a reader that is stopped: what is lost is what the kernel counted
"$hitmap" record -e page-faults -c 1 -m 1 -v -o "$tmp/small" -- "$tmp/faults" 200000 2 >"$tmp/out" 2>&1 &
recorder=$!
sleep 0.1
kill -STOP $recorder 2>/dev/null
sleep 0.2
kill -CONT $recorder 2>/dev/null
wait $recorder || wrong "a stopped reader: $(cat "$tmp/out")"
agrees "a stopped reader" "$tmp/small" 1000
[ "$(lost)" -gt 0 ] || wrong "nothing was lost with rings of a page and a stopped reader"
told=$(sed -n 's/.*records, lost \([0-9]*\).*/\1/p' "$tmp/out")
[ "$(lost)" = "$told" ] || wrong "the recording says that $(lost) records were lost, hitmap $told"
counted=$(sed -n 's/.*the kernel counts \([0-9]*\),.*/\1/p' "$tmp/out")
[ -z "$counted" ] || [ "$counted" = "$(lost)" ] || wrong "the kernel counts $counted lost, the recording $(lost)"
# Each fault is a sample or lost; maps and the like may be lost as well.
[ $(($(wc -l <"$tmp/ours") + $(lost))) -ge 400000 ] ||
	wrong "$(wc -l <"$tmp/ours") samples and $(lost) lost are fewer than the 400000 faults"
grep -q 'next: .*-m [0-9]' "$tmp/out" || wrong "no advice after losses: $(cat "$tmp/out")"
echo "note: $(lost) lost with a stopped reader, as the kernel counts"

# ---- An event that comes too often is paused by the kernel: counted, and said
if [ "$(id -u)" = 0 ] && [ -w $limit ]; then
	rate=$(cat $limit)
	echo 2000 >$limit
	"$hitmap" record -e cpu-clock -c 10000 -o "$tmp/often" -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done' \
		>"$tmp/out" 2>&1
	echo "$rate" >$limit
	rate=
	paused=$(sed -n 's/.*the kernel paused events \([0-9]*\) times on CPU.*/\1/p' "$tmp/out")
	[ "${paused:-0}" -gt 0 ] || wrong "an event that comes too often is not said to be paused: $(cat "$tmp/out")"
	grep -q 'next: .*-c [0-9]' "$tmp/out" || wrong "no advice for paused events: $(cat "$tmp/out")"
	if perf version >/dev/null 2>&1; then
		n=$(perf report --stats -i "$tmp/often" 2>/dev/null | awk '/ THROTTLE/ { print $3 }')
		[ "$n" = "$paused" ] || wrong "perf sees $n THROTTLE records, hitmap $paused"
	fi
fi

# ---- Tasks that run already
written() { # FILE: until it holds some samples behind the maps, but not for ever
	for _ in $(seq 100); do
		[ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -gt 60000 ] && return
		sleep 0.1
	done
}
sh -c 'i=0; while :; do i=$((i+1)); done' &
busy=$!
for option in -p -t; do
	rm -f "$tmp/task"
	"$hitmap" record $option $busy -e cpu-clock -F 1000 -o "$tmp/task" 2>"$tmp/out" &
	recorder=$!
	written "$tmp/task"
	kill -INT $recorder
	wait $recorder || wrong "$option: exit status $? after an interrupt: $(cat "$tmp/out")"
	agrees "$option" "$tmp/task" 50
	awk -v pid=$busy '$2 != pid { exit 1 }' "$tmp/ours" || wrong "$option: samples of other processes"
	[ "$(sed -n 's/^maps //p' "$tmp/all")" -gt 3 ] || wrong "$option: the maps of the process are missing"
done
"$hitmap" record -p $busy -e cpu-clock -q -o "$tmp/task" &
recorder=$!
sleep 0.3
kill $busy
wait $busy 2>/dev/null
wait $recorder || wrong "-p: a process that ends does not end the recording well"

# ---- A control group
folder=$(awk '$3 == "cgroup" && $4 ~ /perf_event/ { print $2; exit }' /proc/self/mounts)
[ -n "$folder" ] || folder=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
if [ "$(id -u)" = 0 ] && [ -n "$folder" ] && mkdir "$folder/hitmap-test-$$" 2>/dev/null; then
	cgroup=$folder/hitmap-test-$$
	sh -c "echo \$\$ >$cgroup/cgroup.procs && exec $tmp/faults 60000" &
	member=$!
	"$hitmap" record -G "hitmap-test-$$" -e page-faults -c 1 -o "$tmp/group" -- sleep 0.5 2>"$tmp/out" ||
		wrong "-G: $(cat "$tmp/out")"
	wait $member
	agrees "-G" "$tmp/group" 1000
	awk -v pid=$member '$2 != pid { exit 1 }' "$tmp/ours" || wrong "-G: samples of tasks outside"
fi

# ---- Interrupts, exit statuses, pipes
"$hitmap" record -e page-faults -c 1 -q -o "$tmp/int" -- \
	sh -c "trap 'exit 0' INT TERM; $tmp/faults 30000; touch $tmp/ready; while :; do :; done" 2>/dev/null &
recorder=$!
for _ in $(seq 100); do [ -e "$tmp/ready" ] && break; sleep 0.1; done
kill -INT $recorder
wait $recorder
agrees "an interrupt" "$tmp/int" 30000
status() { # EXPECTED COMMAND...
	local expected=$1 got
	shift
	"$hitmap" record -q -e page-faults -o "$tmp/x" "$@" >"$tmp/out" 2>&1
	got=$?
	[ $got = "$expected" ] || wrong "$*: exit status $got, not $expected: $(cat "$tmp/out")"
}
status 0 -- true
status 7 -- sh -c 'exit 7'
status 1 -- sh -c 'kill -SEGV $$'
status 1 -- /nonexistent/program
status 1 -p 999999999
status 2 -m 0 -- true
status 2 -p x
status 2 -a -p 1
status 2 -C 0- -- true
status 2 -e nonsense -- true
status 1 -G nonexistent/group -- true
[ -z "$tracepoint" ] || status 2 -e sched:nonsense -- true
# A tracepoint's own fields are in the recording, for perf script.
if [ -n "$tracepoint" ]; then
	"$hitmap" record -q -e sched:sched_switch -o "$tmp/fields" -- sh -c 'sleep 0.1; sleep 0.1' ||
		wrong "a tracepoint: not recorded"
	perf script -i "$tmp/fields" 2>/dev/null | grep -q 'prev_pid=[0-9]* .*next_comm=' ||
		wrong "a tracepoint's fields are not read by perf script: $(perf script -i "$tmp/fields" 2>&1 | head -2)"
fi

"$hitmap" record -q -e page-faults -c 1 -o - -- sh -c "echo not a record; $tmp/faults 20000" 2>"$tmp/err" >"$tmp/pipe" ||
	wrong "-o -: $(cat "$tmp/err")"
grep -q 'not a record' "$tmp/err" || wrong "-o -: the program's output is not on standard error"
"$tmp/dump" - <"$tmp/pipe" | grep -vc '^lost\|^maps' >"$tmp/count"
[ "$(cat "$tmp/count")" -ge 20000 ] || wrong "-o -: hitmap reads $(cat "$tmp/count") samples of the pipe"
if perf version >/dev/null 2>&1; then
	n=$(perf script -i - <"$tmp/pipe" 2>"$tmp/perf.err" | wc -l)
	[ "$n" = "$(cat "$tmp/count")" ] || wrong "-o -: perf script reads $n samples of the pipe, hitmap $(cat "$tmp/count"): $(head -1 "$tmp/perf.err")"
fi
"$hitmap" record -q -e page-faults -c 1 -o - -- "$tmp/faults" 100000 2>"$tmp/err" | head -c 100 >/dev/null
grep -q 'writing to the pipe: Broken pipe' "$tmp/err" || wrong "a broken pipe: $(cat "$tmp/err")"

# ---- What the kernel refuses
case $build in
*asan*) ;;
*)
	refused() { # WORDS STATUS ENVIRONMENT OPTIONS...
		local words=$1 expected=$2 environment=$3 got
		shift 3
		env LD_PRELOAD="$tmp/refuse.so" $environment "$hitmap" record -o "$tmp/x" "$@" >"$tmp/out" 2>&1
		got=$?
		[ $got = "$expected" ] || wrong "$environment $*: exit status $got, not $expected: $(cat "$tmp/out")"
		grep -q -- "$words" "$tmp/out" || wrong "$environment $*: does not say \"$words\": $(cat "$tmp/out")"
		[ "$expected" = 0 ] || grep -q '^  next: ' "$tmp/out" || wrong "$environment $*: no next step"
	}
	# errno: EPERM 1, ESRCH 3, ENOMEM 12, EACCES 13, EBUSY 16, EINVAL 22, EMFILE 24, ENOSYS 38,
	# EOPNOTSUPP 95
	for n in 1 2; do
		refused 'event page-faults: not permitted: Permission' 3 "REFUSE=$n:99:13" -e page-faults -- true
		refused 'event page-faults: not permitted: Operation' 3 "REFUSE=$n:99:1" -e page-faults -- true
		refused 'does not take it: Invalid' 3 "REFUSE=$n:99:22" -e page-faults -- true
		refused 'perf_event_open: [0-9]* descriptors are needed' 1 "REFUSE=$n:99:24" -e page-faults -- true
		refused 'counter is in use: Device' 3 "REFUSE=$n:99:16" -e page-faults -- true
		refused 'no perf_event_open: Function' 3 "REFUSE=$n:99:38" -e page-faults -- true
		refused 'PMU does not do it: Operation not supported' 3 "REFUSE=$n:99:95" -e page-faults -- true
	done
	refused 'the tasks have ended' 1 REFUSE=1:99:3 -e page-faults -- true
	refused 'no physical addresses without privilege' 0 REFUSE_IF=phys:13 -e page-faults -- true
	refused 'accesses by the kernel will be unseen' 0 REFUSE_IF=kernel:13 -e page-faults -- true
	refused 'rings of 64 kB instead of 512 kB' 0 REFUSE_MAP=64:1 -e page-faults -- true
	refused 'mmap: [0-9]* rings of 1024 kB: Operation not permitted' 1 REFUSE_MAP=64:1 -m 256 -e page-faults -- true
	refused 'a smaller -m, or fewer CPUs' 1 REFUSE_MAP=64:12 -m 256 -e page-faults -- true

	# What is asked for: the program's events start with it and are inherited, those of all tasks run on
	# CPUs, and maps of all tasks are told from the start.
	asked() { # NAME PATTERN OPTIONS...
		local name=$1 pattern=$2
		shift 2
		rm -f "$tmp/log"
		LD_PRELOAD="$tmp/refuse.so" REFUSE_LOG="$tmp/log" "$hitmap" record -q -o "$tmp/x" "$@" >"$tmp/out" 2>&1
		grep -q "$pattern" "$tmp/log" || { wrong "$name: no call like \"$pattern\" but:"; cat "$tmp/log"; }
	}
	asked "a program" 'type=1 config=2 .*inherit=1 enable_on_exec=1 disabled=1 mmap2=1 task=1 watermark=1 .* task cpu=0 group=-1 flags=0 opened' \
		-e page-faults -- true
	if [ "$(id -u)" = 0 ]; then
		asked "-a" 'type=1 config=2 .*inherit=0 enable_on_exec=0 disabled=1 mmap2=0 .* all cpu=0' -a -e page-faults -- true
		asked "-a tells maps" 'config=9 .*disabled=0 mmap2=1 task=1 .* all cpu=0' -a -e page-faults -- true
		[ -z "$cgroup" ] || asked "-G" 'config=2 .* flags=12 opened' -G "$(basename "$cgroup")" -e page-faults -- true
	fi
	asked "-p" 'config=2 .*inherit=1 enable_on_exec=0 disabled=1 ' -p $$ -e page-faults -- true
	;;
esac
exit $fail
