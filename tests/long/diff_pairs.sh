#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# diff_pairs.sh [BUILD]: recordings of one real program do not differ, and a change of 20 % is found: of 105 pairs
# of recordings 95 % have no significant row, and of 100 pairs before and after 80 % have the field that changed.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

gcc -O1 -g -pthread -Iinclude -o "$tmp/served" tests/programs/served.c || exit 1
for i in $(seq 15); do
	"$hitmap" record -q --seed "$i" -o "$tmp/a$i" -- "$tmp/served" 10 || exit 1
done
for i in $(seq 10); do
	"$hitmap" record -q --seed "$((100 + i))" -o "$tmp/b$i" -- "$tmp/served" 12 || exit 1
done

# Fields with a significant row.
significant() { # BEFORE AFTER
	"$hitmap" diff --format json "$1" "$2" |
		jq -r '[.objects[].fields[] | select(.significant) | .field] | sort | unique | join(" ")'
}

quiet=0 pairs=0
for i in $(seq 15); do
	for k in $(seq $((i + 1)) 15); do
		pairs=$((pairs + 1))
		found=$(significant "$tmp/a$i" "$tmp/a$k")
		[ -n "$found" ] && echo "recordings $i and $k of one program: $found" || quiet=$((quiet + 1))
	done
done
seen=0 changed=0 wrong=0
for i in $(seq 10); do
	for k in $(seq 10); do
		changed=$((changed + 1))
		found=$(significant "$tmp/a$i" "$tmp/b$k")
		case " $found " in *" retried "*) seen=$((seen + 1)) ;; esac
		case " $found " in *" accepted "*) wrong=$((wrong + 1)) ;; esac
	done
done
echo "note: $quiet of $pairs pairs without a change have no significant row; a change of 20 % is found in $seen of $changed, the field beside it called changed in $wrong"
[ $((quiet * 100)) -ge $((pairs * 95)) ] && [ $((seen * 100)) -ge $((changed * 80)) ] && [ $((wrong * 100)) -le $((changed * 5)) ]
