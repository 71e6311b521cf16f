#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# spe.sh [BUILD]: reports of generated recordings with Arm SPE data, against what was put into them, and
# "report --c2c-compat" of them, line by line, against the installed perf, which decodes the data too.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0 compared=0

generate() { # NAME OPTIONS...
	local name=$1
	shift
	python3 tests/oracle/gen_spe.py -o "$tmp/data" --truth "$tmp/truth" "$@" ||
		{ echo "$name: not generated"; exit 1; }
}

against_truth() { # NAME
	"$hitmap" report --format json -i "$tmp/data" >"$tmp/json" || fail=1
	python3 - "$tmp/json" "$tmp/truth" "$1" <<-'END' || fail=1
		import json, sys
		r, t, name = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), sys.argv[3]
		r, get = r['recording'], lambda *k: sum(t.get(x, 0) for x in k)
		cut = get('cut')
		want = {
		    'spe_records': get('records') - cut, 'samples': get('records') - cut,
		    'no_data_source': get('other'), 'no_address': 0, 'no_mapping': 0,
		    'stores': get('store'), 'locked': get('atomic'),
		    'loads': get('l1', 'l2', 'dram', 'peer', 'remote'),
		    'peer': get('peer', 'remote') if 'unknown' not in name else 0,
		    'spe_collisions': get('collisions'), 'spe_full_buffers': get('full'),
		    'spe_truncated_bytes': 20 * cut, 'threads': 2, 'cpus': 2,
		}
		if cut: # which kinds these were does not matter
		    for k in ('no_data_source', 'stores', 'locked', 'loads', 'peer'):
		        assert 0 <= want.pop(k) - r[k] <= cut, k
		wrong = {k: (r[k], v) for k, v in want.items() if r[k] != v}
		print(f'{name}: (got, wanted) {wrong}' if wrong else f'{name}: {len(want)} figures agree')
		sys.exit(bool(wrong))
	END
}

# All figures; not perf's name for what it decodes, nor code of a program that is not there.
plain() { # FILE
	sed -E 's/ +/ /g; s/ $//; /^ : memory$/d; s/\[\.\] 0x[0-9a-f]+/[.]/; s/^# \.\.\..*/#/' "$1"
}

against_perf() { # NAME
	perf c2c report --stdio --no-source -g none -d peer -i "$tmp/data" >"$tmp/perf" 2>"$tmp/err" ||
		{ echo "$1: perf c2c failed:"; head -3 "$tmp/err"; fail=1; return; }
	"$hitmap" report --c2c-compat -d peer -i "$tmp/data" >"$tmp/text" || fail=1
	plain "$tmp/perf" >"$tmp/perf.plain"
	plain "$tmp/text" >"$tmp/text.plain"
	compared=$((compared + $(wc -l <"$tmp/perf.plain")))
	if ! diff "$tmp/perf.plain" "$tmp/text.plain" >"$tmp/diff"; then
		echo "$1: $(grep -c '^[<>]' "$tmp/diff") lines differ from perf's (<):"
		head -8 "$tmp/diff"
		fail=1
	fi
}

said() { # NAME WORDS
	"$hitmap" report -i "$tmp/data" >"$tmp/text" || fail=1
	tr -s ' \n' ' ' <"$tmp/text" | grep -qF "$2" || { echo "$1: the report does not say: $2"; fail=1; }
}

while read -r name options; do
	# shellcheck disable=SC2086
	generate "$name" $options
	against_truth "$name"
done <<-END
	plain
	phys --phys
	old-info --old-info
	ampere --cpu ampere
	hip12 --cpu hip12
	unknown-cpu --cpu unknown
	no-context --no-context
	no-time --no-time
	no-clock --no-clock
	long-buffers --buffer 5000 -n 20000
	losses --collide 2 --full 1 --cut 3
END
said losses "1,997 records, 2 collisions, 60 truncated bytes, 1 full buffer"
said losses "HITM: n/a, this hardware does not tell it; peer: came from another core"

if perf version >/dev/null 2>&1; then
	while read -r name options; do
		# shellcheck disable=SC2086
		generate "$name" --plain --old-info $options
		against_perf "$name"
	done <<-END
		perf
		perf-many --lines 60 -n 20000 --buffer 1000
		perf-unknown --cpu unknown
	END
	echo "note: $compared lines compared with $(perf version)"
else
	echo "note: perf is not installed, not compared with it"
fi
exit $fail
