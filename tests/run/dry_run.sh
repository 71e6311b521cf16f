#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# hitmap record --dry-run on each machine of tests/fixtures/sysfs says what tests/expected/dry_run
# has, in at most 100 columns; exit statuses and errors. Argument: the build directory. With UPDATE=1
# what it says becomes what is expected.
set -u
hitmap=$(realpath "${1:-build}")/hitmap
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# say NAME MACHINE OPTIONS...: the output is as expected/dry_run/NAME.txt, the exit status in it.
say() {
	local name=$1 machine=$2 expected=expected/dry_run/$1.txt wide
	shift 2
	"$hitmap" record --dry-run --sysroot "$tmp/$machine" "$@" >"$tmp/out" 2>&1 </dev/null
	echo "exit status $?" >>"$tmp/out"
	# Errors are a line each; plans keep to the width of a page.
	wide=$(grep -v '^hitmap: \|^  next: ' "$tmp/out" | awk 'length > 100' | head -1)
	[ -z "$wide" ] || { echo "$name: wider than 100 columns: $wide"; failed=1; }
	[ -z "${UPDATE:-}" ] || cp "$tmp/out" "$expected"
	diff -u "$expected" "$tmp/out" || { echo "$name differs"; failed=1; }
}

for description in fixtures/sysfs/*; do
	machine=$(basename "$description")
	fixtures/make_sysfs.sh "$description" "$tmp/$machine" || exit 1
	say "$machine" "$machine" -v
done
for expected in expected/dry_run/*.txt; do
	grep -q "^say $(basename "$expected" .txt) " "run/dry_run.sh" ||
		[ -e "fixtures/sysfs/$(basename "$expected" .txt)" ] ||
		{ echo "$expected is of no machine"; failed=1; }
done

say vm_pebs vm --source pebs
say container_auto container
say nehalem_spe nehalem --source spe
say skylake_hitm skylake_sp --hitm -F 997 --ldlat 64 -a
say zen4_terms zen4 --pmu-terms l3missonly=1,cnt_ctl=1 -c 100003
say zen4_ldlat zen4 --ldlat 128
say zen5_ldlat zen5 --ldlat 256
say v2_ldlat neoverse_v2 --ldlat 32 --pmu-terms jitter=0
say power_ldlat power9 --ldlat 30
say wrong_term coffeelake --pmu-terms colour=1
say both_rates coffeelake -F 100 -c 100
say both_sides coffeelake --all-user --all-kernel
say model coffeelake --source model

# On this machine, whatever it is, and with hostile trees: an answer, no crash.
"$hitmap" record --dry-run -v >"$tmp/out" 2>&1 || { echo "--dry-run fails here:"; cat "$tmp/out"; failed=1; }
[ -s "$tmp/out" ] || { echo "--dry-run says nothing here"; failed=1; }
"$hitmap" record --sysroot "$tmp/vm" -- true >"$tmp/out" 2>&1
[ $? = 2 ] || { echo "--sysroot without --dry-run was taken"; failed=1; }

# survives WHAT: an answer within the exit statuses that there are, and no complaint of a sanitizer.
survives() {
	local status
	"$hitmap" record --dry-run -v --sysroot "$tmp/skylake_sp" >"$tmp/out" 2>&1
	status=$?
	[ $status -le 3 ] && ! grep -q 'Sanitizer\|runtime error' "$tmp/out" && return
	echo "exit status $status with $1:"
	tail -5 "$tmp/out"
	failed=1
}

devices=$tmp/skylake_sp/sys/bus/event_source/devices/cpu
for file in "$devices"/type "$devices"/format/* "$devices"/events/* "$devices"/caps/*; do
	cp "$file" "$tmp/kept"
	for text in '' ',' '=' 'event=' 'config:' 'config:0-999999' '-1' '99999999999999999999' '%n%s'; do
		printf '%s' "$text" >"$file"
		survives "\"$text\" in $file"
	done
	head -c 300 /dev/urandom >"$file"
	survives "random bytes in $file"
	cp "$tmp/kept" "$file"
done
exit $failed
