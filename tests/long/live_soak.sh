#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs alone.
# live_soak.sh [BUILD [SECONDS]]: hitmap live on a stream as fast as it takes it, ten minutes unless said
# otherwise: its memory stays flat, each key is served, and what it shows at the end is what hitmap report
# says of the same samples.
set -u
cd "$(dirname "$0")/../.."
folder=$PWD/${1:-build}
seconds=${2:-600}
. tests/terminal.sh

memory() { awk '/^VmRSS/ { print $2 }' "/proc/$pid/status" 2>/dev/null; }

cc -O2 -o "$tmp/streamer" tests/programs/stream.c || exit 1
"$folder/hitmap" record -q -o - -- "$folder/hitmap" bench signal --before --ops 2000 >"$tmp/once" || exit 1
tmux -S "$socket" -f /dev/null new-session -d -s t -x 120 -y 40 \
	"'$tmp/streamer' '$tmp/once' 0 $seconds 0 2>'$tmp/passes' | '$folder/hitmap' live --window 0 -i - 2>'$tmp/err'; sleep 5"
see "a stream" 'root_user' || exit 1
pid=$(pgrep -n -P "$(tmux -S "$socket" display -p -t t '#{pane_pid}')" -x hitmap)
start=$SECONDS
early=
pressed=0
while [ ! -s "$tmp/passes" ] && [ $((SECONDS - start)) -lt $((seconds + 60)) ]; do
	# Each of these views is told by its own first words; a key that is lost leaves another's.
	keys '?'
	see "? after $((SECONDS - start)) s" 'Views' || break
	keys q
	for view in 2 4 5 1; do
		screen >"$tmp/last"
		keys $view
		for _ in $(seq 100); do
			screen | tail -n +3 | cmp -s - <(tail -n +3 "$tmp/last") || break
			sleep 0.05
		done
		screen | tail -n +3 | cmp -s - <(tail -n +3 "$tmp/last") && wrong "key $view changed nothing"
		pressed=$((pressed + 1))
	done
	[ -n "$early" ] || [ $((SECONDS - start)) -lt $((seconds / 5)) ] || early=$(memory)
	late=$(memory)
	sleep 1
done
see "the stream's end" '^ ended '
read -r passes samples <"$tmp/passes"
echo "note: $samples samples in $seconds s, $((samples / seconds)) a second; memory $early kB after a fifth, $late kB at the end; $pressed views asked for"
[ "${late:-0}" -le $((${early:-0} * 5 / 4)) ] || wrong "memory grows: $early kB, $late kB later"

keys 1
see "the lines" 'root_user'
keys w
see "the prompt for a file" 'write'
for _ in $(seq 40); do keys BSpace; done
typed "$tmp/view.json"
keys Enter
see "written" 'written to'
keys Q
"$tmp/streamer" "$tmp/once" "$passes" 0 0 2>/dev/null | "$folder/hitmap" report -i - --all --format json >"$tmp/report.json"
[ -z "${KEEP:-}" ] || cp "$tmp"/*.json "$tmp/screen" "$KEEP"
# HITM per operation of the hottest lines.
jq -c '.operations[0].count as $n | [.lines[:2][] | (.hitm.same_llc + .hitm.same_node + .hitm.other_node) / $n
	| . * 1000 | round]' "$tmp/report.json" >"$tmp/expected"
jq -c '[.lines[:2][] | .heat * 1000 | round]' "$tmp/view.json" >"$tmp/got"
grep -q '[1-9]' "$tmp/expected" || wrong "report has no figures: $(cat "$tmp/expected")"
cmp -s "$tmp/expected" "$tmp/got" || wrong "live and report differ:"$'\n'"report: $(cat "$tmp/expected")"$'\n'"live:   $(cat "$tmp/got")"
exit $fail
