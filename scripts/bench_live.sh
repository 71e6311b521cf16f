#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# bench_live.sh BUILD: what "hitmap live" needs on a terminal of 80x24: percent of one CPU, and memory, at
# rates of samples a second over 15 seconds. The last row is as fast as it takes them. Judges nothing.
set -eu
cd "$(dirname "$0")/.."
hitmap=$PWD/$1/hitmap
tmp=$(mktemp -d)
socket=$tmp/tmux
end() {
	tmux -S "$socket" kill-server 2>/dev/null || :
	rm -rf "$tmp"
}
trap end EXIT
export LC_ALL=C.UTF-8 TERM=xterm-256color

cpu() { awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) / hz }' "/proc/$1/stat"; }

cc -O2 -o "$tmp/streamer" tests/programs/stream.c
"$hitmap" record -q -o - -- "$hitmap" bench signal --before --ops 2000 >"$tmp/once" 2>/dev/null
printf '%-26s %14s %9s %9s\n' "hitmap live, 80x24" "samples/s" "CPU %" "RSS MB"
for rate in 10000 100000 0; do
	rm -f "$tmp/passes"
	began=$EPOCHREALTIME
	tmux -S "$socket" -f /dev/null new-session -d -s t -x 80 -y 24 \
		"'$tmp/streamer' '$tmp/once' 0 18 $rate 2>'$tmp/passes' | '$hitmap' live -i -"
	until tmux -S "$socket" capture-pane -p -t t | grep -q root_user; do sleep 0.2; done
	pid=$(pgrep -n -f "^$hitmap live -i -")
	a=$(cpu "$pid") t0=$EPOCHREALTIME
	sleep 15
	b=$(cpu "$pid") t1=$EPOCHREALTIME
	rss=$(awk '/^VmRSS/ { print $2 / 1024 }' "/proc/$pid/status")
	until [ -s "$tmp/passes" ]; do sleep 0.2; done # the stream says how many samples there were
	came=$(awk -v b="$began" -v e="$EPOCHREALTIME" '{ print $2 / (e - b) }' "$tmp/passes")
	awk -v r="$came" -v a="$a" -v b="$b" -v s="$t0" -v e="$t1" -v m="$rss" -v n="$rate" \
		'BEGIN { printf "%-26s %14d %9.1f %9.1f\n", n ? n " offered" : "all it takes", r, 100 * (b - a) / (e - s), m }'
	tmux -S "$socket" kill-server
done
