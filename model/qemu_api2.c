// SPDX-License-Identifier: GPL-2.0-only
/* Plugin API 2: QEMU 9.0. Atomics still come as one callback; memory callbacks are safe everywhere.
 */
#define SHIM_API       2
#define SHIM_API_LAST  2
#define SHIM_OLD_DATA  1
#define SHIM_SKIP_ENDS false
#include "qemu_shim.h"
