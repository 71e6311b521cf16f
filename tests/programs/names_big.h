/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes a .bss that is larger than the last page of the file's data. */
long big[50000];
