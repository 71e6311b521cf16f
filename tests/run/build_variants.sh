#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# clang builds without a warning, into a folder of its own; what "make install" puts under DESTDIR and
# PREFIX runs from there, finding its machines and its plugins.
set -eu
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

make --no-print-directory -j2 CC=clang WERROR=1 BUILD="$tmp/clang" tests >"$tmp/log" 2>&1 || {
	grep -E 'error|warning' "$tmp/log" | head -20
	echo "clang: the build failed"
	exit 1
}
make --no-print-directory BUILD="${1:-build}" DESTDIR="$tmp/root" PREFIX=/opt/hitmap install >"$tmp/log" 2>&1 || {
	tail -5 "$tmp/log"
	echo "make install failed"
	exit 1
}
cc -O1 -g -pthread -o "$tmp/case" tests/cases/01_adjacent_counters.c
cd "$tmp"
"$tmp/root/opt/hitmap/bin/hitmap" record -o "$tmp/data" -- "$tmp/case" 20000 >"$tmp/out" 2>&1 || {
	cat "$tmp/out"
	echo "the installed hitmap does not record"
	exit 1
}
"$tmp/root/opt/hitmap/bin/hitmap" report -i "$tmp/data" | grep -q hits || {
	"$tmp/root/opt/hitmap/bin/hitmap" report -i "$tmp/data"
	echo "the installed hitmap's report does not name the contended object"
	exit 1
}
