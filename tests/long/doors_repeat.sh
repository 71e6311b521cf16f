#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs alone.
# The model's repeatability, five runs idle and five busy, and a hundred runs of the churn.
exec bash "$(dirname "$0")/../run/doors_repeat.sh" "${1:-build}" long
