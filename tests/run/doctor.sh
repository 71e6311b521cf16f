#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# hitmap doctor on this machine, whatever it is, as root and as nobody, and on each fixture: the exit
# status agrees with what it says, JSON parses, texts are at most 100 columns. Argument: the build folder.
set -u
build=$(realpath "${1:-build}")
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
failed=0

# check NAME COMMAND...: text and JSON of one machine.
check() {
	local name=$1 status json wide usable
	shift
	"$@" >"$tmp/text" 2>"$tmp/err" </dev/null
	status=$?
	wide=$(awk 'length > 100' "$tmp/text" | head -1)
	[ -z "$wide" ] || { echo "$name: wider than 100 columns: $wide"; failed=1; }
	grep -q '^ hardware sampling ' "$tmp/text" || { echo "$name: no row of hardware"; failed=1; }
	"$@" --json >"$tmp/json" 2>"$tmp/err" </dev/null
	json=$?
	[ $status = $json ] || { echo "$name: exit status $status, with --json $json"; failed=1; }
	usable=$(python3 -c 'import json, sys; d = json.load(open(sys.argv[1]))
for s in d["sources"]:
    assert s["usable"] != "no" or (s["layer"] and s["next"]), s
print(d["hardware_usable"])' "$tmp/json") || { echo "$name: JSON"; cat "$tmp/json"; failed=1; }
	case $usable:$status in
	True:0 | False:3) ;;
	*) echo "$name: hardware_usable $usable, but exit status $status"; cat "$tmp/err"; failed=1 ;;
	esac
}

command -v python3 >/dev/null || { echo "no python3"; exit 77; }
check "this machine" "$build/hitmap" doctor
# A copy, as nobody may not be allowed into the build folder.
mkdir "$tmp/bin" && cp "$build/hitmap" "$tmp/bin/" || exit 1
if [ "$(id -u)" = 0 ]; then
	check nobody setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/bin/hitmap" doctor
	grep -q '"none of perfmon' "$tmp/json" || { echo "nobody has capabilities?"; failed=1; }
fi
for description in fixtures/sysfs/*; do
	machine=$(basename "$description")
	fixtures/make_sysfs.sh "$description" "$tmp/$machine" || exit 1
	check "$machine" "$build/hitmap" doctor --sysroot "$tmp/$machine"
done
"$build/hitmap" doctor stray >"$tmp/text" 2>&1
[ $? = 2 ] || { echo "an argument that is no option was taken"; failed=1; }
exit $failed
