#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# diff.sh [BUILD]: what "hitmap diff" says of programs whose change is known, in text and JSON, and what
# --fail-on makes of it.
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

is() { # WHAT GOT EXPECTED
	[ "$2" = "$3" ] || wrong "$1: $2, not $3"
}

record() { # NAME COMMAND...
	local name=$1
	shift
	"$hitmap" record -q -o "$tmp/$name" -- "$@" >"$tmp/out" 2>&1 || wrong "$name: $(cat "$tmp/out")"
}

cc -O2 -g -pthread -o "$tmp/19" tests/cases/19_lock_offset_shift.c || exit 1
# With many threads the fall of the whole is large beside what runs differ by.
record before "$hitmap" bench signal --before --threads 64 --ops 50
record after "$hitmap" bench signal --after --threads 64 --ops 50
for i in 1 2 3; do
	record before$i "$hitmap" bench signal --before --ops 100
	record after$i "$hitmap" bench signal --after --ops 100
done
record upper "$hitmap" bench signal --before --base 32 --ops 100
record futex_before "$hitmap" bench futex --before --ops 50
record futex_after "$hitmap" bench futex --after --ops 50
# Its two threads hardly meet when a busy host runs one after the other: then there is nothing to compare.
for at in 120 128; do
	for _ in 1 2 3 4 5 6; do
		record lock$at "$tmp/19" 20000 $at
		hitm=$("$hitmap" report -i "$tmp/lock$at" --format json | jq '.recording.hitm | add')
		[ "$hitm" -gt 5000 ] && break
	done
done

diff_json() { # DIFF-ARGUMENTS...
	"$hitmap" diff --format json "$@" >"$tmp/json" || wrong "diff $* as JSON fails"
	"$hitmap" diff --ascii "$@" >"$tmp/text" || wrong "diff $* fails" # of awk's some count bytes
	awk 'length > 100 { print "wider than 100 columns: " $0; bad = 1 } END { exit bad }' "$tmp/text" || fail=1
}

word() { # OBJECT [FIELD]
	if [ $# = 1 ]; then
		jq -r --arg o "$1" '.objects[] | select(.object == $o) | .word' "$tmp/json"
	else
		jq -r --arg o "$1" --arg f "$2" \
			'.objects[] | select(.object == $o) | .fields[] | select(.field == $f) | .word' "$tmp/json"
	fi
}

# ---- Signals: the count of users is not written any more
diff_json "$tmp/before" "$tmp/after"
is "signal: __count" "$(word root_user __count)" gone
is "signal: sigpending" "$(word root_user sigpending)" same
is "signal: all HITM fall, beyond noise" "$(jq '.total.significant and .total.ratio < 0.95' "$tmp/json")" true

# With few threads the next field of the line takes the pain over.
diff_json "$tmp/before1" "$tmp/after1"
grep -A1 '^pain that went' "$tmp/text" | grep -q 'root_user.__count' || wrong "__count is not what went: $(cat "$tmp/text")"
grep -A1 '^pain that came' "$tmp/text" | grep -q 'root_user.sigpending' || wrong "what sigpending took over is not told"

# Stacks and what the C library keeps differ from run to run by more than sampling does: scheduling.
named='.objects[] | select(.object | startswith("[") | not)'

# ---- Another base: the same contention in the other half
diff_json "$tmp/before1" "$tmp/upper"
is "base 32: root_user" "$(word root_user)" moved
is "base 32: its story" "$(jq -r '.objects[0].story' "$tmp/json")" \
	"moved: lower to upper half; same fields, no new contender"
is "base 32: sigpending" "$(jq -r '.objects[0].fields[] | select(.field == "sigpending") | .story' "$tmp/json")" \
	"moved: +8 lower -> +40 upper"
is "base 32: nothing is new or gone" \
	"$(jq "[$named | ., .fields[] | select(.word == \"new\" or .word == \"gone\")] | length" "$tmp/json")" 0

# ---- The same twice
diff_json "$tmp/before1" "$tmp/before2"
is "the same program: significant rows" "$(jq "[.total, ($named | ., .fields[]) | select(.significant)] | length" "$tmp/json")" 0
diff_json "$tmp/before1" "$tmp/before1"
is "one recording against itself: ratios" "$(jq '[.objects[].fields[] | .ratio | values | select(. != 1)] | length' "$tmp/json")" 0

# ---- Futexes: the page's lock is not taken any more, the bucket stays
diff_json "$tmp/futex_before" "$tmp/futex_after"
is "futex: flags of the page" "$(word 'page of the futexes' flags)" gone
is "futex: the buckets" "$(word futex_queues)" same

# ---- A lock whose words come to lie in one line
diff_json "$tmp/lock120" "$tmp/lock128"
is "lock at 128" "$(word mm)" merged
is "lock at 128: with whom" "$(jq -r '.objects[0].fields[0].story' "$tmp/json")" "merged: shares a line with [128] now"
diff_json "$tmp/lock128" "$tmp/lock120"
is "lock at 120" "$(word mm)" split

# ---- Several recordings a side
diff_json "$tmp"/before{1,2,3} -- "$tmp"/after{1,2,3}
is "three recordings a side" "$(jq -r '"\(.runs_before) \(.runs_after)"' "$tmp/json")" "3 3"
grep -q 'noise is that between the recordings' "$tmp/text" || wrong "the noise is not that between recordings"
is "three recordings a side: __count" "$(word root_user __count)" gone

# ---- Thresholds and errors
status() { # EXPECTED WORDS DIFF-ARGUMENTS...
	local expected=$1 words=$2 got
	shift 2
	"$hitmap" diff "$@" >"$tmp/out" 2>&1
	got=$?
	is "diff $*: exit status" $got "$expected"
	grep -q -- "$words" "$tmp/out" || wrong "diff $*: does not say \"$words\": $(tail -3 "$tmp/out")"
}
status 0 'HITM per operation' --fail-on 'hitm_per_op > +10%' "$tmp/before1" "$tmp/before2"
status 0 'HITM per operation' --fail-on 'hitm_per_op > +10%' "$tmp/before" "$tmp/after"
status 4 'hitm_per_op > +3%' --fail-on 'hitm_per_op > +3%' "$tmp/after" "$tmp/before"
status 4 'field:root_user.sigpending' --fail-on 'hitm > 99, field:root_user.sigpending hitm > +20%' "$tmp/before1" "$tmp/after1"
status 1 'cannot be judged' --fail-on 'hitm_per_op > +10%' "$tmp/lock120" "$tmp/lock128"
status 2 'column 13' --fail-on 'hitm_per_op ! 3' "$tmp/before" "$tmp/after"
status 2 'takes two recordings' "$tmp/before"
status 2 'takes two recordings' "$tmp/before" "$tmp/after" "$tmp/after2"
status 2 'takes two recordings' "$tmp/before" --
status 2 'xml is not known' --format xml "$tmp/before" "$tmp/after"
status 1 'No such file' "$tmp/before" "$tmp/nothing"
exit $fail
