#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# align_builds.sh [BUILD]: hitmap align of two builds: offsets by DWARF are the compiler's, kernels' by BTF are
# the published ones, what pushed a field is named, and what cannot be compared is said.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
btf=tests/fixtures/btf
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0

wrong() { # WHAT GOT WANT
	echo "$1: is"
	echo "$2"
	echo "not"
	echo "$3"
	fail=1
}

# ---- Programs: against offsetof()
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || continue
	for flags in "-g" "-gdwarf-4 -O2"; do
		# shellcheck disable=SC2086
		$compiler $flags -Wno-invalid-offsetof -o "$tmp/before" tests/programs/layouts.cpp &&
			$compiler $flags -Wno-invalid-offsetof -DAFTER -o "$tmp/after" tests/programs/layouts.cpp ||
			exit 1
		"$hitmap" align --all --format json "$tmp/before" "$tmp/after" >"$tmp/json" || fail=1
		for side in before after; do
			"$tmp/$side" | while read -r type path offset; do
				case $path in *\[*) continue ;; esac
				got=$(jq -r --arg t "$type" --arg p "$path" --arg s $side '.types[] |
					select(.type | ltrimstr("struct ") == $t) | .fields[] |
					select(.field == $p) | .[$s].offset' "$tmp/json")
				# What holds others is no field of its own.
				[ -z "$got" ] || [ "$got" = "$offset" ] || {
					echo "$compiler $flags, $side: $type.$path is at $got, not $offset"
					exit 1
				}
				echo "$got"
			done >"$tmp/checked" || { cat "$tmp/checked"; fail=1; }
			[ "$(grep -c . "$tmp/checked")" -ge 4 ] || {
				wrong "$compiler $flags: offsets that were compared" "$(cat "$tmp/checked")" "4 or more"
			}
		done
	done
done
got=$("$hitmap" align --object app::table "$tmp/before" "$tmp/after" --format json | jq -c '.types[].fields[] |
	select(.field == "hot") | [.change, [.pushed_by[] | .member, .what, .bytes]]')
want='["line",["base","resized",32]]'
[ "$got" = "$want" ] || wrong "what pushed app::table.hot" "$got" "$want"

# Fields that a recording knows to be contended are hot.
gcc -O1 -g -pthread -o "$tmp/places" tests/programs/places.c || exit 1
"$hitmap" record -q --door qemu -o "$tmp/data" -- "$tmp/places" >/dev/null 2>&1
if [ -s "$tmp/data" ]; then
	got=$("$hitmap" align -i "$tmp/data" --format json "$tmp/places" "$tmp/places" | jq -c '[.types[] |
		select(.type == "struct ring") | .fields[] | select(.hot) | .field] | index("tail") != null')
	[ "$got" = true ] || wrong "whether a recording says that ring.tail is hot" "$got" true
fi

# ---- Kernels
field() { # OLD NEW TARGET TYPE FIELD
	"$hitmap" align --target "$3" --format json "$1" "$2" | jq -c --arg t "struct $4" --arg f "$5" '.types[] |
		select(.type == $t) | .fields[] | select(.field == $f) |
		[.change, .before.offset, .before.half, .after.offset, .after.half, [.pushed_by[].member]]'
}
check() { # WHAT WANT OLD NEW TARGET TYPE FIELD
	local what=$1 want=$2 got
	shift 2
	got=$(field "$@")
	[ "$got" = "$want" ] || wrong "$what" "$got" "$want"
}
check "signals, 6.1 to 6.12" '["same",144,"lower",144,"lower",[]]' $btf/debian-6.1.btf $btf/debian-6.12.btf signal ucounts 'rlimit[2]'
check "mmap_lock, 6.1 to 6.12" \
	'["line",112,"upper",168,"upper",["mm_mt","pcpu_cid","mm_cid_next_scan","get_unmapped_area"]]' \
	$btf/debian-6.1.btf $btf/debian-6.12.btf mmap_lock mm_struct mmap_lock.count
here=/sys/kernel/btf/vmlinux
case $(uname -r) in
6.18.*)
	if [ -r $here ]; then
		check "signals, 6.12 to 6.18" '["half",144,"lower",168,"upper",["rcu"]]' $btf/debian-6.12.btf $here signal ucounts 'rlimit[2]'
		priv=
		pahole -C futex_hash_bucket $here 2>/dev/null | grep -q '\*priv;' && priv='["new",null,null,24,"lower",[]]'
		check "futexes, 6.12 to 6.18" "$priv" $btf/debian-6.12.btf $here futex futex_hash_bucket priv
	fi
	;;
esac
if [ -r $here ]; then
	got=$("$hitmap" align $here $here | tail -1)
	case $got in
	"of "*" types that both have, none has a field in another line or half") ;;
	*) wrong "a kernel against itself" "$got" "of N types that both have, none ..." ;;
	esac
fi

# ---- The text fits, and mistakes are told
long=$("$hitmap" align --all $btf/debian-6.1.btf $btf/debian-6.12.btf | awk 'length > 100' | head -1)
[ -z "$long" ] || wrong "a row of the text" "$long" "at most 100 columns"
expect() { # STATUS PATTERN COMMAND...
	local status=$1 pattern=$2 got
	shift 2
	got=$("$@" 2>&1)
	[ $? = "$status" ] && grep -q -- "$pattern" <<<"$got" || wrong "$*" "$got" "exit status $status and: $pattern"
}
strip -g -o "$tmp/stripped" "$tmp/after"
head -c 3000 $btf/debian-6.1.btf >"$tmp/cut.btf"
head -c 3000 "$tmp/after" >"$tmp/cut"
expect 1 'neither BTF nor DWARF' "$hitmap" align "$tmp/before" "$tmp/stripped"
expect 1 'neither BTF nor DWARF' "$hitmap" align "$tmp/cut.btf" $btf/debian-6.12.btf
expect 1 'neither BTF nor DWARF' "$hitmap" align "$tmp/cut" "$tmp/before"
expect 1 'has a type "nosuch"' "$hitmap" align --object nosuch "$tmp/before" "$tmp/after"
expect 2 'there is no "nosuch"' "$hitmap" align --target nosuch "$tmp/before" "$tmp/after"
expect 2 'is a program or BTF' "$hitmap" align "$tmp/before" Makefile
expect 2 'no format "pdf"' "$hitmap" align --format pdf "$tmp/before" "$tmp/after"
expect 2 'are of two builds' "$hitmap" align --target signal "$tmp/data"
exit $fail
