#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The text and the JSON of one recording have the same numbers: generated recordings of several kinds.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
gen=tests/oracle/gen_perfdata.py
fail=0

python3 $gen --build-target "$tmp" >/dev/null || exit 1

agree() { # NAME REPORT-OPTIONS...
	local name=$1
	shift
	"$hitmap" report -i "$tmp/data" --ascii "$@" >"$tmp/text" &&
		"$hitmap" report -i "$tmp/data" --format json "$@" >"$tmp/json" &&
		python3 tests/oracle/check_report.py "$tmp/text" "$tmp/json" >"$tmp/log" ||
		{ echo "$name $*:"; head -5 "$tmp/log"; fail=1; }
	if [ "$(awk 'length > 100' "$tmp/text")" ]; then
		echo "$name $*: lines of more than 100 columns:"
		awk 'length > 100' "$tmp/text" | head -3
		fail=1
	fi
}

while read -r name options; do
	# shellcheck disable=SC2086
	python3 $gen --target "$tmp/target" -o "$tmp/data" $options 2>/dev/null || fail=1
	agree "$name"
	agree "$name" --top 3
	agree "$name" --all
done <<-END
	intel -n 30000 --lines 40 --skew 1.1
	skylake -n 20000 --lines 300 --mix l1=40,rhitm_skx=5,rfwd_skx=3,lhitm=9,st_l1=30 --nodes 2
	arm -n 8000 --lines 20 --mix l1=40,lpeer=5,rpeer=3,st_na=30
	loads -n 8000 --lines 20 --mix l1=40,lhitm=5
	stores -n 8000 --lines 20 --mix st_l1=40
	useless -n 9000 --lines 9 --mix l1=40,lhitm=5,st_l1=4,bad=100
	kernel -n 20000 --lines 200 --kernel-lines 0.3 --unmapped-lines 0.2
END

# A recording of the model has figures that others lack.
if "$hitmap" record -q -o "$tmp/data" -- "$hitmap" bench signal --before --threads 4 --ops 50 \
	>/dev/null 2>"$tmp/log"; then
	agree model
	agree model --all
else
	echo "note: no model: $(head -1 "$tmp/log")"
fi
exit $fail
