/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_embed.h"

#include "base/printable.h"
#include "report/report_private.h"

#include <stdlib.h>
#include <string.h>

/* Writes text that is printable already. */
static void html_put(FILE *out, const char *shown)
{
	static const char special[] = "&<>\"'";
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

	for (; *shown; shown++) {
		const char *found = strchr(special, *shown);

		if (found)
			fputs(entities[found - special], out);
		else
			putc(*shown, out);
	}
}

void report_put_html(FILE *out, const char *text)
{
	char *shown = printable(PRINTABLE_TEXT, text, PRINTABLE_WHOLE);

	html_put(out, shown);
	free(shown);
}

void report_html_sentence(FILE *out, enum sentence kind, const char *shown)
{
	static const char *const classes[] = {
		[SENTENCE_VERDICT] = "verdict", [SENTENCE_ALERT] = "alert",
		[SENTENCE_REMARK] = "note",	[SENTENCE_NOTE] = "note",
		[SENTENCE_WARNING] = "note",	[SENTENCE_DETAIL] = "detail",
	};

	fprintf(out, "<p class=\"%s\">%s", classes[kind],
		kind == SENTENCE_ALERT ? "<strong>!</strong> " : "");
	html_put(out, shown);
	fputs("</p>\n", out);
}

static bool html_is_text(const struct column *column)
{
	return column->width < 0 || column->unit == UNIT_BAR;
}

static void html_cell(FILE *out, const struct column *column, const char *element,
		      const char *shown)
{
	fprintf(out, "<%s%s>", element, html_is_text(column) ? "" : " class=\"number\"");
	html_put(out, shown);
	fprintf(out, "</%s>", element);
}

static void html_begin(FILE *out, const struct table *table)
{
	fputs("<table>", out);
	if (table->title) {
		fputs("<caption>", out);
		report_put_html(out, table->title);
		fputs("</caption>", out);
	}
	fputc('\n', out);
}

void report_html_facts(FILE *out, const struct table *table, const struct cell *cells)
{
	char value[256];

	html_begin(out, table);
	for (size_t i = 0; i < table->column_count; i++) {
		if (cells[i].kind == CELL_NULL)
			continue;
		format_cell(value, sizeof(value), &cells[i], table->columns[i].unit);
		fputs("<tr><th scope=\"row\">", out);
		report_put_html(out, table->columns[i].label);
		fputs("</th><td>", out);
		html_put(out, value);
		fputs("</td></tr>\n", out);
	}
	fputs("</table>\n", out);
}

void report_html_rows(FILE *out, const struct table *table, const char *cells, size_t bytes)
{
	size_t i = 0;

	html_begin(out, table);
	fputs("<thead><tr>", out);
	for (size_t c = 0; c < table->column_count; c++) {
		char *label = printable(PRINTABLE_TEXT, table->columns[c].label, PRINTABLE_WHOLE);

		html_cell(out, &table->columns[c], "th", label);
		free(label);
	}
	fputs("</tr></thead>\n<tbody>", out);
	for (size_t at = 0; at < bytes; at += strlen(cells + at) + 1, i++) {
		size_t c = i % table->column_count;

		fputs(c ? "" : "<tr>", out);
		html_cell(out, &table->columns[c], "td", cells + at);
		fputs(c + 1 == table->column_count ? "</tr>\n" : "", out);
	}
	fputs("</tbody></table>\n", out);
}
