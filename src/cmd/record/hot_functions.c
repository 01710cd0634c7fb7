/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/record/hot_functions.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "decode/event/event_source.h"
#include "decode/trace_input.h"
#include "stats/spin/symbol_finder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HOT "hot"

/* A function, and how often a thread was in it. */
struct hot {
	const char *path, *function; /* borrowed */
	uint64_t samples;
};

bool hot_functions_are_meant(const char *pattern)
{
	size_t length = strlen(HOT);

	return strncmp(pattern, HOT, length) == 0 && (!pattern[length] || pattern[length] == ':');
}

int hot_functions_share(double *share, const char *pattern, struct err *err)
{
	const char *text = pattern + strlen(HOT) + 1;
	size_t length;
	char *number;
	bool percent;
	int rc;

	*share = HOT_SHARE_USUAL;
	if (!pattern[strlen(HOT)])
		return 0;
	length = strlen(text);
	percent = length && text[length - 1] == '%';
	number = xasprintf("%.*s", (int)(length - percent), text);
	rc = parse_double(share, number);
	free(number);
	*share /= percent ? 100 : 1;
	if (rc || !(*share > 0 && *share <= 1))
		return err_set(err,
			       "--probe %s: give a share of the samples above 0 up to 1, say "
			       "hot:0.02 or hot:2%%",
			       pattern);
	return 0;
}

/* --- Counting ------------------------------------------------------------------------------ */

static int by_function(const void *a, const void *b)
{
	const struct hot *one = a, *other = b;
	int order = strcmp(one->path, other->path);

	return order ? order : strcmp(one->function, other->function);
}

static int by_samples(const void *a, const void *b)
{
	const struct hot *one = a, *other = b;

	if (one->samples != other->samples)
		return one->samples > other->samples ? -1 : 1;
	return by_function(a, b);
}

/* Each function once. */
static size_t merge(struct hot *hot, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(hot, count, sizeof(*hot), by_function);
	for (size_t i = 0; i < count; i++)
		if (kept && by_function(&hot[kept - 1], &hot[i]) == 0)
			hot[kept - 1].samples += hot[i].samples;
		else
			hot[kept++] = hot[i];
	if (kept)
		qsort(hot, kept, sizeof(*hot), by_samples);
	return kept;
}

/*
 * A row for each place that is in a function that its file names, as the probe looks for no other
 * names; *all counts also the others.
 */
static size_t count_samples(struct hot *hot, uint64_t *all, struct symbol_finder *finder,
			    const struct samples *samples)
{
	size_t count = 0;

	*all = 0;
	for (size_t i = 0; i < samples->row_count; i++) {
		const struct sampled *row = &samples->rows[i];
		struct symbol symbol;

		*all += row->count;
		if (row->mode == SAMPLED_USER &&
		    symbol_finder_find(&symbol, finder, row->pid, row->ip, row->time_ns) &&
		    symbol.function && !symbol.separate && !strchr(symbol.function, ':'))
			hot[count++] = (struct hot){symbol.path, symbol.function, row->count};
	}
	return merge(hot, count);
}

/* --- Patterns ------------------------------------------------------------------------------ */

/* What fnmatch takes for itself alone. */
static char *literal(const char *text)
{
	char *quoted = xcalloc(2 * strlen(text) + 1, 1), *to = quoted;

	for (; *text; *to++ = *text++)
		if (strchr("*?[\\", *text))
			*to++ = '\\';
	return quoted;
}

static char **make_patterns(const struct hot *hot, size_t count, double least)
{
	char **patterns = xcalloc(count + 1, sizeof(*patterns));

	for (size_t i = 0; i < count && (double)hot[i].samples >= least; i++) {
		char *function = literal(hot[i].function);

		patterns[i] = xasprintf("%s:%s", hot[i].path, function);
		free(function);
	}
	return patterns;
}

static int refuse(const struct hot *hot, size_t count, uint64_t all, double share, const char *path,
		  struct err *err)
{
	uint64_t named = 0;

	if (!all)
		return err_set(err,
			       "--probe hot: %s has no samples: make one with 'pscal record -F "
			       "997' first",
			       path);
	for (size_t i = 0; i < count; i++)
		named += hot[i].samples;
	return err_set(err,
		       "--probe hot: no function has %g %% of the %" PRIu64
		       " samples in %s; %.3g %% of them are in functions with a name, %.3g %% in "
		       "the first of these",
		       share * 100, all, path, 100 * (double)named / (double)all,
		       count ? 100 * (double)hot[0].samples / (double)all : 0);
}

static char **choose(const char *path, const struct samples *samples, double share, struct err *err)
{
	struct hot *hot = xcalloc(samples->row_count + 1, sizeof(*hot));
	struct symbol_finder finder;
	char **patterns = NULL;
	uint64_t all;
	size_t count;

	symbol_finder_init(&finder, samples);
	count = count_samples(hot, &all, &finder, samples);
	if (!count || (double)hot[0].samples < share * (double)all)
		refuse(hot, count, all, share, path, err);
	else
		patterns = make_patterns(hot, count, share * (double)all);
	symbol_finder_release(&finder);
	free(hot);
	return patterns;
}

char **hot_functions_find(const char *path, enum input_owners owners, double share, struct err *err)
{
	struct input *input = trace_input_open(path, owners, err);
	struct event_source *source = input ? trace_input_read(input, err) : NULL;
	char **patterns = NULL;
	struct event event;
	int rc = -1;

	while (source && (rc = event_source_next(source, &event, err)) > 0)
		;
	if (rc == 0)
		patterns = choose(path, &source->samples, share, err);
	else
		err_wrap(err, "--probe hot");
	event_source_free(source);
	return patterns;
}
