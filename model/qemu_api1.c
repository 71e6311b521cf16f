// SPDX-License-Identifier: GPL-2.0-only
/* Plugin API 1: QEMU 7.2 to 8.2. */
#define SHIM_API       1
#define SHIM_API_LAST  1
#define SHIM_OLD_DATA  1
#define SHIM_SKIP_ENDS true
#include "qemu_shim.h"
