#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# grid.sh BUILD [small]: verdicts on a grid of sharing patterns, and their score; small: a few of them.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cc -O2 -g -pthread -o "$tmp/grid.qemu" tests/grid/grid.c || exit 1
"$hitmap" cc -O2 -g -pthread -o "$tmp/grid.hooks" tests/grid/grid.c || exit 1
python3 tests/grid/check.py "$hitmap" "$tmp" ${2:+small}
