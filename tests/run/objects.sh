#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# hitmap objects on the running kernel: a second reading agrees, and the instances are the users of the
# running tasks. Without permission it says so and exits 3.
set -u
cd "$(dirname "$0")/../.."
hitmap=${1:-build}/hitmap
tmp=$(mktemp -d)
# The processes that this test started, to be ended with it.
started=
trap 'kill $started 2>/dev/null; rm -rf "$tmp"' EXIT
fail=0

say() {
	echo "$*"
	fail=1
}

# ---- Usage and refusals, which every machine has
"$hitmap" objects --kcore /nonexistent 2>"$tmp/err"
[ $? = 1 ] || say "a core file that is not there: not exit status 1"
grep -q 'cannot read /nonexistent' "$tmp/err" || say "a core file that is not there is told as: $(cat "$tmp/err")"
"$hitmap" objects --target nosuch >"$tmp/out" 2>&1 && say "a target that is not there is taken"
"$hitmap" objects extra 2>/dev/null
[ $? = 2 ] || say "an argument that is no option: not exit status 2"

if ! "$hitmap" objects --json >"$tmp/first.json" 2>"$tmp/err"; then
	[ $fail = 0 ] || exit 1
	cat "$tmp/err"
	exit 77
fi

if command -v setpriv >/dev/null && [ "$(id -u)" = 0 ]; then
	cp "$hitmap" "$tmp/hitmap"
	chmod 755 "$tmp" "$tmp/hitmap"
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$tmp/hitmap" objects 2>"$tmp/err"
	[ $? = 3 ] || say "without permission: not exit status 3"
	grep -q 'run as root' "$tmp/err" || say "without permission the next step is not told: $(cat "$tmp/err")"
fi

# ---- A user of our own, and the users of all tasks, read before and after
users() {
	cat /proc/[0-9]*/task/*/status 2>/dev/null | awk '/^Uid:/ { print $2 }' | sort -un
}
if command -v setpriv >/dev/null && [ "$(id -u)" = 0 ]; then
	setpriv --reuid 54321 --clear-groups sleep 60 &
	started=$!
	for i in $(seq 100); do
		[ "$(awk '/^Uid:/ { print $2 }' /proc/$started/status)" = 54321 ] && break
		sleep 0.02
	done
fi
users >"$tmp/before"
"$hitmap" objects --json >"$tmp/first.json" || say "the first reading failed"
"$hitmap" objects --json >"$tmp/second.json" || say "the second reading failed"
users >"$tmp/after"

jq -r '.objects[] | select(.kind == "user_struct") | .instance | ltrimstr("uid ")' "$tmp/first.json" |
	sort -un >"$tmp/found"
# Users that came or went meanwhile are left out.
comm -12 <(sort "$tmp/before") <(sort "$tmp/after") >"$tmp/stayed"
sort -u "$tmp/before" "$tmp/after" >"$tmp/any"
missing=$(comm -23 "$tmp/stayed" <(sort "$tmp/found"))
extra=$(comm -13 "$tmp/any" <(sort "$tmp/found"))
[ -z "$missing" ] || say "users of tasks without a user_struct:" $missing
[ -z "$extra" ] || say "user_structs of no task's user:" $extra
if [ -n "$started" ]; then
	grep -qx 54321 "$tmp/found" || say "our own user 54321 is not among:" $(cat "$tmp/found")
	n=$(jq '[.objects[] | select(.kind == "ucounts" and (.instance | startswith("uid 54321 ")))] | length' "$tmp/first.json")
	[ "$n" = 1 ] || say "ucounts of user 54321: $n, not 1"
fi

# ---- The same objects at the same addresses, of those whose owners live on
addresses() {
	jq -r '.objects[] | select(.kind == "user_struct" or .kind == "ucounts") | "\(.kind) \(.instance) \(.address)"' "$1" | sort
}
addresses "$tmp/first.json" >"$tmp/a"
addresses "$tmp/second.json" >"$tmp/b"
[ -s "$tmp/a" ] || say "no user_struct and no ucounts are found"
cmp -s "$tmp/a" "$tmp/b" || { say "two readings differ:"; diff "$tmp/a" "$tmp/b"; }

# ---- What is said of each field follows from its address
bad=$(python3 - "$tmp/first.json" <<'EOF'
import json, sys
r = json.load(open(sys.argv[1]))
n = 0
for o in r["objects"]:
    base = int(o["address"], 16)
    for f in o["fields"]:
        n += 1
        at = int(f["address"], 16)
        want = (base + f["offset"], at // 64 - base // 64, "upper" if at & 32 else "lower",
                at // 64 != (at + f["size"] - 1) // 64)
        got = (at, f["line"], f["half"], f["straddles"])
        if want != got:
            print(o["instance"], f["path"], want, got)
if not n:
    print("no fields at all")
EOF
)
[ -z "$bad" ] || say "fields: $bad"

# ---- Text: the same facts, at most 100 columns
"$hitmap" objects --target signal >"$tmp/text" || say "--target signal failed"
wide=$(awk 'length > 100' "$tmp/text" | head -1)
[ -z "$wide" ] || say "wider than 100 columns: $wide"
grep -q '^ucounts: ' "$tmp/text" || say "--target signal shows no ucounts"
grep -q '^mm_struct: ' "$tmp/text" && say "--target signal shows mm_struct"
# ---- A recording knows the objects of its own program, which began after it
"$hitmap" record -q -e cpu-clock -o "$tmp/data" -- sleep 1.5 2>"$tmp/err" || say "record: $(cat "$tmp/err")"
grep -aq '"struct mm_struct", "name": "mm_struct of pid [0-9]* (sleep)"' "$tmp/data" || say "no mm_struct of the program is in its recording"

echo "note: $(jq '.objects | length' "$tmp/first.json") objects, users: $(paste -sd' ' "$tmp/found")"
exit $fail
