#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# buckets.sh [BUILD]: hitmap report --by bucket: contended buckets by number, hot field and half; futexes that
# meet in a bucket, of a process's own table and of the global one, where an own jhash2 puts them.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0

# A kernel of two functions, one of which reads futexes.
cat >"$tmp/System.map" <<'END'
ffffffff81000000 T _text
ffffffff81001000 T futex_wait_setup
ffffffff81002000 T copy_to_user
ffffffff82000000 D _edata
END

python3 tests/oracle/futexes.py "$tmp/want" >"$tmp/text" && python3 tests/oracle/of_text.py "$tmp/data" <"$tmp/text" || exit 1
report() {
	"$hitmap" report -i "$tmp/data" --by bucket --system-map "$tmp/System.map" "$@"
}

report --format json >"$tmp/json" || fail=1
jq -r '.buckets as $b | "futexes \($b.futexes) unplaced \($b.futexes_unplaced)",
	($b.rows | sort_by(.table, .bucket)[] |
	"\(.table) \(.bucket) +\(.offset) \(.half): \(.cause // "-"): \([.futexes[] | "\(.pid) \(.address) \(.name // "-")"] |
	sort | join(", "))")' "$tmp/json" >"$tmp/got"
sort "$tmp/want" | diff - <(sort "$tmp/got") || { echo "expected <, is >"; fail=1; }

# Text has the map, and keeps to its width.
report --all >"$tmp/out" || fail=1
grep -q '^1: futex_hash_bucket of pid 10 (one): 2 of 16 buckets contended' "$tmp/out" || { echo "no map: $(cat "$tmp/out")"; fail=1; }
grep -q 'hash collision 2: queue+8, ' "$tmp/out" || { echo "no collision: $(cat "$tmp/out")"; fail=1; }
[ "$(LC_ALL=C.UTF-8 wc -L <"$tmp/out")" -le 100 ] || { echo "wider than 100 columns:"; cat "$tmp/out"; fail=1; }
for bad in "--format csv" "--c2c-compat"; do
	# shellcheck disable=SC2086
	report $bad >"$tmp/out" 2>&1 && { echo "--by bucket $bad is taken"; fail=1; }
done
# A recording without such tables says so.
printf '%s\n' 'comm 10 one' 'comm 11 two' 'sample 10 0x401000 0x602000' 'sample 11 0x401000 0x602000' |
	python3 tests/oracle/of_text.py "$tmp/data" || exit 1
report >"$tmp/out" || fail=1
grep -q 'no contended line is of a table of futexes' "$tmp/out" || { echo "without tables: $(cat "$tmp/out")"; fail=1; }
exit $fail
