#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# bench_report.sh BUILD [few|medium|many]...: what reading a recording costs: "hitmap report --format json"
# against "perf c2c report --stdio --no-source" and against a bare walk over the records, on generated
# recordings. Prints a table; judges nothing. Medians of BENCH_RUNS (5) runs, the recording in the page cache;
# of perf, which takes minutes with many lines, BENCH_PERF_RUNS (1). BENCH_DIR keeps the recordings (1.7 GB).
set -eu
cd "$(dirname "$0")/.."
build=$1
shift
hitmap=$PWD/$build/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
dir=${BENCH_DIR:-$tmp}
runs=${BENCH_RUNS:-5}
perf_runs=${BENCH_PERF_RUNS:-1}
gen=tests/oracle/gen_perfdata.py

shape() { # NAME: options of the generator, then what the row is called
	case $1 in
	few) echo "-n 1000000 --scale 10 --lines 100|10 M samples, 100 lines" ;;
	medium) echo "-n 1000000 --lines 200000|1 M samples, 200 k lines" ;;
	many) echo "-n 5000000 --scale 2 --lines 2000000|10 M samples, 2 M lines" ;;
	*) echo "bench_report.sh: there is no recording \"$1\"" >&2; exit 2 ;;
	esac
}

measure() { # RUNS COMMAND...: wall, CPU (seconds) and peak (MB), the run of median wall time
	local n=$1
	shift
	for ((i = 0; i < n; i++)); do
		"$tmp/cost" "$@" || return 1
	done | sort -n | awk '{ line[NR] = $0 } END { if (NR) print line[int((NR + 1) / 2)]; else exit 1 }'
}

cc -O2 -o "$tmp/walk" tests/bench/walk.c
cc -O2 -o "$tmp/cost" tests/bench/cost.c
python3 $gen --build-target "$tmp" >/dev/null
[ $# -gt 0 ] || set -- few medium many
printf '%-26s %-8s %9s %9s %9s\n' recording reader "wall s" "CPU s" "peak MB"
for name in "$@"; do
	IFS='|' read -r options title <<<"$(shape "$name")"
	file=$dir/bench-$name.data
	# shellcheck disable=SC2086
	[ -s "$file" ] || python3 $gen --target "$tmp/target" -o "$file" $options 2>/dev/null
	"$tmp/walk" "$file" >/dev/null
	walk=$(measure "$runs" "$tmp/walk" "$file")
	ours=$(measure "$runs" "$hitmap" report -i "$file" --format json)
	perf=$(measure "$perf_runs" perf c2c report --stdio --no-source -i "$file" 2>"$tmp/err") || perf="nan nan nan"
	for reader in walk ours perf; do
		# shellcheck disable=SC2086
		printf '%-26s %-8s %9.2f %9.2f %9.1f\n' "$title" "${reader/ours/hitmap}" ${!reader}
	done
	# shellcheck disable=SC2086
	echo $walk $ours $perf | awk '{ printf "%-26s hitmap is %.1fx faster than perf c2c (CPU %.1fx, memory %.1fx less), takes %.1fx the time of the walk\n",
		"", $7 / $4, $8 / $5, $9 / $6, $4 / $1 }'
	[ "$dir" = "$tmp" ] && rm -f "$file"
done
