/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which files the recorded tasks have mapped, and their build ids: what a report needs to know that
 * a file is still the one whose code was sampled.
 */
#ifndef HITMAP_MAPPED_FILE_H
#define HITMAP_MAPPED_FILE_H

#include "err.h"
#include "intern.h"
#include "map.h"

#include <linux/perf_event.h>

struct mapped_file {
	const char *path; /* interned */
	uint64_t inode;	  /* 0 where the record has none */
};

struct mapped_file_set {
	struct intern *pool;
	struct map known; /* of interned paths */
	struct mapped_file *file;
	uint32_t count, room;
};

void mapped_file_init(struct mapped_file_set *s);
void mapped_file_deinit(struct mapped_file_set *s);

/* Notes the file of a PERF_RECORD_MMAP2 of executable memory; ignores all other records. */
void mapped_file_note(struct mapped_file_set *s, const struct perf_event_header *h);

/* An ELF note of the GNU build id in "size" bytes of notes, as /sys/kernel/notes has them; NULL
 * when there is none. "*id_size" up to 20. */
const uint8_t *mapped_file_find_id(const void *notes, size_t size, uint8_t *id_size);

/*
 * Gives the kernel's build id and that of each noted file that still is the one that was mapped
 * (the same inode) to "take", until that fails; its error. "root": "" for the running machine.
 */
struct err *mapped_file_ids(struct mapped_file_set *s, const char *root,
			    struct err *(*take)(void *context, const char *path, const uint8_t *id,
						uint8_t size, bool kernel),
			    void *context);

#endif
