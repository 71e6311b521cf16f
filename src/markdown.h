/* SPDX-License-Identifier: GPL-2.0-only */
/* Text that Markdown shows as it is, in a table too. */
#ifndef HITMAP_MARKDOWN_H
#define HITMAP_MARKDOWN_H

#include <stdio.h>

/* What Markdown or HTML would take for its own is escaped; control characters become '?'. */
void markdown_text(FILE *out, const char *s);

#endif
