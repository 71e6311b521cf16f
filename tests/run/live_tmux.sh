#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# live_tmux.sh [BUILD]: the real program on a real terminal (tmux): hitmap live beside the replicas of the
# two kernel changes, before and after; filter, views, another size; recordings; and the terminal is as it
# was after the end, signals, a crash and a closed pipe.
set -u
cd "$(dirname "$0")/../.."
build=${1:-build}
folder=$PWD/$build
. tests/terminal.sh

start() { # COLUMNS ROWS
	tmux -S "$socket" kill-server 2>/dev/null
	tmux -S "$socket" -f /dev/null new-session -d -s t -x "$1" -y "$2" \
		"env PATH='$folder:$PATH' PS1='ready> ' bash --norc --noprofile"
	see "a shell" '^ready>'
	typed "stty -a >$tmp/before"
	keys Enter
	see "a shell" '^ready> stty'
}

# The shell has its terminal back, as it was.
restored() { # AFTER WHAT
	see "after $1" '^ready>' || return
	typed "echo; stty -a >$tmp/after; echo done"
	keys Enter
	see "after $1: the shell" '^done$'
	cmp -s "$tmp/before" "$tmp/after" || wrong "after $1 the terminal differs: $(diff "$tmp/before" "$tmp/after" | head -4)"
	[ "$(tmux -S "$socket" display -p -t t '#{alternate_on}')" = 0 ] || wrong "after $1 the alternate screen stays"
	[ "$(tmux -S "$socket" display -p -t t '#{cursor_flag}')" = 1 ] || wrong "after $1 the cursor is hidden"
	tmux -S "$socket" send-keys -t t -R
	keys C-l
}

# Only the child of this terminal's shell: others may run the same program.
signal_live() { # SIGNAL
	local shell pid
	shell=$(tmux -S "$socket" display -p -t t '#{pane_pid}')
	pid=$(pgrep -P "$shell" -x hitmap) && kill "-$1" "$pid" || wrong "no hitmap live to signal"
}

run() { # COMMAND
	typed "$1"
	keys Enter
}

# The prompt for a command holds the last one.
run_other() { # COMMAND
	keys '!'
	see "the prompt" '^ run: '
	for _ in $(seq 60); do keys BSpace; done
	run "$1"
}

# ---- Signal: before, marked, after
start 100 28
run "hitmap live -- hitmap bench signal --before --ops 2000"
see "signal --before" 'root_user (user_struct)' 'lower +0  *__count' 'lower +8  *sigpending' '^ ended '
keys 2
see "the heatmap" 'lower half' 'root_user'
keys b
see "marked" 'marked before'
run_other "hitmap bench signal --after --ops 2000"
see "signal --after beside it" 'marked before .* now .*HITM/op' ' __count .* -100 %\| __count .* gone' '^ ended '
keys 1
see "the lines" 'before  *after' 'root_user'
keys /
typed "nothing has this name"
keys Enter
see "a filter that leaves nothing" 'nothing has this name'
keys Escape
see "without it" 'root_user'
keys Enter
see "details of a line" 'sigpending' 'signal.c:'
tmux -S "$socket" resize-window -t t -x 60 -y 15
see "60x15" 'sigpending\|root_user'
awk 'length > 0 { n++ } END { exit n > 15 }' "$tmp/screen" || wrong "60x15: more than 15 rows"
tmux -S "$socket" resize-window -t t -x 100 -y 28
see "100x28 again" 'signal.c:'
keys 1
keys w
see "the prompt for a file" 'write'
for _ in $(seq 40); do keys BSpace; done
run "$tmp/view.json"
see "written" "written to"
jq -e . "$tmp/view.json" >/dev/null || wrong "the view as JSON is none"
keys '?'
see "help" 'Keys' 'Views'
keys q
keys Q
restored "Q"

# ---- Futex
run "hitmap live --target futex -- hitmap bench futex --before --ops 100"
see "futex --before" 'page' '^ ended '
keys b
see "marked" 'marked before'
run_other "hitmap bench futex --after --ops 100"
see "futex --after beside it" 'marked before .* now ' '^ ended '
see "the page's line is gone" 'gone\|-100 %'
keys Q
restored "futex"

# ---- A stream that is recorded while it passes, and a recording on the terminal
"$folder/hitmap" record -q -o - -- "$folder/hitmap" bench signal --before --ops 2000 >"$tmp/stream" 2>/dev/null
until_there="while ! [ -e $tmp/go ]; do sleep 0.2; done"
run "(head -c 3000000 $tmp/stream; $until_there; tail -c +3000001 $tmp/stream; sleep 2) | hitmap live -i -"
see "a stream" 'HITM.*contended lines'
keys r
see "the prompt for a recording" 'rec'
for _ in $(seq 40); do keys BSpace; done
run "$tmp/recorded"
see "recording" '● writing '
touch "$tmp/go"
see "the stream's end" '^ ended '
keys r
see "the recording's end" 'recorded: hitmap report'
keys Q
restored "a stream"
"$folder/hitmap" report -i "$tmp/recorded" --format json >"$tmp/json" 2>"$tmp/err" ||
	wrong "what was recorded cannot be read: $(cat "$tmp/err")"
jq -e '.lines[0].object == "root_user"' "$tmp/json" >/dev/null || wrong "what was recorded does not name root_user"
run "hitmap tui $tmp/recorded"
see "hitmap tui" 'root_user' '__count'
keys q
restored "hitmap tui"

# ---- A file that grows: what is there is shown, what comes is added, the writer's end is the end
rm -f "$tmp/go"
(head -c 3000000 "$tmp/stream"; eval "$until_there"; tail -c +3000001 "$tmp/stream") >"$tmp/growing" &
run "hitmap live -i $tmp/growing"
see "a file that grows" '^ live\|samples/s' 'HITM.*contended lines'
grep -q '^ ended ' "$tmp/screen" && wrong "a file that is still written has ended"
touch "$tmp/go"
see "the file's end" '^ ended ' 'root_user'
keys Q
restored "a file that grows"

# ---- Ends
run "hitmap live -- hitmap bench signal --before --ops 100"
see "before an end of the terminal's program" 'root_user'
for signal in INT TERM HUP; do
	signal_live $signal
	restored "SIG$signal"
	run "hitmap live -- hitmap bench signal --before --ops 100"
	see "again" 'root_user'
done
signal_live SEGV
see "after a crash" 'ready>'
[ "$(tmux -S "$socket" display -p -t t '#{alternate_on}')" = 0 ] || wrong "after a crash the alternate screen stays"
keys C-l
run "hitmap live -- sh -c 'kill -SEGV \$\$'"
see "a child that crashes" 'live\|lines'
keys Q
restored "a child that crashed"
run "head -c 100000 $tmp/stream | hitmap live -i -"
see "a closed pipe" 'root_user\|^ ended'
keys Q
restored "a closed pipe"
run "hitmap live -- /nonexistent/program"
see "a program that is not there" 'nonexistent'
keys Q
restored "a program that is not there"

# ---- No terminal
"$folder/hitmap" live -i "$tmp/stream" </dev/null >"$tmp/out" 2>&1 &
wait $!
got=$?
if [ $got != 2 ] && ! (: </dev/tty) 2>/dev/null; then
	wrong "without a terminal: exit status $got, not 2: $(cat "$tmp/out")"
fi
setsid "$folder/hitmap" tui "$tmp/recorded" </dev/null >"$tmp/out" 2>&1
[ $? = 2 ] || wrong "tui without a terminal: not exit status 2: $(cat "$tmp/out")"
grep -q 'next: hitmap report' "$tmp/out" || wrong "without a terminal: no next step: $(cat "$tmp/out")"
exit $fail
