#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# names_shared.sh [BUILD]: memory that two processes have at different addresses is one line, called by its
# file, place and field; of a file, of POSIX shared memory, and of a file that is gone.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
shm=/dev/shm/hitmap-test-$$
trap 'rm -rf "$tmp" "$shm"' EXIT
fail=0

gcc -O2 -g -o "$tmp/shared" tests/programs/shared.c || exit 1

check() { # WHAT OBJECT: of $tmp/text
	python3 tests/oracle/of_text.py "$tmp/data" <"$tmp/text" || exit 1
	local got want
	"$hitmap" report -i "$tmp/data" --format json >"$tmp/json" || fail=1
	got=$(jq -r '.lines[] | "\(.object)+\(.offset) \(.cells[].field) \(.threads) \(.verdict): \(.reason)"' "$tmp/json")
	want="$2+4096 ring.slot[1].hits 2 true sharing: 2 threads use slot[1].hits, 2 write; 100 % of 200 moves are for the same bytes"
	[ "$got" = "$want" ] || { echo "$1: reported as"; echo "$got"; echo "not"; echo "$want"; fail=1; }
}

"$tmp/shared" "$tmp/pool" >"$tmp/text" || exit 1
addresses=$(awk '$1 == "sample" { print $4 }' "$tmp/text" | sort -u | wc -l)
[ "$addresses" = 2 ] || { echo "the processes have the memory at $addresses addresses, not 2"; exit 1; }
check "a file" pool
rm "$tmp/pool"
check "a file that is gone" pool
"$tmp/shared" "$shm" >"$tmp/text" || exit 1
check "POSIX shared memory" "$(basename "$shm")"
exit $fail
