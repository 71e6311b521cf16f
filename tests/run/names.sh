#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Contended fields are named wherever they are: static, thread-local, on the heap, on another thread's
# stack; in programs built in every way, stripped with and without a separate debug file; in C++, Rust, Go.
set -u
cd "$(dirname "$0")/../.."
hitmap=$PWD/${1:-build}/hitmap
programs=$PWD/tests/programs
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0

record() { # NAME ARGUMENTS...: makes NAME.json and NAME.txt
	local name=$1
	shift
	if ! "$hitmap" record -q -o "$tmp/$name.data" "$@" >"$tmp/out" 2>&1; then
		echo "$name: not recorded"
		tail -3 "$tmp/out"
		fail=1
	fi
}

report() { # NAME OPTIONS...
	local name=$1
	shift
	"$hitmap" report -i "$tmp/$name.data" --format json --all "$@" >"$tmp/$name.json" &&
		"$hitmap" report -i "$tmp/$name.data" "$@" >"$tmp/$name.txt" || fail=1
	# What each cell is called, one a line: object|type|field|route|confidence
	jq -r '.lines[] | select(.contended) | .cells[] | select(.loads > 10) |
		[.object, .type, .field, .route, .confidence] | join("|")' "$tmp/$name.json" |
		sed 's/ (thread [0-9]*)/ (thread N)/' | sort -u >"$tmp/$name.cells"
}

has() { # NAME CELL...
	local name=$1 cell
	shift
	for cell; do
		grep -qxF "$cell" "$tmp/$name.cells" && continue
		echo "$name: no cell is $cell; they are:"
		cat "$tmp/$name.cells"
		fail=1
	done
}

everywhere=("fixed|struct ring|tail|symbol|certain"
	"own (thread N)|struct ring|head|symbol|certain"
	"[heap]|struct ring|ring.tail|instruction|likely"
	"[stack]|struct ring|ring.tail|instruction|likely")

while read -r name flags; do
	gcc $flags -pthread -o "$tmp/$name" "$programs/places.c" || exit 1
	record "$name" --door qemu -- "$tmp/$name"
	report "$name"
	has "$name" "${everywhere[@]}" "[stack]|struct ring|ring.slot[].hits|instruction|likely"
done <<'LIST'
O0 -O0 -g
O2 -O2 -g
dwarf4 -O2 -gdwarf-4 -no-pie
static -O2 -g -static
LIST

# A function whose code became part of another one is named, and where.
jq -e '[.lines[].cells[].code[] | select(.symbol == "bump" and .inlined_in != null and .source != null)] |
	length > 0' "$tmp/O2.json" >/dev/null || { echo "O2: bump is not named as inlined"; fail=1; }

# Stripped: the program's own build id finds its debug file beside it or below --symfs.
cp "$tmp/O2" "$tmp/stripped"
objcopy --only-keep-debug "$tmp/stripped" "$tmp/stripped.debug"
strip "$tmp/stripped"
record stripped --door qemu -- "$tmp/stripped"
report stripped
has stripped "${everywhere[@]}"
mv "$tmp/stripped.debug" "$tmp/elsewhere"
report stripped
grep -q "no debug information in .*stripped" "$tmp/stripped.txt" || {
	echo "stripped, without its debug file: the report does not say so:"
	head -8 "$tmp/stripped.txt"
	fail=1
}
! grep -q 'ring' "$tmp/stripped.cells" || { echo "stripped: named a type it cannot know"; fail=1; }
# Servers are asked only when the user says so, by the program's build id.
id=$(readelf -n "$tmp/stripped" | sed -n 's/.*Build ID: //p')
mkdir "$tmp/bin"
printf '#!/bin/sh\n[ "$*" = "debuginfo %s" ] && echo %s\n' "$id" "$tmp/elsewhere" >"$tmp/bin/debuginfod-find"
chmod 755 "$tmp/bin/debuginfod-find"
PATH=$tmp/bin:$PATH DEBUGINFOD_URLS=http://localhost:1 report stripped --debuginfod
has stripped "${everywhere[@]}"
PATH=$tmp/bin:$PATH DEBUGINFOD_URLS=http://localhost:1 report stripped
! grep -q 'ring' "$tmp/stripped.cells" || { echo "stripped: a server was asked without --debuginfod"; fail=1; }
said=$(PATH=$tmp/bin DEBUGINFOD_URLS= "$hitmap" report -i "$tmp/stripped.data" --debuginfod 2>&1)
[ $? = 2 ] && grep -q 'DEBUGINFOD_URLS names no server' <<<"$said" || { echo "no server: $said"; fail=1; }
said=$(PATH=$tmp/root "$hitmap" report -i "$tmp/stripped.data" --debuginfod 2>&1)
[ $? = 3 ] && grep -q 'apt-get install debuginfod' <<<"$said" || { echo "no debuginfod-find: $said"; fail=1; }
mkdir -p "$tmp/root$tmp/.debug"
cp "$tmp/elsewhere" "$tmp/root$tmp/.debug/linked.debug"
cp "$tmp/elsewhere" "$tmp/linked.debug"
objcopy --add-gnu-debuglink="$tmp/linked.debug" "$tmp/stripped" "$tmp/root$tmp/stripped"
rm "$tmp/linked.debug"
report stripped --symfs "$tmp/root"
has stripped "${everywhere[@]}"

# A debug file of another build is not believed.
gcc -O1 -g -DROUND=1 -pthread -o "$tmp/other" "$programs/places.c"
objcopy --only-keep-debug "$tmp/other" "$tmp/stripped.debug"
report stripped
! grep -q 'ring' "$tmp/stripped.cells" || { echo "stripped: believed another build's debug file"; fail=1; }

# Two small blocks in one line are two blocks with names, through both doors.
gcc -O2 -g -pthread -o "$tmp/blocks" "$programs/blocks.c" || exit 1
"$hitmap" cc -O2 -g -pthread -o "$tmp/blocks_hooks" "$programs/blocks.c" || exit 1
for name in blocks blocks_hooks; do
	record $name --heap -- "$tmp/$name"
	report $name
	objects=$(sed -n 's/^malloc(24) in make_counter blocks.c:[0-9]* #\([0-9]*\)|struct counter|counter.n.*|allocation+instruction|.*/\1/p' \
		"$tmp/$name.cells" | sort -u | wc -l)
	[ "$objects" -ge 2 ] || {
		echo "$name: $objects blocks are named, not 2:"
		cat "$tmp/$name.cells"
		fail=1
	}
done
# The log is of the kernel's rings as well.
if "$hitmap" record -q --heap -e page-faults -c 1 -o "$tmp/rings.data" -- "$tmp/blocks" 2>/dev/null; then
	grep -aq '"block"' "$tmp/rings.data" || { echo "rings: no blocks in the recording"; fail=1; }
fi
# A static program cannot be logged: said.
record static_heap --heap --door qemu -- "$tmp/static"
report static_heap
grep -q 'the heap was not logged' "$tmp/static_heap.txt" || { echo "static: nothing said of --heap"; fail=1; }

# Code that the program made has the name that it gave it.
gcc -O2 -g -pthread -o "$tmp/jit" "$programs/jit.c" || exit 1
record jit --door qemu -- "$tmp/jit" "$tmp"
report jit
jq -e '[.. | .symbol? // empty] | any(. == "LMain;count")' "$tmp/jit.json" >/dev/null || {
	echo "jit: made code has no name:"
	cat "$tmp/jit.txt"
	fail=1
}

if command -v rustc >/dev/null && rustc -O -g -o "$tmp/rust" "$programs/names_rust.rs" 2>"$tmp/out"; then
	record rust --door qemu -- "$tmp/rust"
	report rust
	has rust "[heap]|names_rust::Stats|Stats.hits|instruction|likely" "[heap]|names_rust::Stats|Stats.misses|instruction|likely"
else
	echo "no rustc: Rust not tried"
fi
if command -v go >/dev/null && HOME=$tmp GOCACHE=$tmp/go GO111MODULE=off go build -o "$tmp/golang" "$programs/names_go.go" 2>"$tmp/out"; then
	record golang --door qemu -- "$tmp/golang"
	report golang
	has golang "[Go heap]|main.counter|main.counter.hits|instruction|likely"
else
	echo "no go: Go not tried"
fi
exit $fail
