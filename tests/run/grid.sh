#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A part of the grid of sharing patterns gets its verdicts; "make check-cases" runs all of it.
cd "$(dirname "$0")/../.." && exec tests/grid/grid.sh "${1:-build}" small
