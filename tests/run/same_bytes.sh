#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One recording gives the same bytes whatever the number of CPUs and whichever thread comes first.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
gen=tests/oracle/gen_perfdata.py
fail=0
all=0-$(($(nproc --all) - 1))

python3 $gen --build-target "$tmp" >/dev/null || exit 1

same() { # NAME: the report in $tmp/out is that in $tmp/first
	cmp "$tmp/first" "$tmp/out" >/dev/null && return
	echo "$1: differs from the first report:"
	diff "$tmp/first" "$tmp/out" | head -5
	fail=1
}

check() { # NAME FORMAT
	"$hitmap" report -i "$tmp/data" --all --format "$2" >"$tmp/first" || fail=1
	[ -s "$tmp/first" ] || { echo "$1 $2: the report is empty"; fail=1; }
	for cpus in 0 "$all" "$all"; do
		taskset -c "$cpus" "$hitmap" report -i "$tmp/data" --all --format "$2" >"$tmp/out" || fail=1
		same "$1 $2 on CPU $cpus"
	done
}

while read -r name options; do
	# shellcheck disable=SC2086
	python3 $gen --target "$tmp/target" -o "$tmp/data" $options 2>/dev/null || fail=1
	check "$name" json
	check "$name" text
done <<-END
	few -n 100000 --lines 40
	many -n 100000 --lines 60000
	rounds -n 50000 --lines 300 --round 700
	physical -n 30000 --lines 200 --phys
END
exit $fail
