#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# kernel_names.sh [BUILD]: code and data of a kernel that does not run here have the names of its vmlinux or its
# System.map, moved to where the recording had it; another kernel's file names nothing.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0

# A kernel: an image at its usual address, a function and a variable in it.
cat >"$tmp/kernel.S" <<'END'
	.text
	.globl _text
_text:	.skip 4096
	.globl futex_wake
	.type futex_wake, @function
futex_wake:
	.skip 256
	.size futex_wake, 256
	.data
	.globl root_user
	.type root_user, @object
root_user:
	.skip 128
	.size root_user, 128
END
gcc -nostdlib -static -no-pie -Wl,-Ttext=0xffffffff81000000 -Wl,-Tdata=0xffffffff82000000 -Wl,-e,_text \
	-Wl,--build-id=none -o "$tmp/vmlinux" "$tmp/kernel.S" || exit 1
nm -n "$tmp/vmlinux" >"$tmp/System.map"

# As it was recorded: moved by 16 MB.
python3 tests/oracle/of_text.py "$tmp/data" <<'END' || exit 1
comm 10 one
comm 11 two
kernel 0xffffffff82000000 0x2000000
sample 10 0xffffffff82001010 0xffffffff83000008
sample 11 0xffffffff82001010 0xffffffff83000008
END

check() { # WHAT WANT OPTION...
	local what=$1 want=$2 got
	shift 2
	got=$("$hitmap" report -i "$tmp/data" -f json "$@" 2>"$tmp/err" |
		jq -r '.lines[] | "\(.object)+\(.cells[0].offset) \(.cells[0].code[0].symbol)"')
	[ "$got" = "$want" ] || { echo "$what: is $got, not $want: $(cat "$tmp/err")"; fail=1; }
}
check "nothing given" "null+8 [kernel]+0x1010"
check "vmlinux" "root_user+8 futex_wake" -k "$tmp/vmlinux"
check "System.map" "root_user+8 futex_wake" --system-map "$tmp/System.map"
strip -o "$tmp/stripped" "$tmp/vmlinux"
"$hitmap" report -i "$tmp/data" -k "$tmp/stripped" >"$tmp/out" 2>&1 && { echo "a stripped vmlinux is taken"; fail=1; }
grep -q 'BTF' "$tmp/out" || { echo "a stripped vmlinux: $(cat "$tmp/out")"; fail=1; }
exit $fail
