#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One recording in several forms gives one report: as a file, through a pipe, wrapped by gzip and xz, as
# perf script prints it, and compressed by perf itself where it records.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0

# Without the path, and what text of perf script does not have: the machine.
report() {
	"$hitmap" report --all --ascii "$@" 2>&1 | sed -n '/^[0-9,]* samples/,$p' | sed 's/ CPUs of [0-9]*/ CPUs/'
}

same() { # NAME
	[ -s "$tmp/wanted" ] && diff "$tmp/wanted" "$tmp/got" >"$tmp/diff" && return
	echo "$1: the report is another one:"
	head -10 "$tmp/diff"
	fail=1
}

python3 tests/oracle/gen_perfdata.py --build-target "$tmp" >/dev/null || exit 1
for options in "-n 20000 --lines 40" "-n 20000 --lines 40 --phys --callchain --kernel-lines 0.2"; do
	# shellcheck disable=SC2086
	python3 tests/oracle/gen_perfdata.py --target "$tmp/target" -o "$tmp/data" $options 2>/dev/null || exit 1
	report -i "$tmp/data" >"$tmp/wanted"
	cat "$tmp/data" | report -i - >"$tmp/got"
	same "$options: through a pipe"
	gzip -c "$tmp/data" >"$tmp/data.gz"
	report -i "$tmp/data.gz" >"$tmp/got"
	same "$options: in gzip"
	xz -0 -c "$tmp/data" | report -i - >"$tmp/got"
	same "$options: in xz, through a pipe"
	columns=comm,pid,tid,cpu,time,period,event,addr,data_src,weight,ip,sym,symoff,dso
	[ "$options" = "${options/--phys/}" ] || columns=$columns,phys_addr
	perf script -G -i "$tmp/data" -F $columns --show-mmap-events --show-task-events >"$tmp/text" 2>"$tmp/log" || {
		head -3 "$tmp/log"
		fail=1
	}
	report -i "$tmp/text" >"$tmp/got"
	# -G: without who called
	grep -v '^ *[0-9]* % from ' "$tmp/wanted" >"$tmp/uncalled"
	mv "$tmp/uncalled" "$tmp/wanted"
	same "$options: as perf script prints it"
done
exit $fail
