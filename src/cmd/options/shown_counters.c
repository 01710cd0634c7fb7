/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/shown_counters.h"

#include "base/alloc.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const char *name, const char *const *names, size_t count, struct err *err)
{
	char *known = xstrdup("");

	for (size_t i = 0; i < count; i++) {
		char *longer = xasprintf("%s%s%s", known, i ? ", " : "", names[i]);

		free(known);
		known = longer;
	}
	err_set(err, "--show %s: that is not counted here; there are %s, and all", name, known);
	free(known);
	return -1;
}

static void add(size_t *shown, size_t *shown_count, size_t counter)
{
	for (size_t i = 0; i < *shown_count; i++)
		if (shown[i] == counter)
			return;
	shown[(*shown_count)++] = counter;
}

int shown_counters_find(size_t **shown, size_t *shown_count, const char *text,
			const char *const *names, size_t count, struct err *err)
{
	char *copy = text ? xstrdup(text) : NULL, *rest = copy, *name;
	int rc = 0;

	*shown = xcalloc(count + 1, sizeof(**shown));
	*shown_count = 0;
	while (!rc && (name = strsep(&rest, ","))) {
		bool all = strcmp(name, "all") == 0, found = all;

		for (size_t i = 0; i < count; i++) {
			if (!all && strcmp(name, names[i]) != 0)
				continue;
			add(*shown, shown_count, i);
			found = true;
		}
		if (!found)
			rc = refuse(name, names, count, err);
	}
	free(copy);
	return rc;
}
