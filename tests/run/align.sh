#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# align.sh [BUILD]: what "hitmap align" says of programs whose layout is known: what another base or a
# change of the layout would cost, and what of the layout changed between two recordings.
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

record() { # NAME COMMAND...
	local name=$1
	shift
	"$hitmap" record -q -o "$tmp/$name" -- "$@" >"$tmp/out" 2>&1 || wrong "$name: $(cat "$tmp/out")"
}

is() { # WHAT GOT EXPECTED
	[ "$2" = "$3" ] || wrong "$1: $2, not $3"
}

for p in 01_adjacent_counters 17_true_shared_counter 19_lock_offset_shift; do
	cc -O2 -g -pthread -o "$tmp/${p%%_*}" "tests/cases/$p.c" || exit 1
done
record false "$tmp/01" 20000
record true "$tmp/17" 20000
# On a busy host the two threads of the lock now and then hardly meet.
for offset in 120 128; do
	for _ in 1 2 3 4 5 6; do
		record lock$offset "$tmp/19" 20000 $offset
		met=$("$hitmap" report -i "$tmp/lock$offset" --format json --all | jq '[.lines[].hitm | add] | add')
		[ "${met:-0}" -lt 1000 ] || break
	done
done
for base in 0 32; do
	record "base$base" "$hitmap" bench signal --before --base $base --ops 200
done

# ---- One recording: what if
"$hitmap" align --format json "$tmp/false" >"$tmp/json" || wrong "align of a recording fails"
is "two counters in a line" "$(jq -r '.objects[0].object' "$tmp/json")" hits
is "they part at base 56" "$(jq -r '[.objects[0].bases[] | select(.hitm < 100) | .base] | join(" ")' "$tmp/json")" 56
is "the recorded base costs what was recorded" \
	"$(jq '.objects[0] as $o | $o.bases[] | select(.base == $o.base) | (.hitm - $o.hitm) | fabs < 0.5' "$tmp/json")" true
is "the best change ends it" "$(jq '.objects[0].changes[0].hitm < .objects[0].hitm / 100' "$tmp/json")" true
is "and says its price" "$(jq '.objects[0].changes[0].bytes' "$tmp/json")" 112
"$hitmap" align "$tmp/false" >"$tmp/text" || wrong "align as text fails"
grep -q 'b and what follows on a new line .*-100 %  +112 bytes' "$tmp/text" || wrong "no change is offered: $(cat "$tmp/text")"
"$hitmap" align --object s "$tmp/true" >"$tmp/text" 2>&1 || wrong "--object: $(cat "$tmp/text")"
grep -q 'no move, padding or alignment of one member helps' "$tmp/text" || wrong "true sharing is offered a cure: $(cat "$tmp/text")"
"$hitmap" align --sensitivity "$tmp/base0" >"$tmp/text" || wrong "--sensitivity fails"
grep -q '^root_user .* +0 ' "$tmp/text" || wrong "--sensitivity does not list root_user: $(cat "$tmp/text")"

# ---- Two recordings: what changed
said() { # BEFORE AFTER DIAGNOSIS OBJECT
	"$hitmap" align --format json "$tmp/$1" "$tmp/$2" >"$tmp/json" || wrong "align $1 $2 fails"
	is "$1 -> $2" "$(jq -r '.diagnosis' "$tmp/json")" "$3"
	[ -z "${4:-}" ] || is "$1 -> $2" "$(jq -r '.object' "$tmp/json")" "$4"
	"$hitmap" align "$tmp/$1" "$tmp/$2" >"$tmp/text" || wrong "align $1 $2 as text fails"
	awk 'length > 100 { print "wider than 100 columns: " $0; bad = 1 } END { exit bad }' "$tmp/text" || fail=1
}
said lock120 lock128 merged mm
said lock128 lock120 split mm
said base0 base32 object_moved root_user
grep -q '__count  *+0 lower  *+32 upper' "$tmp/text" || wrong "the move to the upper half is not told: $(cat "$tmp/text")"
grep -q 'did not change beyond noise' "$tmp/text" || wrong "a move is taken for more contention: $(cat "$tmp/text")"
said base0 base0 nothing

# ---- Errors
status() { # EXPECTED WORDS COMMAND...
	local expected=$1 words=$2 got
	shift 2
	"$hitmap" align "$@" >"$tmp/out" 2>&1
	got=$?
	is "align $*: exit status" $got "$expected"
	grep -q -- "$words" "$tmp/out" || wrong "align $*: does not say \"$words\": $(cat "$tmp/out")"
}
status 2 'one recording or two files, not 0'
status 2 'no format "xml"' --format xml "$tmp/false"
status 2 'no power of two' --step 3 "$tmp/false"
status 1 'no contended object or type "nobody"' --object nobody "$tmp/false"
status 1 'No such file' "$tmp/nothing"
exit $fail
