#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Writes the expected screens anew, after a change of the views that was meant: rewrite.sh [BUILD].
# Look at what "git diff tests/expected/screens" then shows before you keep it.
set -eu
cd "$(dirname "$0")/../../.."
build=${1:-build}
make BUILD="$build" "$build/tests/test_screen"
"$build/tests/test_screen" --write
git --no-pager diff --stat -- tests/expected/screens
