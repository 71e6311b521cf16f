// SPDX-License-Identifier: GPL-2.0-only
#include "html.h"
#include "csv.h"
#include "line.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- The page */

static const char STYLE[] =
	":root{color-scheme:light dark;--fg:#1b1b1b;--bg:#fff;--dim:#595959;--rule:#d0d0d0;"
	"--band:#f4f4f4;--heat:200,60,0}\n"
	"@media(prefers-color-scheme:dark){:root{--fg:#e4e4e4;--bg:#181818;--dim:#a0a0a0;"
	"--rule:#444;--band:#222;--heat:255,130,40}}\n"
	"body{color:var(--fg);background:var(--bg);font:14px/1.45 system-ui,sans-serif;"
	"margin:1.5em auto;max-width:1400px;padding:0 1em}\n"
	"h1{font-size:1.35em;overflow-wrap:anywhere}h2{font-size:1.1em;margin:1.8em 0 .4em;"
	"overflow-wrap:anywhere}\n"
	"table{border-collapse:collapse;margin:.4em 0;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.18em .6em;border-bottom:1px solid var(--rule);text-align:left;"
	"vertical-align:top}td{overflow-wrap:break-word;min-width:2em}"
	".t{min-width:4.5em;max-width:26em}th.n{white-space:normal}.pairs .n{text-align:left}\n"
	"th{color:var(--dim);font-weight:600;background:var(--band)}\n"
	"table.sort th{cursor:pointer}table.sort th:hover{color:var(--fg)}\n"
	"th[aria-sort=ascending]::after{content:' \\25b2'}"
	"th[aria-sort=descending]::after{content:' \\25bc'}\n"
	".n{text-align:right;white-space:nowrap}.code{font-family:ui-monospace,monospace;"
	"font-size:.93em}\n"
	".dim{color:var(--dim)}tr.sub td{border-bottom-style:dotted;color:var(--dim)}\n"
	".heat{display:inline-flex;font-size:.78em;white-space:nowrap}"
	".heat span{display:inline-block;min-width:2.9em;padding:.1em .2em;text-align:right;"
	"border:1px solid var(--rule);background:rgba(var(--heat),var(--a))}"
	".heat span:nth-child(5){margin-left:.5em}\n"
	"details{margin:.3em 0}summary{cursor:pointer;color:var(--dim)}\n"
	".went{color:#0a6ebd}.came{color:#b8500a}"
	"@media(prefers-color-scheme:dark){.went{color:#6cb8f5}.came{color:#f0a060}}\n"
	"@media print{body{max-width:none;margin:0;font-size:9.5px}h2,tr{break-inside:avoid}"
	"h2{break-after:avoid}*{print-color-adjust:exact}th,td{padding:.12em .35em}}\n";

/* Sorts rows by data-value, numbers as numbers; a row of class "sub" stays below its own. */
static const char SCRIPT[] =
	"document.querySelectorAll('table.sort th').forEach(th=>th.addEventListener('click',()=>{\n"
	"const table=th.closest('table'),at=[...th.parentNode.children].indexOf(th),"
	"down=th.getAttribute('aria-sort')!=='descending';\n"
	"const of=row=>{const td=row.children[at];if(!td)return'';"
	"const v=(td.dataset.value??td.textContent).split(',')[0];"
	"return v===''?-Infinity:isNaN(v)?v:Number(v)};\n"
	"const body=table.tBodies[0],groups=[];\n"
	"for(const row of body.rows){if(row.className==='sub'&&groups.length)"
	"groups[groups.length-1].push(row);else groups.push([row])}\n"
	"groups.sort((a,b)=>{const x=of(a[0]),y=of(b[0]);const order=typeof x===typeof y?"
	"(x<y?-1:x>y?1:0):typeof x==='number'?-1:1;return down?-order:order});\n"
	"for(const g of groups)for(const row of g)body.append(row);\n"
	"for(const other of th.parentNode.children)other.removeAttribute('aria-sort');\n"
	"th.setAttribute('aria-sort',down?'descending':'ascending')}));\n";

void html_begin(FILE *out, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
	      out);
	html_text(out, title);
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", STYLE);
	html_text(out, title);
	fputs("</h1>\n", out);
}

void html_end(FILE *out)
{
	fprintf(out, "<script>\n%s</script>\n</body>\n</html>\n", SCRIPT);
}

/* ---- Text */

/* Bytes of the UTF-8 character at "s"; 0: none. */
static int character_bytes(const unsigned char *s)
{
	static const unsigned char LEAST[] = { 0, 0, 0xc2, 0xe0, 0xf0 };
	int bytes = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;

	if (s[0] >= 0xf5 || s[0] < LEAST[bytes])
		return 0;
	for (int i = 1; i < bytes; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong, surrogates, beyond the last plane. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
		return 0;
	return bytes;
}

void html_text(FILE *out, const char *s)
{
	const unsigned char *at = (const unsigned char *)s;

	while (at && *at) {
		int bytes = character_bytes(at);

		if (!bytes || *at < 0x20 || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0))
			fputs("\xef\xbf\xbd", out);
		else if (strchr("<>&\"'", *at))
			fprintf(out, "&#%d;", *at);
		else
			fwrite(at, 1, bytes, out);
		at += bytes ? bytes : 1;
	}
}

/* ---- Figures */

static bool is_number(enum figure_kind kind)
{
	return kind != FIGURE_TEXT && kind != FIGURE_HEAT && kind != FIGURE_FLAG;
}

static void put_class(FILE *out, enum figure_kind kind)
{
	if (is_number(kind))
		fputs(" class=\"n\"", out);
	else if (kind == FIGURE_TEXT)
		fputs(" class=\"t\"", out);
}

/* "cost_share" is "cost share". */
static void put_title(FILE *out, const char *title, const char *key)
{
	char text[64];

	snprintf(text, sizeof(text), "%s", title ? title : key);
	for (char *c = text; !title && *c; c++)
		*c = *c == '_' ? ' ' : *c;
	html_text(out, text);
}

void html_head(FILE *out, const char *title, const char *key, enum figure_kind kind)
{
	fputs("<th", out);
	put_class(out, kind);
	fputs(">", out);
	put_title(out, title, key);
	fputs("</th>", out);
}

/* Each shade is the square root of its share: small ones are still seen. */
static void put_heat(FILE *out, const struct figure *f, uint64_t hottest)
{
	char text[FIGURE_TEXT_BYTES];

	fputs("<span class=\"heat\">", out);
	for (int i = 0; i < LINE_WORDS; i++)
		fprintf(out, "<span style=\"--a:%.2f\">%s</span>",
			hottest ? 0.85 * sqrt((double)f->heat[i] / hottest) : 0,
			f->heat[i] ? figure_count(text, f->heat[i]) : "&#160;");
	fputs("</span>", out);
}

static void put_value(FILE *out, const char *key, enum figure_kind kind, const struct figure *f)
{
	struct csv values = { .out = out };

	if (!key)
		return;
	fprintf(out, " data-key=\"%s\"", key);
	if (!f->known || kind == FIGURE_TEXT)
		return; /* the text is the value */
	fputs(" data-value=\"", out);
	csv_figure(&values, kind, f);
	fputs("\"", out);
}

void html_cell(FILE *out, const char *key, enum figure_kind kind, const struct figure *f,
	       uint64_t hottest)
{
	char text[FIGURE_TEXT_BYTES];

	fputs("<td", out);
	put_class(out, kind);
	put_value(out, key, kind, f);
	if (!f->known) {
		fputs("><span class=\"dim\">n/a</span></td>", out);
		return;
	}
	fputs(">", out);
	if (kind == FIGURE_HEAT)
		put_heat(out, f, hottest);
	else
		html_text(out, kind == FIGURE_TEXT ? f->text : figure_text(text, kind, f));
	fputs("</td>", out);
}

void html_pair(FILE *out, const char *title, const char *key, enum figure_kind kind,
	       const struct figure *f)
{
	fputs("<tr><th>", out);
	put_title(out, title, key);
	fputs("</th>", out);
	html_cell(out, key, kind, f, 0);
	fputs("</tr>\n", out);
}
