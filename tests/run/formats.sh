#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# formats.sh [BUILD]: every format of report, diff and align has the numbers of JSON, and names that would be
# markup, formulas or frames are none in any of them.
set -u
cd "$(dirname "$0")/../.."
build=${1:-build}
hitmap=$PWD/$build/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0
wrong() {
	echo "$*"
	fail=1
}

# Symbols as a hostile program may have them: written over those of the linked program.
cat >"$tmp/hostile.c" <<-'END'
	#include <pthread.h>
	#define LINE __attribute__((aligned(64)))
	long first_symbol_that_is_written_over[8] LINE, second_symbol_that_is_written_over[8] LINE;
	long third_symbol_that_is_written_over[8] LINE, fourth_symbol_that_is_written_over[8] LINE;
	#define a first_symbol_that_is_written_over
	#define b second_symbol_that_is_written_over
	#define c third_symbol_that_is_written_over
	#define d fourth_symbol_that_is_written_over
	static void *work(void *arg)
	{
		for (long i = 0; i < 3000; i++) {
			__atomic_add_fetch(&a[0], 1, __ATOMIC_RELAXED);
			__atomic_add_fetch(&b[(long)arg], 1, __ATOMIC_RELAXED);
			__atomic_add_fetch(&c[4], 1, __ATOMIC_RELAXED);
			__atomic_add_fetch(&d[0], 1, __ATOMIC_RELAXED);
		}
		return 0;
	}
	int main(void)
	{
		pthread_t t[4];
		for (long i = 0; i < 4; i++)
			pthread_create(&t[i], 0, work, (void *)i);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], 0);
	}
END
cc -O1 -pthread -o "$tmp/names" "$tmp/hostile.c" || exit 1
python3 - "$tmp/names" <<-'END' || exit 1
	import sys
	data = open(sys.argv[1], 'rb').read()
	for old, new in ((b'first_symbol_that_is_written_over', b'<script>alert(1)</script>'),
	                 (b'second_symbol_that_is_written_over', b"'> <img src=x onerror=alert(1)>"),
	                 (b'third_symbol_that_is_written_over', b']]></style></script><b>&amp;|`x`'),
	                 (b'fourth_symbol_that_is_written_over', b"=cmd|' /C calc'!A0;frame,1 \x01\xff")):
	    assert data.count(old) >= 1, old
	    data = data.replace(old, new.ljust(len(old), b'_'))
	open(sys.argv[1], 'wb').write(data)
END

record() { # NAME COMMAND...
	local name=$1
	shift
	"$hitmap" record -q -o "$tmp/$name" -- "$@" >"$tmp/out" 2>&1 || wrong "$name: $(cat "$tmp/out")"
}
record hostile "$tmp/names"
record hostile2 "$tmp/names"
record before "$hitmap" bench signal --before --ops 100
record after "$hitmap" bench signal --after --ops 100
python3 tests/oracle/gen_perfdata.py --build-target "$tmp" >/dev/null || exit 1
for i in 1 2; do
	python3 tests/oracle/gen_perfdata.py --target "$tmp/target" -o "$tmp/intel$i" -n 20000 --lines 40 --seed $i \
		2>/dev/null || exit 1
done
python3 tests/oracle/gen_perfdata.py --target "$tmp/target" -o "$tmp/arm" -n 8000 --lines 20 \
	--mix l1=40,lpeer=5,rpeer=3,st_na=30 2>/dev/null || exit 1

check() { # WHAT report|diff|align ARGUMENTS...
	local what=$1 kind=$2
	shift 2
	for format in html json csv folded markdown; do
		# A layout has no stacks.
		[ "$kind $format" = "align folded" ] && { echo "a;b 1" >"$tmp/out.folded"; continue; }
		"$hitmap" "$kind" --format $format -o "$tmp/out.$format" "$@" || wrong "$what: $kind as $format fails"
		[ -s "$tmp/out.$format" ] || wrong "$what: $kind as $format is empty"
	done
	python3 tests/oracle/check_html.py "$kind" "$tmp"/out.{html,json,csv} >"$tmp/log" 2>&1 ||
		wrong "$what: $(head -5 "$tmp/log")"
	local stacks='^[^;]+(;[^;]+)* [0-9]+( [0-9]+)?$'
	grep -vqE "$stacks" "$tmp/out.folded" && wrong "$what: no stack: $(grep -vE "$stacks" "$tmp/out.folded" | head -1)"
	awk -F'[^\\\\][|]' '/^[|]/ { if (n && NF != n) exit 1; n = NF } !/^[|]/ { n = 0 }' "$tmp/out.markdown" ||
		wrong "$what: the rows of a table in Markdown are not equally long"
	grep -q '<' "$tmp/out.markdown" && wrong "$what: markup in Markdown: $(grep -m1 '<' "$tmp/out.markdown")"
	return 0
}
check "hostile names" report -i "$tmp/hostile"
for name in '<script>alert(1)</script>' "onerror=alert(1)" ']]></style>' '=cmd|'; do
	jq -r '.lines[].name' "$tmp/out.json" | grep -qF -- "$name" || wrong "no line is named $name: the test tests nothing"
done
grep -qE '(^|,)"?=' "$tmp/out.csv" && wrong "a formula in CSV: $(grep -m1 -oE '(^|,)"?=[^,]*' "$tmp/out.csv")"
check "hostile names" diff "$tmp/hostile" "$tmp/hostile2"
check "the model" report -i "$tmp/before"
check "the model, all" report --all -i "$tmp/before"
check "the model" diff "$tmp/before" "$tmp/after"
check "the model, all" diff --all "$tmp/before" "$tmp/after"
check "the model" align "$tmp/before"
check "the model" align "$tmp/before" "$tmp/after"
check "hostile names" align "$tmp/hostile"
check "hostile names" align "$tmp/hostile" "$tmp/hostile2"
check "kernels" align tests/fixtures/btf/debian-6.1.btf tests/fixtures/btf/debian-6.12.btf
check "perf" report -i "$tmp/intel1"
check "perf" diff "$tmp/intel1" "$tmp/intel2"
check "peers" report -i "$tmp/arm"
exit $fail
