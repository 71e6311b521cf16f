#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Makes a Debian machine ready to build and test hitmap: packages, libperf, a qemu-user with plugins.
# Does nothing that is already done. Needs root, or sudo.
set -eu
cd "$(dirname "$0")/.."

packages="gcc g++ clang libclang-rt-dev make pkg-config libelf-dev libdw-dev libiberty-dev libjson-c-dev libinih-dev
	libzstd-dev libcmocka-dev linux-perf python3 jq pigz binutils procps
	xz-utils zstd bzip2 libcapstone-dev libtraceevent-dev libbpf-dev libncurses-dev tmux dwarves strace"
root=env
[ "$(id -u)" = 0 ] || root="sudo env"

say() {
	echo "setup: $*"
}

missing() {
	for p in "$@"; do
		dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || echo "$p"
	done
}

install_packages() {
	need=$(missing "$@")
	[ -n "$need" ] || return 0
	say "installing" $need
	if [ "$root" != env ] && ! command -v sudo >/dev/null; then
		say "not root and no sudo: run as root: apt-get install" $need
		exit 1
	fi
	log=$(mktemp)
	if ! { $root DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $need ||
		{ $root apt-get update &&
		$root DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $need; }
	} >"$log" 2>&1; then
		tail -5 "$log"
		say "apt-get could not install these packages; the lines above say why"
		exit 1
	fi
	rm -f "$log"
}

# libperf is in no Debian package: built from Debian's kernel source. 6.1's copy corrupts records over
# 4 kB that wrap the ring, so 6.12 it is.
build_libperf() {
	pkg-config --exists libperf 2>/dev/null && return 0
	[ -e deps/libperf/.ready ] && return 0
	install_packages flex bison xz-utils
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	say "fetching linux-source-6.12 and building libperf from it"
	(cd "$tmp" && { apt-get download linux-source-6.12 || { $root apt-get update && apt-get download linux-source-6.12; }; }) >"$tmp/log" 2>&1 ||
		{ tail -3 "$tmp/log"; say "linux-source-6.12 cannot be downloaded"; exit 1; }
	top=linux-source-6.12
	dpkg-deb --fsys-tarfile "$tmp"/linux-source-6.12_*.deb |
		tar -xO ./usr/src/$top.tar.xz |
		tar -xJ -C "$tmp" --wildcards $top/tools/lib/perf $top/tools/lib/api \
			$top/tools/lib/zalloc.c $top/tools/lib/str_error_r.c $top/tools/build \
			$top/tools/scripts $top/tools/include $top/tools/arch/x86/include
	make -C "$tmp/$top/tools/lib/perf" prefix="$tmp/out" install_lib install_headers >"$tmp/log" 2>&1 ||
		{ tail -5 "$tmp/log"; say "libperf did not build"; exit 1; }
	rm -rf deps/libperf
	mkdir -p deps/libperf/lib
	cp -r "$tmp/out/include" deps/libperf/include
	cp "$tmp"/out/lib*/libperf.a "$tmp/$top/tools/lib/api/libapi.a" deps/libperf/lib/
	touch deps/libperf/.ready
	rm -rf "$tmp"
	trap - EXIT
}

# The QEMU door needs a qemu-x86_64 that loads plugins. Debian 12's does; where the packaged one is
# static it is built from Debian's own source.
qemu_has_plugins() {
	command -v "$1" >/dev/null && "$1" -h 2>/dev/null | grep -q -- '-plugin'
}

find_qemu() {
	qemu_has_plugins qemu-x86_64 && return 0
	qemu_has_plugins deps/qemu/bin/qemu-x86_64 && return 0
	install_packages qemu-user
	qemu_has_plugins qemu-x86_64 && return 0
	scripts/build-qemu.sh
}

install_packages $packages
build_libperf
find_qemu
