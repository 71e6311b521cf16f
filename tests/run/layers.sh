#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The Makefile's layers are the architecture: every source file is listed in one of them, a file includes
# headers of its own layer and of lower ones only, and each outside library is included by one file.
set -u
cd "$(dirname "$0")/../.."
fail=0

say() {
	echo "$*"
	fail=1
}

get() {
	make -s "print-$1"
}

declare -A level
layers=$(get LAYERS)
n=0
for layer in $layers; do
	n=$((n + 1))
	for noun in $(get "$layer"); do
		[ -z "${level[$noun]:-}" ] || say "$noun is listed in two layers"
		level[$noun]=$n
		ls src/"$noun".[ch] >/dev/null 2>&1 || say "the Makefile lists src/$noun, which does not exist"
	done
done
for f in src/*.c src/*.h; do
	noun=$(basename "${f%.*}")
	[ "$noun" = command ] && continue # the command layer's own header
	[ -n "${level[$noun]:-}" ] || say "$f is in no layer of the Makefile"
done
level[command]=1

for f in src/*.c src/*.h; do
	own=${level[$(basename "${f%.*}")]:-99}
	for inc in $(sed -n 's/^#include "\(.*\)\.h"/\1/p' "$f"); do
		if [ -e "src/$inc.h" ]; then
			[ "${level[$inc]:-99}" -ge "$own" ] || say "$f includes $inc.h of a higher layer"
		elif [ ! -e "model/$inc.h" ] && [ ! -e "bench/$inc.h" ] &&
			[ ! -e "bpf/${inc%_bpf}.bpf.c" ]; then
			say "$f includes $inc.h, which is neither in src/ nor in model/ nor in bench/"
		fi
	done
done

# model/ stands by itself: it runs inside other programs.
for f in model/*.[ch]; do
	for inc in $(sed -n 's/^#include "\(.*\)\.h"/\1/p' "$f"); do
		[ -e "model/$inc.h" ] || say "$f includes $inc.h from outside model/"
	done
done

one_file() { # HEADER-PATTERN
	local files
	files=$(grep -lE "^#include [<\"]($1)" src/*.[ch] bench/*.[ch] 2>/dev/null | sed 's/\.[ch]$//' | sort -u)
	[ "$(echo "$files" | grep -c .)" -le 1 ] || say "<$1> is included by more than one file:" $files
}
for header in 'json-c/' 'bpf/btf\.h' 'bpf/bpf\.h' 'elfutils/' 'libelf|gelf' 'ini\.h' '(traceevent/)?event-parse\.h' 'zstd\.h' '(n?curses)' 'libiberty/|demangle' 'capstone/'; do
	one_file "$header"
done

[ "$n" -gt 3 ] || say "the Makefile lists only $n layers"
exit $fail
