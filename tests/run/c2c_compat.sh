#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# c2c_compat.sh [BUILD]: "report --c2c-compat" of generated recordings of every shape, against what was put
# into them, against an independent count of the file, and, line by line, against the installed perf.
# Only runs of blanks and names of kernel code, which perf takes from the reporting machine, may differ.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
oracle=$PWD/tests/oracle
fail=0 compared=0
every=l1=20,lfb=5,l2=5,l3=5,l3hit=2,l3miss=2,lhitm=8,rhit=2,rhitm=4,rhit_norem=2,rhitm_norem=2,rhitm_skx=3
every=$every,rfwd_skx=2,rdram_skx=2,ldram=3,ldram_sh=2,rdram=2,ldmiss=1,io=1,unc=1,lpeer=3,rpeer=3,amd_hitm=4
every=$every,st_l1=20,st_miss=6,st_na=4,amd_st_mab=3,bad=1

have_perf=
perf version >/dev/null 2>&1 && have_perf=1
python3 $oracle/gen_perfdata.py --build-target "$tmp" >/dev/null || exit 1

plain() { # FILE
	sed -E 's/\[k\] .*  (\[kernel.kallsyms\]|\[unknown\])/[k] \1/; s/ +/ /g; s/ $//' "$1"
}

against_perf() { # NAME DISPLAY
	perf c2c report --stdio --no-source -g none -d "$2" -i "$tmp/data" >"$tmp/perf" 2>"$tmp/err" ||
		{ echo "$1: perf c2c failed:"; head -3 "$tmp/err"; fail=1; return; }
	"$hitmap" report --c2c-compat -d "$2" -i "$tmp/data" >"$tmp/text" || fail=1
	plain "$tmp/perf" >"$tmp/perf.plain"
	plain "$tmp/text" >"$tmp/text.plain"
	compared=$((compared + $(wc -l <"$tmp/perf.plain")))
	if ! diff "$tmp/perf.plain" "$tmp/text.plain" >"$tmp/diff"; then
		echo "$1, -d $2: $(grep -c '^[<>]' "$tmp/diff") lines differ from perf's (<):"
		head -6 "$tmp/diff"
		fail=1
	fi
}

against_oracle() { # NAME
	"$hitmap" report --c2c-compat -i "$tmp/data" >"$tmp/text" || fail=1
	for check in "check_c2c.py $tmp/truth" "check_pareto.py $tmp/data"; do
		# shellcheck disable=SC2086
		python3 $oracle/$check "$tmp/text" >"$tmp/log" ||
			{ echo "$1, ${check%% *}:"; tail -4 "$tmp/log"; fail=1; }
	done
}

while read -r name judge options; do
	# shellcheck disable=SC2086
	python3 $oracle/gen_perfdata.py --target "$tmp/target" -o "$tmp/data" --truth "$tmp/truth" $options \
		2>/dev/null || { echo "$name: not generated"; fail=1; continue; }
	[ "$judge" = oracle ] && against_oracle "$name"
	if [ "$have_perf" ]; then
		displays=tot
		[ "$name" = classes ] || [ "$name" = kernel ] && displays="tot rmt lcl peer"
		[ "$name" = arm ] && displays=peer
		for display in $displays; do
			against_perf "$name" $display
		done
	fi
done <<-END
	base oracle -n 30000 --lines 40
	many oracle -n 50000 --lines 3000 --skew 0.8
	phys oracle -n 30000 --lines 40 --phys
	callchain oracle -n 20000 --lines 40 --callchain
	classes oracle -n 60000 --lines 60 --phys --mix $every
	large oracle -n 60000 --lines 100 --cpus 64 --nodes 4 --phys --procs 4
	lines-of-kernel oracle -n 30000 --lines 200 --kernel-lines 0.3 --unmapped-lines 0.2
	kernel perf -n 30000 --lines 200 --kernel-lines 0.3 --kernel-frac 0.3 --unmapped-lines 0.2
	no-kernel-map perf -n 10000 --lines 100 --kernel-lines 0.3 --kernel-frac 0.3 --no-kernel-map
	processes oracle -n 20000 --lines 2000 --procs 5 --lock-na --order time
	arm perf -n 8000 --lines 20 --mix l1=40,lpeer=5,rpeer=3,st_na=30
	no-hitm perf -n 8000 --lines 20 --mix l1=40,st_l1=5
END
if [ "$have_perf" ]; then
	echo "note: $compared lines compared with $(perf version)"
else
	echo "note: perf is not installed, not compared with it"
fi
exit $fail
