/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "cmd/options/options_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The usual options, a line each -------------------------------------------------------- */

enum { LINE_WIDTH = 79 };

static bool is_usual(const struct option *option)
{
	return !option->advanced && !option->rare && option->type != OPTION_GONE;
}

/* Returns an option as "  -n, --cores=LIST"; the caller frees it. */
static char *left_text(const struct option *option)
{
	const char *name = option->name ? option->name : "", *argument = option->argument;
	const char letter[] = {'-', option->letter, option->name ? ',' : '\0', '\0'};

	return xasprintf("  %-3s %s%s%s%s", option->letter ? letter : "", option->name ? "--" : "",
			 name,
			 !argument		 ? ""
			 : strchr(argument, '=') ? " "
						 : "=",
			 argument ? argument : "");
}

static bool is_in_brackets(const char *text, const char *place)
{
	int open = 0;

	for (; text < place; text++)
		open += (*text == '(') - (*text == ')');
	return open > 0;
}

/* Returns the length of the part of `help` that fits into `width`, up to the last possible end. */
static size_t fitting_length(const char *help, size_t width)
{
	static const char *const ends[] = {"; ", ": ", " (", ", "};

	if (strlen(help) <= width)
		return strlen(help);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t length = 0;

		for (const char *end = help; (end = strstr(end, ends[i])); end++)
			if ((size_t)(end - help) <= width && !is_in_brackets(help, end))
				length = (size_t)(end - help);
		if (length)
			return length;
	}
	return strlen(help);
}

void option_help_brief(const struct option_rows *rows, const char *usage)
{
	char **left = xcalloc(rows->slot_count, sizeof(*left));
	size_t widest = 0;

	printf("Usage: %s %s\n\n", rows->words[0], usage);
	for (size_t i = 0; i < rows->slot_count; i++) {
		left[i] = is_usual(rows->slots[i].option) ? left_text(rows->slots[i].option) : NULL;
		if (left[i] && strlen(left[i]) > widest)
			widest = strlen(left[i]);
	}
	for (size_t i = 0; i < rows->slot_count; i++) {
		const char *help = rows->slots[i].option->help ?: "";

		if (left[i])
			printf("%-*s  %.*s\n", (int)widest, left[i],
			       (int)fitting_length(help, LINE_WIDTH - widest - 2), help);
		free(left[i]);
	}
	free(left);
}

/* --- All options, those for experts last --------------------------------------------------- */

/* Rows of popt in groups by heading: a group ends with a row of zeros. */
struct option_page {
	struct poptOption *rows, *groups;
	size_t row_count, group_count;
};

static void page_add(struct option_page *page, const char *heading, const struct poptOption *row)
{
	if (!page->group_count || strcmp(page->groups[page->group_count - 1].descrip, heading)) {
		page->row_count += page->group_count > 0;
		page->groups[page->group_count++] =
			(struct poptOption){.argInfo = POPT_ARG_INCLUDE_TABLE,
					    .arg = &page->rows[page->row_count],
					    .descrip = heading};
	}
	page->rows[page->row_count++] = *row;
}

static void page_fill(struct option_page *page, const struct option_rows *rows, bool advanced)
{
	for (size_t i = 0; i < rows->slot_count; i++) {
		const struct option_slot *slot = &rows->slots[i];

		if (slot->option->type != OPTION_GONE && slot->option->advanced == advanced)
			page_add(page, advanced ? "Advanced:" : slot->heading, slot->row);
	}
}

void option_help_all(const struct option_rows *rows, const char *usage)
{
	size_t most = 2 * rows->slot_count + 2;
	struct option_page page = {.rows = xcalloc(most, sizeof(*page.rows)),
				   .groups = xcalloc(most, sizeof(*page.groups))};
	const char *words[] = {rows->words[0], NULL};
	poptContext context;

	page_fill(&page, rows, false);
	page_fill(&page, rows, true);
	context = poptGetContext(words[0], 1, words, page.groups, 0);
	poptSetOtherOptionHelp(context, usage);
	poptPrintHelp(context, stdout, 0);
	poptFreeContext(context);
	free(page.rows);
	free(page.groups);
}
