#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# perf_reads_ours.sh [BUILD]: perf takes what hitmap records (by the model) without a word on stderr, what
# perf inject makes of it too, and perf script's samples are those that hitmap reads, one by one.
set -u
cd "$(dirname "$0")/../.."
build=${1:-build}
hitmap=$PWD/$build/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0

command -v qemu-x86_64 >/dev/null || { echo "no qemu-x86_64, which the model needs"; exit 77; }
perf version >/dev/null 2>&1 || { echo "perf is not installed"; exit 77; }

make -s BUILD="$build" "$build/libhitmap.a" >/dev/null || exit 1
# Whole lists of flags.
# shellcheck disable=SC2046
cc $(make -s print-CPPFLAGS) -o "$tmp/samples" tests/programs/samples.c "$build/libhitmap.a" \
	$(make -s print-SANITIZE ASAN="$(case $build in *asan*) echo 1 ;; esac)") \
	$(make -s print-LDLIBS) || exit 1
cc -O1 -g -pthread -o "$tmp/adjacent" tests/cases/01_adjacent_counters.c || exit 1
"$hitmap" record -q -o "$tmp/data" -- "$tmp/adjacent" 20000 >/dev/null || exit 1

# Two things are no fault of the recording: that the reporting machine hides its kernel's symbols, and that
# a library on it has none.
complaints() { # FILE
	grep -v -e '^$' -e 'no symbols found' -e 'kptr_restrict' -e 'kernel symbols' "$1"
}

takes() { # FILE COMMAND...
	local file=$1
	shift
	perf "$@" -i "$file" >"$tmp/out" 2>"$tmp/err" </dev/null ||
		{ echo "perf $*: exit status $?"; head -3 "$tmp/err"; fail=1; }
	if complaints "$tmp/err" >"$tmp/said"; then
		echo "perf $* says:"
		head -5 "$tmp/said"
		fail=1
	fi
}

for file in data injected; do
	takes "$tmp/$file" c2c report --stdio
	grep -q 'Total records' "$tmp/out" || { echo "perf c2c report shows nothing of $file"; fail=1; }
	takes "$tmp/$file" script
	takes "$tmp/$file" report --stdio
	takes "$tmp/$file" mem report --stdio
	[ $file = data ] && takes "$tmp/data" inject -b -o "$tmp/injected"
done

# perf script: addr, hex data_src, its text, weight, ip. Its text has blanks and bars.
"$tmp/samples" "$tmp/data" >"$tmp/ours" || fail=1
perf script -i "$tmp/data" -F addr,data_src,weight,ip,sym 2>/dev/null |
	awk 'function flush() { if (have) print ip, addr, source, weight }
		/\|OP/ { addr = $1; source = $2; line = $0; sub(/.*\|/, "", line); sub(/^BLK +[^ ]+( or [^ ]+)* +/, "", line)
			split(line, rest, " "); weight = rest[1]; ip = rest[2]; have = 1; flush() }' >"$tmp/perfs"
samples=$(wc -l <"$tmp/ours")
[ "$samples" -gt 1000 ] || { echo "only $samples samples: nothing to compare"; fail=1; }
if ! cmp -s "$tmp/ours" "$tmp/perfs"; then
	echo "samples differ (< hitmap, > perf script): $(diff "$tmp/ours" "$tmp/perfs" | grep -c '^[<>]') lines of $samples"
	diff "$tmp/ours" "$tmp/perfs" | head -6
	fail=1
fi
[ $fail = 0 ] && echo "note: $samples samples are the same"
exit $fail
