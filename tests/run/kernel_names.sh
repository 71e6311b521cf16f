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
	-Wl,--build-id=0x1111111111111111111111111111111111111111 -o "$tmp/vmlinux" "$tmp/kernel.S" || exit 1
nm -n "$tmp/vmlinux" >"$tmp/System.map"

# As it was recorded: moved by 16 MB.
cat >"$tmp/text" <<'END'
comm 10 one
comm 11 two
kernel 0xffffffff82000000 0x2000000
sample 10 0xffffffff82001010 0xffffffff83000008
sample 11 0xffffffff82001010 0xffffffff83000008
END
python3 tests/oracle/of_text.py "$tmp/data" <"$tmp/text" || exit 1

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
refused() { # WHAT OPTION...
	local what=$1 got
	shift
	got=$("$hitmap" report -i "$tmp/data" "$@" 2>&1 >/dev/null)
	[ $? = 1 ] && grep -q 'of another kernel than the recording' <<<"$got" || { echo "$what: $got"; fail=1; }
}
# Another image: not moved by whole steps of 2 MB. Another build: by its id.
sed 's/^\(ffffffff8[12]\)00/\101/' "$tmp/System.map" >"$tmp/other.map"
refused "a System.map that does not fit" --system-map "$tmp/other.map"
id=$(printf '1%.0s' $(seq 40))
for kernel in "$id" "2${id#1}"; do
	{ echo "build_id $kernel"; cat "$tmp/text"; } | python3 tests/oracle/of_text.py "$tmp/data" || exit 1
	if [ "$kernel" = "$id" ]; then
		check "the vmlinux of that build" "root_user+8 futex_wake" -k "$tmp/vmlinux"
	else
		refused "a vmlinux of another build" -k "$tmp/vmlinux"
	fi
done
"$hitmap" report -i "$tmp/data" -k "$tmp/nowhere" >"$tmp/out" 2>&1 && { echo "a vmlinux that is not there is taken"; fail=1; }

# With debug information: fields of its variables and of objects, source lines and inlined functions.
if [ "$(uname -m)" = x86_64 ]; then
	cat >"$tmp/kernel.c" <<'END'
struct user_struct {
	int count;
	long filler[4];
	struct {
		long pending;
	} signals;
};
struct user_struct root_user = { .count = 1 };

static inline __attribute__((always_inline)) void count_signal(struct user_struct *u)
{
	u->signals.pending++;
}

void send_signal(void)
{
	count_signal(&root_user);
}
END
	printf '\t.text\n\t.globl _text\n_text:\t.skip 4096\n' >"$tmp/first.S"
	gcc -g -O1 -mcmodel=kernel -fno-pic -fcf-protection=none -ffreestanding -nostdlib -static -no-pie \
		-Wl,-Ttext=0xffffffff81000000 -Wl,-Tdata=0xffffffff82000000 -Wl,-e,_text -Wl,-z,noexecstack -o "$tmp/vmlinux" "$tmp/first.S" \
		"$tmp/kernel.c" || exit 1
	code=$(nm "$tmp/vmlinux" | awk '$3 == "send_signal" { print $1 }')
	data=$(nm "$tmp/vmlinux" | awk '$3 == "root_user" { print $1 }')
	moved=$((0x1000000))
	{
		printf '%s\n' 'comm 10 one' 'comm 11 two' 'kernel 0xffffffff82000000 0x2000000'
		note='{"note":"object","pid":0,"addr":18446612682070999040,"size":96,"type":"struct user_struct[2]","name":"users"}'
		echo "note $note"
		for pid in 10 11; do
			printf 'sample %d %#x %#x\n' $pid $((0x$code + moved)) $((0x$data + moved + 40)) \
				$pid $((0x$code + moved)) $((18446612682070999040 + 48 + 40))
		done
	} >"$tmp/text"
	python3 tests/oracle/of_text.py "$tmp/data" <"$tmp/text" || exit 1
	want=$(addr2line -e "$tmp/vmlinux" "$code" | sed 's,.*/,,; s/ .*//')
	got=$("$hitmap" report -i "$tmp/data" -f json -k "$tmp/vmlinux" | jq -r '.lines | sort_by(.object)[] |
		"\(.object) \(.cells[0].field) \(.cells[0].code[0] | "\(.symbol) \(.inlined_in) \(.source)")"')
	[ "$got" = "root_user signals.pending count_signal send_signal $want
users [1].signals.pending count_signal send_signal $want" ] || { echo "with debug information: is"; echo "$got"; fail=1; }
fi
exit $fail
