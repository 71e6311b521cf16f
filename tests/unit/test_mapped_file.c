// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blob.h"
#include "mapped_file.h"

/* To a multiple of 4 bytes, as notes are. */
static void put_padded(struct blob *b, const void *bytes, uint32_t size)
{
	blob_bytes(b, bytes, size);
	while (b->size % 4)
		blob_bytes(b, "", 1);
}

static void put_note(struct blob *b, const char *name, uint32_t type, const void *desc,
		     uint32_t size)
{
	blob_u32(b, strlen(name) + 1);
	blob_u32(b, size);
	blob_u32(b, type);
	put_padded(b, name, strlen(name) + 1);
	put_padded(b, desc, size);
}

static void a_build_id_is_found_behind_other_notes(void **state)
{
	struct blob b = { 0 };
	const uint8_t *id;
	uint8_t size = 0;

	put_note(&b, "Linux", 257, "abcde", 5);
	put_note(&b, "Xen", NT_GNU_BUILD_ID, "wrong owner", 11);
	put_note(&b, "GNU", NT_GNU_BUILD_ID, "0123456789abcdef0123", 20);
	id = mapped_file_find_id(b.bytes, b.size, &size);
	assert_non_null(id);
	assert_int_equal(size, 20);
	assert_memory_equal(id, "0123456789abcdef0123", 20);
	blob_deinit(&b);
}

static void damaged_notes_have_no_build_id(void **state)
{
	struct blob b = { 0 };
	uint8_t size;

	put_note(&b, "GNU", NT_GNU_BUILD_ID, "0123456789abcdef0123", 20);
	for (size_t cut = 0; cut < b.size; cut++) {
		uint8_t *copy = malloc(cut ? cut : 1);

		memcpy(copy, b.bytes, cut);
		assert_null(mapped_file_find_id(copy, cut, &size));
		free(copy);
	}
	memset(b.bytes, 0xff, 4); /* a name of 4 GB */
	assert_null(mapped_file_find_id(b.bytes, b.size, &size));
	blob_deinit(&b);
}

/* A record of the mapping of "path" with an inode. */
static struct blob mapping_of(const char *path, uint64_t inode, uint32_t prot)
{
	struct blob b = { 0 };
	struct perf_event_header h = { .type = PERF_RECORD_MMAP2 };

	blob_bytes(&b, &h, sizeof(h));
	for (int i = 0; i < 5; i++)
		blob_u64(&b, 0); /* pid and tid, addr, len, pgoff, maj and min */
	blob_u64(&b, inode);
	blob_u64(&b, 0);
	blob_u32(&b, prot);
	blob_u32(&b, 0);
	blob_padded(&b, path, strlen(path) + 1, 8);
	((struct perf_event_header *)b.bytes)->size = b.size;
	return b;
}

static void note(struct mapped_file_set *s, const char *path, uint64_t inode, uint32_t prot)
{
	struct blob b = mapping_of(path, inode, prot);

	mapped_file_note(s, (const void *)b.bytes);
	blob_deinit(&b);
}

static struct err *count_id(void *context, const char *path, const uint8_t *id, uint8_t size,
			    bool kernel)
{
	int *count = context;

	if (!kernel)
		++*count;
	return NULL;
}

static int ids_of(struct mapped_file_set *s)
{
	int count = 0;

	assert_null(mapped_file_ids(s, "", count_id, &count));
	return count;
}

static void code_of_this_very_file_is_identified_once(void **state)
{
	struct mapped_file_set s;
	char own[4096] = "";
	struct stat st;

	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	assert_int_equal(stat(own, &st), 0);
	mapped_file_init(&s);
	note(&s, own, st.st_ino, PROT_READ | PROT_EXEC);
	note(&s, own, st.st_ino, PROT_READ | PROT_EXEC);
	note(&s, "//anon", 0, PROT_READ | PROT_EXEC);
	note(&s, "[vdso]", 0, PROT_READ | PROT_EXEC);
	note(&s, "/proc/self/maps", 1, PROT_READ);
	assert_int_equal(s.count, 1);
	assert_int_equal(ids_of(&s), 1);
	mapped_file_deinit(&s);
}

static void a_file_that_was_replaced_has_no_build_id_of_the_new_one(void **state)
{
	struct mapped_file_set s;
	char own[4096] = "";
	struct stat st;

	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	assert_int_equal(stat(own, &st), 0);
	mapped_file_init(&s);
	note(&s, own, st.st_ino + 1, PROT_EXEC);
	assert_int_equal(ids_of(&s), 0);
	mapped_file_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_build_id_is_found_behind_other_notes),
		cmocka_unit_test(damaged_notes_have_no_build_id),
		cmocka_unit_test(code_of_this_very_file_is_identified_once),
		cmocka_unit_test(a_file_that_was_replaced_has_no_build_id_of_the_new_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
