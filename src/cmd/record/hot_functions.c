/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/record/hot_functions.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "base/parse.h"
#include "base/sorted.h"
#include "cmd/options/options.h"
#include "decode/event/event_source.h"
#include "decode/trace_input.h"
#include "stats/spin/symbol_finder.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- Hot functions of a recording ---------------------------------------------------------- */

/* The default share of all samples. */
#define HOT_SHARE_USUAL 0.01

#define HOT "hot"

/* A function and the number of its samples. */
struct hot {
	const char *path, *function; /* borrowed */
	uint64_t samples;
};

/* Returns true if the pattern is "hot", or begins with "hot:". */
static bool is_hot(const char *pattern)
{
	size_t length = strlen(HOT);

	return strncmp(pattern, HOT, length) == 0 && (!pattern[length] || pattern[length] == ':');
}

/* Reads the share of "hot:5%" or "hot:0.05". Returns 0, or -1 with an error. */
static int read_hot_share(double *share, const char *pattern, struct err *err)
{
	*share = HOT_SHARE_USUAL;
	if (!pattern[strlen(HOT)])
		return 0;
	if (parse_share(share, pattern + strlen(HOT) + 1) || !(*share > 0 && *share <= 1))
		return err_set(err,
			       "--probe %s: give a share of the samples above 0 up to 1, say "
			       "hot:0.02 or hot:2%%",
			       pattern);
	return 0;
}

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

/* Merges the rows of each function, and sorts by samples. Returns the number of functions. */
static size_t merge_hot(struct hot *hot, size_t count)
{
	size_t kept = 0;

	sort_items(hot, count, by_function);
	for (size_t i = 0; i < count; i++)
		if (kept && by_function(&hot[kept - 1], &hot[i]) == 0)
			hot[kept - 1].samples += hot[i].samples;
		else
			hot[kept++] = hot[i];
	sort_items(hot, kept, by_samples);
	return kept;
}

/*
 * Sets `hot` to the sampled functions, the hottest first, and returns their number. Only names in
 * the file itself count, as the probe looks for no others; *all counts all samples.
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
		    symbol.readable && symbol.function && !symbol.separate &&
		    !strchr(symbol.function, ':'))
			hot[count++] = (struct hot){symbol.path, symbol.function, row->count};
	}
	return merge_hot(hot, count);
}

/* Escapes the characters that fnmatch gives a meaning. */
static char *literal(const char *text)
{
	char *quoted = xcalloc(2 * strlen(text) + 1, 1), *to = quoted;

	for (; *text; *to++ = *text++)
		if (strchr("*?[\\", *text))
			*to++ = '\\';
	return quoted;
}

static char **make_hot_patterns(const struct hot *hot, size_t count, double least)
{
	char **patterns = xcalloc(count + 1, sizeof(*patterns));

	for (size_t i = 0; i < count && (double)hot[i].samples >= least; i++) {
		char *function = literal(hot[i].function);

		patterns[i] = xasprintf("%s:%s", hot[i].path, function);
		free(function);
	}
	return patterns;
}

static int refuse_hot(const struct hot *hot, size_t count, uint64_t all, double share,
		      const char *path, struct err *err)
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
		       "the largest of these",
		       share * 100, all, path, 100 * (double)named / (double)all,
		       count ? 100 * (double)hot[0].samples / (double)all : 0);
}

static char **choose_hot(const char *path, const struct samples *samples, double share,
			 struct err *err)
{
	struct hot *hot = xcalloc(samples->row_count + 1, sizeof(*hot));
	struct symbol_finder finder;
	char **patterns = NULL;
	uint64_t all;
	size_t count;

	symbol_finder_init(&finder, samples);
	count = count_samples(hot, &all, &finder, samples);
	if (!count || (double)hot[0].samples < share * (double)all)
		refuse_hot(hot, count, all, share, path, err);
	else
		patterns = make_hot_patterns(hot, count, share * (double)all);
	symbol_finder_release(&finder);
	free(hot);
	return patterns;
}

/*
 * Returns the functions with at least `share` of all samples in `path`, samples of the kernel
 * included, as patterns of collect/patch/function_list.h, the hottest first. The array ends in
 * NULL; the caller frees it and its strings. Returns NULL with an error if there is no such
 * function.
 */
static char **find_hot_functions(const char *path, enum input_owners owners, double share,
				 struct err *err)
{
	struct input *input = trace_input_open(path, owners, err);
	struct event_source *source = input ? trace_input_read(input, err) : NULL;
	char **patterns = NULL;
	struct event event;
	int rc = -1;

	while (source && (rc = event_source_next(source, &event, err)) > 0)
		;
	if (rc == 0)
		patterns = choose_hot(path, &source->samples, share, err);
	else
		err_wrap(err, "--probe hot");
	event_source_free(source);
	return patterns;
}

/* --- Among the patterns -------------------------------------------------------------------- */

int hot_functions_check(const char *const *patterns, struct err *err)
{
	size_t hot = 0;
	double share;

	for (size_t i = 0; patterns && patterns[i]; i++) {
		if (!is_hot(patterns[i]))
			continue;
		if (read_hot_share(&share, patterns[i], err))
			return -1;
		hot++;
	}
	if (hot > 1)
		return err_set(err,
			       "--probe hot: is given more than once; give only the lower share");
	return 0;
}

static size_t count_patterns(const char *const *patterns)
{
	size_t count = 0;

	while (patterns && patterns[count])
		count++;
	return count;
}

int hot_functions_find(struct hot_functions *hot, const char *const *patterns, const char *path,
		       enum input_owners owners, struct err *err)
{
	size_t count = count_patterns(patterns), at = 0, found;
	double share;

	hot->patterns = patterns;
	while (at < count && !is_hot(patterns[at]))
		at++;
	if (at == count)
		return 0;
	if (read_hot_share(&share, patterns[at], err))
		return -1;
	hot->found = find_hot_functions(path, owners, share, err);
	if (!hot->found)
		return -1;
	found = count_patterns((const char *const *)hot->found);
	hot->merged = xcalloc(count + found, sizeof(*hot->merged));
	memcpy(hot->merged, patterns, at * sizeof(*patterns));
	memcpy(hot->merged + at, hot->found, found * sizeof(*patterns));
	memcpy(hot->merged + at + found, patterns + at + 1, (count - at - 1) * sizeof(*patterns));
	hot->patterns = hot->merged;
	return 0;
}

void hot_functions_release(struct hot_functions *hot)
{
	for (size_t i = 0; hot->found && hot->found[i]; i++)
		free(hot->found[i]);
	free(hot->found);
	free(hot->merged);
}
