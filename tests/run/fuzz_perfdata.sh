#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The readers of recordings take any bytes: a minute of fuzzing with small recordings to start from.
exec bash "$(dirname "$0")/../fuzz/run.sh" 60 "${1:-build}"
