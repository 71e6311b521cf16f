#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# run.sh SECONDS [BUILD]: fuzzes the reader of perf.data with libFuzzer, ASan and UBSan. Exits with 0
# when nothing was found, 77 when clang has no fuzzer, else 1; what was found stays in BUILD/fuzz.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:?usage: run.sh SECONDS [BUILD]}
build=${2:-build}
out=$build/fuzz
mkdir -p "$out/corpus"

flags="-g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined"
flags="$flags -DINPUT_CHUNK_SIZE=65536"
printf "int LLVMFuzzerTestOneInput(const char *b, long n) { return 0; }\n" >"$out/probe.c"
if ! clang $flags -o "$out/probe" "$out/probe.c" >"$out/log" 2>&1; then
	echo "clang with -fsanitize=fuzzer is missing"
	exit 77
fi

sources=$(for m in $(make -s print-base print-sample) input queue perfdata_feature perfdata_header \
	perfdata_record perfdata_read spe_trace spool unpack script_line script_read note; do
	case $m in symtab*) ;; *) ls "src/$m.c" 2>/dev/null || : ;; esac
done)
clang -std=gnu11 $flags $(make -s print-CPPFLAGS) -o "$out/fuzz_perfdata" tests/fuzz/fuzz_perfdata.c \
	$sources $(make -s print-LDLIBS)
[ -e "$out/seeds" ] || python3 tests/fuzz/seeds.py "$out/seeds"

rm -f "$out"/crash-* "$out"/oom-* "$out"/timeout-* "$out"/leak-*
if ! "$out/fuzz_perfdata" -max_total_time="$seconds" -max_len=20000 -timeout=10 -rss_limit_mb=2048 \
	-artifact_prefix="$out/" "$out/corpus" "$out/seeds" >"$out/log" 2>&1; then
	tail -n 40 "$out/log"
	exit 1
fi
grep -E '^#[0-9]+.*DONE' "$out/log"
