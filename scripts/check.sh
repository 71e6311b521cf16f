#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Builds everything and runs the tests: check.sh [long]. A test prints what went wrong and exits 0, 77
# (skipped, with the reason on its last line) or anything else (failed). As many run at a time as there are
# CPUs, but for those of tests/run and tests/long that say "# Runs alone": what they measure must not
# depend on the others.
set -u
cd "$(dirname "$0")/.."
jobs=$(nproc)
logs=build/logs
mkdir -p $logs
rm -f $logs/*

build() {
	if ! make --no-print-directory -j"$jobs" "$@" >$logs/build 2>&1; then
		grep -E 'error|warning|Error' $logs/build | head -20
		echo "check: make $* failed"
		echo "0 passed, 1 failed, 0 skipped"
		exit 1
	fi
}

# One test. Its outcome is the name of a file, for who counts them.
run() { # NAME COMMAND...
	local name=$1 log outcome start=$SECONDS
	shift
	log=$logs/${name//\//_}
	"$@" >"$log" 2>&1 </dev/null
	case $? in
	0)
		outcome=passed
		echo "ok      $name ($((SECONDS - start)) s)$(sed -n 's/^note: /: /p' "$log" | head -1)"
		;;
	77)
		outcome=skipped
		echo "skipped $name: $(tail -n 1 "$log")"
		;;
	*)
		outcome=failed
		echo "FAILED  $name"$'\n'"$(tail -n 25 "$log" | sed 's/^/	/')"
		;;
	esac
	: >"$log.$outcome"
}

lane() { # NAME COMMAND...: beside others, as soon as a CPU is free
	while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
		wait -n
	done
	run "$@" &
}

runs_alone() {
	grep -q '^# Runs alone' "$1"
}

units() { # PREFIX FOLDER
	local t
	for t in "$2"/tests/test_*; do
		case $t in
		*.d) ;;
		*) lane "$1$(basename "$t")" "$t" ;;
		esac
	done
}

scripts() { # FOLDER alone|beside
	local t
	for t in "$1"/*.sh; do
		if runs_alone "$t"; then
			[ "$2" = beside ] || run "$(basename "$t" .sh)" bash "$t" build
		else
			[ "$2" = alone ] || lane "$(basename "$t" .sh)" bash "$t" build
		fi
	done
}

count() {
	find $logs -name "*.$1" | wc -l
}

build WERROR=1 tests
scripts tests/run alone
units "" build
scripts tests/run beside
wait
build WERROR=1 ASAN=1 tests
units asan/ build-asan
wait
if [ "${1:-}" = long ]; then
	scripts tests/long alone
	scripts tests/long beside
	wait
fi
echo "$(count passed) passed, $(count failed) failed, $(count skipped) skipped"
[ "$(count failed)" = 0 ]
