/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines, variables and type members from DWARF; the only file that includes libdw is type_dwarf.c.
 */
#ifndef HITMAP_TYPE_DWARF_H
#define HITMAP_TYPE_DWARF_H

#include "intern.h"

#include <stdbool.h>
#include <stdint.h>

struct dwarf;

/* NULL when the file has no debug information. Nothing is parsed before it is asked for. "code":
 * the program whose debug information "path" holds, when that is another file; else NULL. */
struct dwarf *dwarf_open(const char *path, const char *code, struct intern *pool);
void dwarf_free(struct dwarf *d);

/* Source position of link-time address "addr". "*file" is the base name, interned. */
bool dwarf_line(struct dwarf *d, uint64_t addr, const char **file, uint32_t *line);

/* The function that was inlined at "addr": false when its code is its function's own. Where that
 * calls a library's inlined function (std::atomic), "*file" and "*line" become the call's. */
bool dwarf_inlined(struct dwarf *d, uint64_t addr, const char **function, const char **file,
		   uint32_t *line);

struct dwarf_member {
	const char *path; /* "used[3].count", "Base::gen"; "" for a scalar variable itself */
	const char *type; /* of the whole variable: "struct ring", "long[8]"; NULL if unknown */
	uint32_t offset, size; /* of the member within the variable, bytes */
};

/* The member at byte "offset" of the static variable at link-time address "addr". False when no
 * variable with a type is there, or the offset is padding (then "type" is set all the same). */
bool dwarf_variable_member(struct dwarf *d, uint64_t addr, uint64_t offset, struct dwarf_member *m);

/* The same of the thread-local variable at "addr" in each thread's block. */
bool dwarf_thread_member(struct dwarf *d, uint64_t addr, uint64_t offset, struct dwarf_member *m);

/* The member at byte "offset" of the type called "name": a struct, union, class, typedef or base
 * type, with or without the keyword; "T[8]" is an array of it. An offset past the type's end is
 * taken to be in an array of it, since an object may hold several: path "[3].count". */
bool dwarf_type_member(struct dwarf *d, const char *name, uint64_t offset, struct dwarf_member *m);

struct layout;

/* The struct, union or class called "name", with or without the keyword, or a typedef of one. The
 * layout is to be given to layout_deinit() when found. */
bool dwarf_layout(struct dwarf *d, const char *name, struct layout *l);
/* Names of types that have members, in the file's order; "*at" is 0 at first. NULL at the end. */
const char *dwarf_next_type(struct dwarf *d, uint32_t *at);

#endif
