#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Builds everything and runs the tests: check.sh [long]. A test prints what went wrong and exits 0, 77
# (skipped, with the reason on its last line) or anything else (failed).
set -u
cd "$(dirname "$0")/.."
passed=0 failed=0 skipped=0
jobs=$(nproc)
logs=build/logs
mkdir -p $logs

build() {
	if ! make --no-print-directory -j"$jobs" "$@" >$logs/build 2>&1; then
		grep -E 'error|warning|Error' $logs/build | head -20
		echo "check: make $* failed"
		echo "0 passed, 1 failed, 0 skipped"
		exit 1
	fi
}

run() { # NAME COMMAND...
	local name=$1 log start=$SECONDS
	shift
	log=$logs/${name//\//_}
	if "$@" >"$log" 2>&1 </dev/null; then
		passed=$((passed + 1))
		echo "ok      $name ($((SECONDS - start)) s)$(sed -n 's/^note: /: /p' "$log" | head -1)"
	elif [ $? = 77 ]; then
		skipped=$((skipped + 1))
		echo "skipped $name: $(tail -n 1 "$log")"
	else
		failed=$((failed + 1))
		echo "FAILED  $name"
		tail -n 25 "$log" | sed 's/^/	/'
	fi
}

build WERROR=1 tests
for t in build/tests/test_*; do
	[ -x "$t" ] && run "$(basename "$t")" "$t"
done
for t in tests/run/*.sh; do
	run "$(basename "$t" .sh)" bash "$t" build
done
build WERROR=1 ASAN=1 tests
for t in build-asan/tests/test_*; do
	[ -x "$t" ] && run "asan/$(basename "$t")" "$t"
done
if [ "${1:-}" = long ]; then
	for t in tests/long/*.sh; do
		run "$(basename "$t" .sh)" bash "$t" build
	done
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
