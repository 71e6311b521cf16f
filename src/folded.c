// SPDX-License-Identifier: GPL-2.0-only
#include "folded.h"
#include "label.h"

#include <string.h>

void folded_frame(FILE *out, const char *name, int at)
{
	char label[LABEL_BYTES];

	label_fit(label, name && name[0] ? name : "[unknown]", LABEL_COLUMNS, true);
	if (at)
		fputc(';', out);
	for (const char *s = label; *s; s++)
		fputc(*s == ';' ? '_' : *s, out);
}
