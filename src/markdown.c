// SPDX-License-Identifier: GPL-2.0-only
#include "markdown.h"
#include "label.h"

#include <string.h>

void markdown_text(FILE *out, const char *s)
{
	char label[LABEL_BYTES];

	label_fit(label, s, LABEL_COLUMNS, true);
	for (s = label; *s; s++) {
		/* '@' and '#' would call people and issues of the forge that shows it. */
		if (strchr("<>&@#", *s)) {
			fprintf(out, "&#%d;", *s);
			continue;
		}
		if (strchr("\\`*_{}[]()!|~", *s))
			fputc('\\', out);
		fputc(*s, out);
	}
}
