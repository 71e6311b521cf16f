#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# callers.sh [BUILD]: of a recording with call chains (-g) is told who called the code, in every format, and
# perf reads the same names from the same file.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0

wrong() {
	echo "$1: is"
	echo "$2"
	echo "not"
	echo "$3"
	fail=1
}

gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -g -o "$tmp/calls" tests/programs/callers.c || exit 1
"$tmp/calls" | sort -s -k1,1 >"$tmp/text" || exit 1
python3 tests/oracle/of_text.py "$tmp/data" <"$tmp/text" || exit 1

want='writer_path < work 600 180000
reader_path < work 200 60000'
got=$("$hitmap" report -i "$tmp/data" -f json |
	jq -r '.lines[0].cells[].code[].callers[] | "\(.stack | join(" < ")) \(.hitm) \(.latency_sum)"')
[ "$got" = "$want" ] || wrong "the JSON" "$got" "$want"

want='75 % from writer_path < work
25 % from reader_path < work'
got=$("$hitmap" report -i "$tmp/data" | sed -n 's/^ *\([0-9]* % from \)/\1/p')
[ "$got" = "$want" ] || wrong "the text" "$got" "$want"

want='touch;writer_path;work 180000
touch;reader_path;work 60000'
got=$("$hitmap" report -i "$tmp/data" -f folded | cut -d';' -f3-)
[ "$got" = "$want" ] || wrong "folded" "$got" "$want"

# perf's lines: comm pid: then the chain, an address and a symbol a line.
if command -v perf >/dev/null; then
	want='touch_here < writer_path < work 600
touch_here < reader_path < work 200'
	got=$(perf script -i "$tmp/data" -F ip,sym 2>/dev/null | awk '
		NF { chain = chain (chain ? " < " : "") $2; next }
		chain { n[chain]++; chain = "" }
		END { if (chain) n[chain]++; for (c in n) print c, n[c] }')
	[ "$(sort <<<"$got")" = "$(sort <<<"$want")" ] || wrong "what perf reads" "$got" "$want"
fi
exit $fail
