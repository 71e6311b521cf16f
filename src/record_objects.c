// SPDX-License-Identifier: GPL-2.0-only
#include "record_objects.h"
#include "kobject.h"

static struct err *find(struct kobject_kernel *kernel, struct kobject_set *set)
{
	struct err *e = kmem_open_bpf(&kernel->memory);

	if (!e)
		e = type_btf_open(TYPE_BTF_KERNEL, NULL, kernel->pool, &kernel->types);
	return e ? e : kobject_find_all(kernel, set);
}

/* A recording without names of kernel objects is a recording all the same. */
static struct err *put_reason(struct err *reason, struct intern *pool,
			      struct err *(*put)(void *to, const struct note *n), void *to)
{
	const struct note n = { .kind = NOTE_REMARK,
				.remark.text =
					intern_printf(pool, "kernel objects stay without names: %s",
						      err_text(reason)) };

	err_free(reason);
	return put(to, &n);
}

struct err *record_objects(object_put put, void *to)
{
	struct intern *pool = intern_new();
	struct kobject_kernel kernel = { .pool = pool };
	struct kernel_symbols *symbols = NULL;
	struct kobject_set set = { 0 };
	struct err *e;

	err_free(kernel_symbols_open("/proc/kallsyms", &symbols)); /* without, less is found */
	kernel.symbols = symbols;
	e = find(&kernel, &set);
	if (e)
		e = put_reason(e, pool, put, to);
	for (uint32_t i = 0; !e && i < set.count; i++) {
		const struct note n = kobject_note(&set.item[i], pool);

		e = put(to, &n);
	}
	kobject_set_deinit(&set);
	type_btf_free(kernel.types);
	kmem_free(kernel.memory);
	kernel_symbols_free(symbols);
	intern_free(pool);
	return e;
}
