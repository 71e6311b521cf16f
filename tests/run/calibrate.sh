#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# calibrate.sh [BUILD]: two measurements of this machine agree within the spread they print, or one of them says
# that the host is too noisy; the machine file is one that the model takes; mistakes are told.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0

wrong() {
	echo "$*"
	fail=1
}
expect() { # STATUS PATTERN COMMAND...
	local status=$1 pattern=$2 got
	shift 2
	got=$("$@" 2>&1)
	[ $? = "$status" ] && grep -q -- "$pattern" <<<"$got" || wrong "$*: not exit status $status and \"$pattern\": $got"
}

cpus=$(nproc)
if [ "$cpus" -ge 2 ]; then
	expect 3 'only 1 CPU can be used' taskset -c "$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')" "$hitmap" calibrate
else
	expect 3 'only 1 CPU can be used' "$hitmap" calibrate
	echo "one CPU: nothing was measured"
	[ $fail = 0 ] && exit 77
	exit 1
fi
expect 2 'no options' "$hitmap" calibrate stray
expect 1 'nowhere' "$hitmap" calibrate --seconds 1 -o "$tmp/nowhere/file"

"$hitmap" calibrate --seconds 2 --json >"$tmp/first" || wrong "the first measurement failed"
"$hitmap" calibrate --seconds 2 --json >"$tmp/second" || wrong "the second measurement failed"
# Each class: the median of either run is within the other's percentiles, these being no narrower than a tenth.
apart=$(jq -n --slurpfile a "$tmp/first" --slurpfile b "$tmp/second" '
	def within($x; $y): $x.typical >= $y.low * 0.9 and $x.typical <= $y.high * 1.1;
	[$a[0].classes[] as $p | $b[0].classes[] as $q | select($p.class == $q.class) |
		("hitm_ns", "upgrade_ns", "cas_ns", "hold_operations") |
		select($p[.] and $q[.] and (within($p[.]; $q[.]) or within($q[.]; $p[.]) | not)) |
		"\($p.class) \(.): \($p[.] | [.low, .typical, .high]) and \($q[.] | [.low, .typical, .high])"]')
noisy=$(jq -s 'any(.[]; .noisy)' "$tmp/first" "$tmp/second")
[ "$(jq length <<<"$apart")" = 0 ] || [ "$noisy" = true ] || wrong "two measurements differ: $apart"
jq -e '.cpus >= 2 and .mhz > 100 and (.pairs | length) >= 1 and (.shared_counter | length) >= 2 and
	(.classes[0].hitm_ns | .low <= .typical and .typical <= .high and .low > 0)' "$tmp/first" >/dev/null ||
	wrong "the JSON lacks something: $(head -c 600 "$tmp/first")"

"$hitmap" calibrate --seconds 2 -o "$tmp/machine.conf" >"$tmp/text" 2>"$tmp/err" || wrong "no machine file"
long=$(awk 'length > 100' "$tmp/text" "$tmp/machine.conf" | head -1)
[ -z "$long" ] || wrong "wider than 100 columns: $long"
grep -q 'hold: operations until the line is lost' "$tmp/text" || wrong "the text tells no hold: $(cat "$tmp/text")"
if command -v qemu-x86_64 >/dev/null || [ -x deps/qemu/bin/qemu-x86_64 ]; then
	"$hitmap" record -q -M "$tmp/machine.conf" -o "$tmp/data" -- "$hitmap" bench signal --before --ops 500 --threads 2 \
		>"$tmp/out" 2>&1 || wrong "the model does not take the machine file: $(cat "$tmp/out")"
	"$hitmap" report -i "$tmp/data" | grep -q sigpending || wrong "nothing was recorded on that machine"
fi
note=$(jq -r '.classes[0] | "\(.class): load of a modified line \(.hitm_ns.typical | floor) ns, hold \(.hold_operations.typical)"' "$tmp/first")
[ "$noisy" = true ] && note="$note; too noisy to be compared"
echo "note: $note"
exit $fail
