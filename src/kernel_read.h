/* SPDX-License-Identifier: GPL-2.0-only */
/* What kmem_bpf.c and the program in bpf/kernel_read.bpf.c tell each other. Both include types
 * first. */
#ifndef HITMAP_KERNEL_READ_H
#define HITMAP_KERNEL_READ_H

#define KERNEL_READ_CHUNK  512 /* bytes: a page may be readable in parts only */
#define KERNEL_READ_CHUNKS 8

struct kernel_read_request {
	unsigned long long addr;		      /* a multiple of the page's size */
	unsigned char chunk_read[KERNEL_READ_CHUNKS]; /* 1: it could be read */
	unsigned char bytes[KERNEL_READ_CHUNK * KERNEL_READ_CHUNKS];
};

#endif
