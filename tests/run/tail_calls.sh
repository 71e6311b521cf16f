#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An access that is the last thing a function does is named after that function, not its caller.
set -u
build=${1:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

cat >"$work/tail.c" <<'END'
#include <pthread.h>

int flag;

__attribute__((noinline)) void set_flag(int value)
{
	__atomic_store_n(&flag, value, __ATOMIC_SEQ_CST);
}

static void *work(void *unused)
{
	for (int i = 0; i < 2000; i++) {
		set_flag(i);
		__asm__ volatile("");
	}
	return unused;
}

int main(void)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
END

for cc in gcc clang; do
	command -v $cc >/dev/null || continue
	HITMAP_CC=$cc "$build/hitmap" cc -O2 -g -pthread -o "$work/tail" "$work/tail.c" || exit 1
	python3 tests/programs/receive.py --build "$build" --timeout 30 --brief --door hooks -- \
		"$work/tail" >"$work/out" || { echo "$cc: the program failed"; failed=1; }
	names=$(jq -c '[.processes[0].sites[].function] | unique' "$work/out")
	case $names in
	*'"set_flag"'*) ;;
	*) echo "$cc: the accesses are in $names, not in set_flag"; failed=1 ;;
	esac
	case $names in
	*'"work"'*) echo "$cc: accesses of set_flag are in work: $names"; failed=1 ;;
	esac
done
exit $failed
