// SPDX-License-Identifier: GPL-2.0-only
#include "report_say.h"
#include "label.h"
#include "mem.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *report_thousands(const struct text_report *r, uint64_t n)
{
	char text[FIGURE_TEXT_BYTES];

	return intern_string(r->view->pool, figure_count(text, n));
}

const char *report_quantity(const struct text_report *r, uint64_t n, const char *noun)
{
	return intern_printf(r->view->pool, "%s %s%s", report_thousands(r, n), noun,
			     n == 1 ? "" : "s");
}

void report_wrap(const struct text_report *r, const char *text)
{
	char label[LABEL_BYTES];
	uint32_t column = 0;

	while (*text) {
		size_t bytes = strcspn(text, " ");
		char *word = strndup(text, bytes);

		if (!word)
			mem_exhausted();
		label_fit(label, word, r->width - 2, r->style.unicode);
		free(word);
		if (column && column + 1 + label_columns(label) > r->width)
			column = fprintf(r->out, "\n%*s  ", (int)r->indent, "") - 1 - r->indent;
		else if (column)
			column += fprintf(r->out, " ");
		fputs(label, r->out);
		column += label_columns(label);
		text += bytes + strspn(text + bytes, " ");
	}
	fputc('\n', r->out);
}

void report_say(const struct text_report *r, const char *fmt, ...)
{
	va_list ap;
	char *text = NULL;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		mem_exhausted();
	va_end(ap);
	report_wrap(r, text);
	free(text);
}
