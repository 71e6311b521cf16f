# SPDX-License-Identifier: GPL-2.0-only
# For tests on a real terminal (tmux), to be sourced: $tmp, a folder that goes with the test, $fail, and how
# to press keys and look at the screen. Exits with 77 where there is no tmux.
tmp=$(mktemp -d)
socket=$tmp/tmux
fail=0
export LC_ALL=C.UTF-8 TERM=xterm-256color
end() {
	tmux -S "$socket" kill-server 2>/dev/null
	rm -rf "$tmp"
}
trap end EXIT
tmux -V >/dev/null 2>&1 || { echo "there is no tmux"; exit 77; }

wrong() {
	echo "$*"
	fail=1
}
keys() { tmux -S "$socket" send-keys -t t "$@"; }
typed() { tmux -S "$socket" send-keys -t t -l "$1"; }
screen() { tmux -S "$socket" capture-pane -p -t t; }

# Until the screen has a pattern, 30 s at most.
see() { # WHAT PATTERN...: all on one screen
	local what=$1 pattern seen
	shift
	for _ in $(seq 300); do
		screen >"$tmp/screen"
		seen=1
		for pattern; do
			grep -q -- "$pattern" "$tmp/screen" || seen=
		done
		[ -z "$seen" ] || return 0
		sleep 0.1
	done
	wrong "$what: never seen: $*"
	sed 's/^/	| /' "$tmp/screen"
	return 1
}
