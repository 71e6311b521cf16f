#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds qemu-x86_64 with plugins from Debian's own source into deps/qemu: for Debian 13 and later, whose
# packaged qemu-user is static and loads none. Does nothing when that is done. Needs root, or sudo, for
# the packages that the build needs. JOBS=N sets how many compilers run.
set -eu
cd "$(dirname "$0")/.."
to=$PWD/deps/qemu
binary=$to/bin/qemu-x86_64
root=env
[ "$(id -u)" = 0 ] || root="sudo env"

say() {
	echo "build-qemu: $*"
}

fail() { # LOG TEXT
	tail -5 "$1"
	say "$2"
	exit 1
}

has_plugins() {
	[ -x "$binary" ] && "$binary" -h 2>/dev/null | grep -q -- '-plugin'
}

has_plugins && exit 0

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
log=$tmp/log

packages="dpkg-dev gcc make ninja-build meson python3 python3-venv pkg-config libglib2.0-dev flex bison"
say "installing what the build needs"
$root DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages >"$log" 2>&1 ||
	fail "$log" "apt-get could not install these packages: $packages"

# The release's source packages, whether or not the system's own list names them.
. /etc/os-release
cat >"$tmp/sources.list" <<END
deb-src http://deb.debian.org/debian ${VERSION_CODENAME:-sid} main
END
mkdir -p "$tmp/lists/partial" "$tmp/source"
options="-o Dir::Etc::SourceList=$tmp/sources.list -o Dir::Etc::SourceParts=/dev/null
	-o Dir::State::Lists=$tmp/lists -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache="
say "fetching Debian's source of qemu"
(cd "$tmp/source" && apt-get $options update && apt-get $options source qemu) >"$log" 2>&1 ||
	fail "$log" "apt-get source qemu failed"
source=$(find "$tmp/source" -mindepth 1 -maxdepth 1 -type d -name 'qemu-*' | head -1)
[ -n "$source" ] || fail "$log" "the source package has no folder qemu-*"

say "building $(basename "$source") with plugins; this takes some minutes"
mkdir "$tmp/build"
cd "$tmp/build"
"$source/configure" --prefix="$to" --target-list=x86_64-linux-user --enable-plugins --disable-system \
	--disable-tools --disable-docs --disable-werror --without-default-features >"$log" 2>&1 ||
	fail "$log" "qemu's configure failed"
ninja -j "${JOBS:-$(nproc)}" qemu-x86_64 >"$log" 2>&1 || fail "$log" "qemu did not build"
mkdir -p "$to/bin"
cp qemu-x86_64 "$binary"
has_plugins || fail "$log" "the qemu-x86_64 that was built has no -plugin option"
say "$("$binary" --version | head -1) in deps/qemu"
