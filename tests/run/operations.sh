#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# operations.sh [BUILD]: what the kernel counts beside a recording is what the program did: perf's futex
# benchmark, real signals, functions, with rings and with the model; whose operations are counted; and
# what is said when counting cannot be had.
set -u
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-build}")
# tracefs is mounted and unmounted in a mount namespace of the test's own.
if [ "$(id -u)" = 0 ] && [ -z "${OPERATIONS_APART:-}" ] && unshare -m true 2>/dev/null; then
	OPERATIONS_APART=1 exec unshare -m "$0" "$build"
fi
hitmap=$build/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
fail=0
export LSAN_OPTIONS=detect_leaks=0 # libperf keeps tables of ids

wrong() {
	echo "$*"
	fail=1
}

# count [NAME]: what the recording holds of the first event, or the one called NAME.
count() {
	"$hitmap" report -i "$tmp/rec" --format json 2>"$tmp/err" | awk -v name="${1:-}" '
		/^    "operations": \[/ { inside = 1 }
		inside && /"event":/ { event = $0 }
		inside && /"count":/ && (name == "" || index(event, "\"" name)) {
			gsub(/[^0-9]/, ""); print; exit }'
}

record() { # OPTIONS...: the program's output goes to "out", what hitmap says to "said"
	"$hitmap" record -o "$tmp/rec" "$@" >"$tmp/out" 2>"$tmp/said" || {
		wrong "record $*: exit status $?: $(cat "$tmp/said")"
		return 1
	}
}

# near WHAT COUNTED OWN: within 1 %
near() {
	awk -v a="${2:-none}" -v b="${3:-none}" 'BEGIN { d = a - b; exit !(b > 0 && d * d <= 1e-4 * b * b) }' ||
		wrong "$1: counted ${2:-nothing}, the program did ${3:-nothing it told}"
}

bench_own() { # hitmap bench's own count
	sed -n 's/.* threads, \([0-9]*\) operations.*/\1/p' "$tmp/out"
}

"$hitmap" record -q --source none --operation page-faults -o "$tmp/rec" -- true 2>"$tmp/err" ||
	{ echo "no perf events here: $(head -1 "$tmp/err")"; exit 77; }
n=$(count)
[ "${n:-0}" -gt 10 ] || wrong "page-faults of true: counted ${n:-nothing}"

# ---- Refusals that need no tracefs
cc -O2 -shared -fPIC -o "$tmp/refuse.so" tests/programs/refuse.c -ldl || exit 1

# refused STATUS WORDS NEXT COMMAND...
refused() {
	local status=$1 words=$2 next=$3 got
	shift 3
	(cd "$tmp" && "$@") >"$tmp/out" 2>"$tmp/said"
	got=$?
	[ $got = "$status" ] || wrong "$*: exit status $got, expected $status: $(cat "$tmp/said")"
	grep -qF -- "$words" "$tmp/said" || wrong "$*: not said: $words: $(cat "$tmp/said")"
	grep -qF -- "  next: $next" "$tmp/said" || wrong "$*: no next step \"$next\": $(cat "$tmp/said")"
}

none() { # OPTIONS...
	"$hitmap" record -o "$tmp/rec" --source none "$@" -- true
}

injected() { # ERRNO
	ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$tmp/refuse.so REFUSE_IF=count:$1 \
		"$hitmap" record -o "$tmp/rec" --source none --operation context-switches -- true
}

refused 2 'records operations, and none are named' 'add --target NAME' none
refused 2 'event "nonesuch" is not known' 'one of cpu-clock' none --operation nonesuch
refused 2 'a filter stands between two slashes' 'such as signal:' none --operation a:b/c
refused 2 'no file and function' 'uprobe:PATH:FUNCTION' none --operation uprobe:main
refused 2 'there is no "nonesuch"' 'choose one of dentry, file, futex' none --target nonesuch
refused 1 'target file ./nonesuch.conf: No such file' 'docs/targets.md' none --target ./nonesuch.conf
printf '[target]\ntitle = a\noperation = b\nevent = page-faults\n[kernel 5.0]\n' >"$tmp/bad.conf"
refused 1 'target file ./bad.conf:5: "5.0" is no range' 'docs/targets.md' none --target ./bad.conf
printf '[target]\ntitle = a\noperation = page touched\nevent = page-faults\n' >"$tmp/own.conf"
record --source none --target "$tmp/own.conf" -- true
grep -q 'counted [1-9][0-9]* of page-faults' "$tmp/said" || wrong "a target of one's own: $(cat "$tmp/said")"
refused 3 'perf_event_open: Permission denied' 'run as root' injected 13
refused 3 'perf_event_open: Function not implemented' 'this kernel has no perf events' injected 38
refused 1 'perf_event_open: Too many open files' 'allow more open files (ulimit -n)' injected 24
refused 1 'perf_event_open: No such process' 'the task has ended' injected 3
[ -e "$tmp/perf.data" ] && wrong "a refused recording left a file behind"

[ "$(id -u)" = 0 ] || { echo "not root: tracepoints were not tried"; exit $((fail ? 1 : 77)); }

few() { # a real limit
	(ulimit -n 12 && "$hitmap" record -o "$tmp/rec" --source none --operation context-switches \
		--operation page-faults --operation minor-faults --operation cpu-clock -- true)
}
refused 1 'perf_event_open: Too many open files' 'allow more open files (ulimit -n)' few

# ---- tracefs
while umount /sys/kernel/tracing 2>/dev/null || umount /sys/kernel/debug/tracing 2>/dev/null ||
	umount /sys/kernel/debug 2>/dev/null; do :; done
refused 3 'event signal:signal_generate: tracefs is not mounted' \
	'as root: mount -t tracefs tracefs /sys/kernel/tracing' none --target signal
mkdir -p "$tmp/elsewhere"
mount -t tracefs tracefs "$tmp/elsewhere" 2>/dev/null ||
	{ echo "tracefs cannot be mounted: tracepoints were not tried"; exit $((fail ? 1 : 77)); }
[ -e "$tmp/elsewhere/events/signal/signal_generate/id" ] ||
	{ echo "this kernel has no signal:signal_generate"; exit $((fail ? 1 : 77)); }
record --source none --target signal -- true # wherever it is mounted
umount "$tmp/elsewhere"
mount -t tracefs tracefs /sys/kernel/tracing || exit 1
refused 2 'event sched:nonesuch: this kernel has no such tracepoint' 'ls /sys/kernel/tracing/events' \
	none --operation sched:nonesuch
refused 2 'filter "foo==1": Invalid argument' 'a filter such as sig==0; the fields are sig, errno, code' \
	none --operation signal:signal_generate/foo==1/

user() { # as one without privilege
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}
if user "$hitmap" --help >/dev/null 2>&1; then
	mkdir -m 777 "$tmp/user"
	unprivileged() {
		cd "$tmp/user" && user "$hitmap" record --source none "$@" -- true
	}
	chmod 755 "$tmp"
	# The build may lie where only its owner can read.
	install -m 644 configs/targets/signal.conf "$tmp/user/signal.conf"
	refused 3 'event signal:signal_generate: tracefs in /sys/kernel/tracing may not be read' \
		'run as root' unprivileged --target "$tmp/user/signal.conf"
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
		refused 3 'event context-switches: perf_event_open: Permission denied' \
			'run as root, or allow it: sysctl kernel.perf_event_paranoid=1' \
			unprivileged --operation context-switches
		unprivileged --operation page-faults 2>"$tmp/said" ||
			wrong "page-faults without privilege: $(cat "$tmp/said")"
		grep -q 'counted [1-9][0-9]* of page-faults:u' "$tmp/said" ||
			wrong "the user's side is not said: $(cat "$tmp/said")"
	fi
else
	echo "note: without privilege: not tried, $build cannot be read by others"
fi

# ---- What was counted is what the program did
record --source none --target signal -- "$hitmap" bench signal --real -t 4 --ops 20000
near "real signals" "$(count)" "$(bench_own)"
record --source none --target futex -- "$hitmap" bench futex --real -t 4 --ops 20000
near "real futex calls" "$(count)" "$(bench_own)"
if perf bench futex hash --help >/dev/null 2>&1 || perf bench 2>/dev/null | grep -q futex; then
	record --source none --target futex -- perf bench futex hash -t 4 -r 2
	# Each thread's rate is rounded down to whole operations a second.
	own=$(awk '/ops\/sec/ { sum += $(NF - 2) } /total secs/ { secs = $NF } END { print sum * secs }' "$tmp/out")
	near "perf bench futex hash" "$(count)" "$own"
fi
record --source none --operation signal:signal_generate/sig==10/ --operation signal:signal_generate/sig==12/ \
	-- bash -c 'trap : USR1 USR2; for i in 1 2 3 4 5; do kill -USR1 $$; done; kill -USR2 $$'
[ "$(count signal:signal_generate/sig==10)" = 5 ] && [ "$(count signal:signal_generate/sig==12)" = 1 ] ||
	wrong "filters: 5 and 1 signals were sent, counted $(count signal:signal_generate/sig==10) and" \
		"$(count signal:signal_generate/sig==12)"
"$hitmap" report -i "$tmp/rec" >"$tmp/text" 2>&1 || wrong "report: $(cat "$tmp/text")"
grep -q '^5 operations (signal:signal_generate/sig==10/): ' "$tmp/text" || wrong "head: $(cat "$tmp/text")"
grep -q 'operations alone were recorded' "$tmp/text" || wrong "samples: $(cat "$tmp/text")"

# A function, entered by threads and children, too: they start as ever.
cat >"$tmp/calls.c" <<'END'
#include <pthread.h>
#include <unistd.h>
#include <sys/wait.h>
__attribute__((noinline)) void step(void) { __asm__ volatile(""); }
static void *thread(void *p)
{
	step();
	return p;
}
int main(void)
{
	pthread_t t;

	if (pthread_create(&t, 0, thread, 0) || pthread_join(t, 0))
		return 1;
	for (int i = 0; i < 1000; i++)
		step();
	switch (fork()) {
	case -1:
		return 2;
	case 0:
		for (int i = 0; i < 234; i++)
			step();
		_exit(0);
	}
	wait(0);
	return 0;
}
END
cc -O1 -o "$tmp/calls" "$tmp/calls.c" -pthread || exit 1
if [ -e /sys/kernel/tracing/uprobe_events ]; then
	record --source none --operation "uprobe:$tmp/calls:step" -- "$tmp/calls"
	[ "$(count)" = 1235 ] || wrong "uprobe: 1235 calls, counted $(count)"
	grep -q . /sys/kernel/tracing/uprobe_events && wrong "probes stay: $(cat /sys/kernel/tracing/uprobe_events)"
	(cd "$tmp" && record --source none --operation uprobe:./calls:step -- ./calls && [ "$(count)" = 1235 ]) ||
		wrong "uprobe by a relative path: $(cat "$tmp/said")"
	refused 1 'has no function "stride"' 'see its names: nm' none --operation "uprobe:$tmp/calls:stride"
fi
# Memory samples or others, operations go with them.
record -e cpu-clock --operation syscalls:sys_enter_futex -- "$hitmap" bench futex --real -t 2 --ops 20000
near "beside samples" "$(count)" "$(bench_own)"
"$hitmap" record -o - --source none --target futex -- "$hitmap" bench futex --real -t 2 --ops 5000 2>"$tmp/out" |
	cat >"$tmp/rec"
near "through a pipe" "$(count)" "$(bench_own)"

# ---- Whose
(sleep 1; exec "$hitmap" bench futex --real -t 2 --ops 20000 >"$tmp/bench") &
record --source none -p $! --operation syscalls:sys_enter_futex
cp "$tmp/bench" "$tmp/out"
near "a process that runs already" "$(count)" "$(bench_own)"
record --source none -a --target futex -- "$hitmap" bench futex --real -t 2 --ops 50000
[ "$(count)" -ge "$(bench_own)" ] || wrong "all tasks: $(count), one of them alone did $(bench_own)"

# ---- The model: QEMU makes the program's calls, and some of its own
if command -v qemu-x86_64 >/dev/null; then
	record --source model --target signal -- "$hitmap" bench signal --real -t 2 --ops 2000
	near "signals under QEMU" "$(count)" 4000
	"$hitmap" report -i "$tmp/rec" >"$tmp/text" 2>&1
	grep -q 'what QEMU itself did is among them' "$tmp/text" || wrong "QEMU's part is not said: $(cat "$tmp/text")"
	record --source model --target futex -- "$hitmap" bench futex --real -t 2 --ops 20000
	n=$(count)
	[ "$n" -ge 40000 ] && [ "$n" -lt 42000 ] || wrong "futex calls under QEMU: counted $n, the program made 40000"
	refused 3 'QEMU translates the program' 'build it with "hitmap cc"' \
		"$hitmap" record --source model --operation "uprobe:$tmp/calls:step" -- "$tmp/calls"
fi
exit $fail
