#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# hitmap record and bench with things that cannot work: a clear message, a next step, the right exit
# status, and what was recorded is kept. Argument: the build directory.
set -u
hitmap=$(realpath "$1")/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
cd "$tmp" || exit 1

# expect STATUS TEXT COMMAND...: COMMAND exits with STATUS and says TEXT on standard error.
expect() {
	local status=$1 text=$2 got
	shift 2
	timeout 60 "$@" >out 2>err </dev/null
	got=$?
	if [ $got != "$status" ]; then
		echo "$*: exit status $got, expected $status; it said:"
		cat err
		failed=1
	elif ! grep -qF -- "$text" err; then
		echo "$*: did not say \"$text\" but:"
		cat err
		failed=1
	elif [ "$status" != 0 ] && ! grep -q '^  next: ' err; then
		echo "$*: names no next step:"
		cat err
		failed=1
	fi
}

has_samples() { # FILE
	if [ ! -s "$1" ] || ! perf script -i "$1" 2>/dev/null | grep -q .; then
		echo "$1 holds no samples"
		failed=1
	fi
}

cat >two.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static long shared[8] __attribute__((aligned(64)));
static void *add(void *p)
{
	for (int i = 0; i < 20000; i++)
		__atomic_fetch_add((long *)p, 1, __ATOMIC_RELAXED);
	return 0;
}
int main(int argc, char **argv)
{
	pthread_t t;

	pthread_create(&t, 0, add, shared);
	add(shared + 1);
	pthread_join(t, 0);
	if (argc > 1 && !strcmp(argv[1], "crash"))
		abort();
	if (argc > 1 && !strcmp(argv[1], "hang"))
		for (;;)
			pause();
	return argc > 1 ? atoi(argv[1]) : 0;
}
END
cc -O1 -g -o two two.c -pthread || exit 1
cc -O1 -static -s -o two-static two.c -pthread || exit 1
printf '#!/bin/sh\n./two\n' >script
chmod +x script
echo text >text

expect 2 'no program given' "$hitmap" record
expect 2 'unknown option --no-such' "$hitmap" record --no-such -- ./two
expect 2 'option --machine needs a value' "$hitmap" record --machine
expect 2 '--cpus 0 is not a number from 1 to 256' "$hitmap" record --cpus 0 -- ./two
expect 2 'has 16 CPUs, not 17' "$hitmap" record --cpus 17 -- ./two
expect 2 'there is no "pdp11"' "$hitmap" record --machine pdp11 -- ./two
expect 1 'machine file ./absent.conf: No such file' "$hitmap" record --machine ./absent.conf -- ./two
expect 1 ':1: neither [section]' "$hitmap" record --machine ./text -- ./two
expect 2 '--source radar is not known' "$hitmap" record --source radar -- ./two
expect 3 'no hardware sampling: ' "$hitmap" record --source pebs --sysroot /nonexistent --dry-run
expect 3 'records a program that it starts' "$hitmap" record --source model -a
expect 2 '--door window is not known' "$hitmap" record --door window -- ./two
expect 1 'no program "no-such-program" in PATH' "$hitmap" record -- no-such-program
expect 1 'program ./absent: No such file' "$hitmap" record -- ./absent
expect 1 'program ./text: is not executable' "$hitmap" record -- ./text
expect 1 'program ./script: is a script for /bin/sh' "$hitmap" record -- ./script
expect 1 'has no hooks' "$hitmap" record --door hooks -- ./two
expect 1 'creating /no/such/folder/f' "$hitmap" record -o /no/such/folder/f -- ./two
expect 1 'is not a regular file' "$hitmap" record -o /dev/null -- ./two
expect 3 'no qemu-x86_64 found' "$hitmap" record --qemu ./no-such-qemu -- ./two
expect 3 'was built without plugins' "$hitmap" record --qemu /bin/true -- ./two
expect 2 'there is no command "recrod"' "$hitmap" recrod
expect 2 'one of --before, --after and --real' "$hitmap" bench signal
expect 2 'one of --before, --after and --real' "$hitmap" bench futex --real --after
expect 2 '--real takes no --base' "$hitmap" bench signal --real --work 5
expect 2 'there is no workload "pipe"' "$hitmap" bench pipe --before
expect 2 '--base 3 does not fit' "$hitmap" bench signal --before --base 3
[ -e perf.data ] && echo "a refused command left perf.data behind" && failed=1

command -v qemu-x86_64 >/dev/null || { echo "no qemu-x86_64: the rest was not run"; exit $((failed ? 1 : 77)); }

expect 0 'using the software model' "$hitmap" record -- ./two
has_samples perf.data
expect 0 'samples' "$hitmap" record --source model -o again -- ./two
has_samples again
expect 0 'samples' "$hitmap" record -o again -- ./two-static
has_samples again
[ -s again.old ] || { echo "the older recording was not kept"; failed=1; }
expect 7 'failed with exit status 7' "$hitmap" record -o seven -- ./two 7
has_samples seven
expect 1 'ended by signal 6' "$hitmap" record -o crash -- ./two crash
has_samples crash

# A guest that hangs: the first interrupt gives it two seconds, then it is killed.
"$hitmap" record -q -o hang -- ./two hang 2>err &
pid=$!
sleep 2
start=$SECONDS
kill -INT $pid
wait $pid
status=$?
[ $status = 1 ] && grep -q interrupted err ||
	{ echo "interrupt: exit status $status and:"; cat err; failed=1; }
[ $((SECONDS - start)) -le 5 ] || { echo "interrupt: took $((SECONDS - start)) s"; failed=1; }
has_samples hang
pgrep -f "$tmp/two hang" >/dev/null && echo "the guest outlived hitmap" && failed=1

# What perf says about a recording, and its count of the samples.
for report in "c2c report --stdio" "script" "mem report --stdio" "report --stdio"; do
	perf $report -i again >out 2>err </dev/null || { echo "perf $report failed:"; cat err; failed=1; }
	[ -s err ] && echo "perf $report complains:" && head -5 err && failed=1
done
records=$(perf script -i again 2>/dev/null | wc -l)
perf c2c report --stdio -i again 2>/dev/null | grep -q "Total records *: *$records\$" ||
	{ echo "perf c2c does not count the $records samples of perf script"; failed=1; }
exit $failed
