/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/sweep_levels.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"

#include <stdlib.h>
#include <string.h>

struct range {
	uint64_t from, to;
	uint64_t step, factor; /* the next is factor times this one, and step more */
};

/* "4", "1-8", "1-16:3" or "1-64x2". Takes the text apart. 0 or -1. */
static int parse_range(struct range *range, char *text)
{
	char *rest = text + strcspn(text, ":x");
	char by = *rest;
	char *dash;

	*range = (struct range){.step = 1, .factor = 1};
	if (by)
		*rest++ = '\0';
	dash = strchr(text, '-');
	if (dash)
		*dash = '\0';
	if (parse_u64(&range->from, text, SWEEP_N_MAX) || range->from == 0)
		return -1;
	range->to = range->from;
	if (dash && (parse_u64(&range->to, dash + 1, SWEEP_N_MAX) || range->to < range->from))
		return -1;
	if (!by)
		return 0;
	if (!dash)
		return -1;
	if (by == ':')
		return parse_u64(&range->step, rest, SWEEP_N_MAX) || range->step == 0 ? -1 : 0;
	range->step = 0;
	return parse_u64(&range->factor, rest, SWEEP_N_MAX) || range->factor < 2 ? -1 : 0;
}

static int add_range(struct sweep_levels *levels, size_t *capacity, const struct range *range)
{
	for (uint64_t n = range->from; n <= range->to; n = n * range->factor + range->step) {
		if (levels->count == SWEEP_LEVELS_MAX)
			return -1;
		array_reserve(&levels->n, capacity, levels->count + 1);
		levels->n[levels->count++] = n;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static void keep_each_once(struct sweep_levels *levels)
{
	size_t kept = 0;

	qsort(levels->n, levels->count, sizeof(*levels->n), compare);
	for (size_t i = 0; i < levels->count; i++)
		if (!kept || levels->n[i] != levels->n[kept - 1])
			levels->n[kept++] = levels->n[i];
	levels->count = kept;
}

int sweep_levels_parse(struct sweep_levels *levels, const char *text, struct err *err)
{
	char *copy = xstrdup(text);
	char *rest = copy;
	size_t capacity = 0;
	struct range range;
	int rc = 0;

	*levels = (struct sweep_levels){0};
	for (char *part; !rc && (part = strsep(&rest, ","));) {
		if (parse_range(&range, part))
			rc = err_set(err,
				     "'%s' is not a list of N like 1,2,4-8, 1-16:3 (every third) "
				     "or 1-64x2 (doubled), of numbers from 1 to %d",
				     text, SWEEP_N_MAX);
		else if (add_range(levels, &capacity, &range))
			rc = err_set(err, "'%s' has more than %d numbers", text, SWEEP_LEVELS_MAX);
	}
	free(copy);
	if (!rc)
		keep_each_once(levels);
	return rc;
}

void sweep_levels_release(struct sweep_levels *levels)
{
	free(levels->n);
	*levels = (struct sweep_levels){0};
}
