/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/record/record_probe.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "base/parse.h"
#include "collect/kernel/uprobes.h"
#include "collect/recorder.h"
#include "decode/event/event_source.h"
#include "decode/trace_input.h"
#include "stats/spin/symbol_finder.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- Hot functions of a recording ---------------------------------------------------------- */

/* The share of all samples, where the user gives none. */
#define HOT_SHARE_USUAL 0.01

#define HOT "hot"

/* A function, and how often a thread was in it. */
struct hot {
	const char *path, *function; /* borrowed */
	uint64_t samples;
};

/* Is the pattern "hot", or does it begin with "hot:"? */
static bool is_hot(const char *pattern)
{
	size_t length = strlen(HOT);

	return strncmp(pattern, HOT, length) == 0 && (!pattern[length] || pattern[length] == ':');
}

/* The share of "hot:5%" or "hot:0.05". Returns 0, or -1 with a sentence. */
static int read_hot_share(double *share, const char *pattern, struct err *err)
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
static size_t merge_hot(struct hot *hot, size_t count)
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
	return merge_hot(hot, count);
}

/* What fnmatch takes for itself alone. */
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
		       "the first of these",
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
 * The functions in which at least that share of all samples of `path` was, those in the kernel
 * counted among all, as patterns of collect/patch/function_list.h, the hottest first. An array that ends
 * in NULL and is to be freed as what is in it is; NULL with a sentence where there are none.
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

/* --- The options --------------------------------------------------------------------------- */

enum { STACK_EVERY = 10000 };

static int parse_number(uint32_t *number, const char *option, const char *text, uint32_t least,
			uint32_t most, struct err *err)
{
	uint64_t value;

	if (!text)
		return 0;
	if (parse_u64(&value, text, most) || value < least)
		return err_set(err, "%s %s: give a number from %" PRIu32 " to %" PRIu32, option,
			       text, least, most);
	*number = (uint32_t)value;
	return 0;
}

static int check_hot(const struct record_probe *probe, struct err *err)
{
	size_t hot = 0;
	double share;

	for (size_t i = 0; probe->patterns && probe->patterns[i]; i++) {
		if (!is_hot(probe->patterns[i]))
			continue;
		if (read_hot_share(&share, probe->patterns[i], err))
			return -1;
		hot++;
	}
	if (hot > 1)
		return err_set(err, "--probe hot: is given more than once: give the lower share");
	if (probe->hot_from && !hot)
		return err_set(err, "--hot-from is where --probe hot finds functions: give that, "
				    "too");
	return 0;
}

static int check_target(const struct probe_options *options, const struct recorder_request *request,
			struct err *err)
{
	const char *option = probe_options_name(options);

	if (!probe_options_ask(options))
		return 0;
	if (!request->command)
		return err_set(err,
			       "%s is loaded into a command when that starts, not into what runs "
			       "already",
			       option);
	if (strcmp(request->path, "-") == 0 && (options->tasks || options->omp))
		return err_set(err,
			       "%s: the names of tasks stand at the end of a recording, where a "
			       "stream has no place for them: record into a file",
			       options->omp ? "--omp" : "--tasks");
	return 0;
}

int record_probe_parse(struct probe_options *options, const struct record_probe *probe,
		       const struct recorder_request *request, struct err *err)
{
	options->patterns = probe->patterns;
	options->tasks = probe->tasks || probe->omp;
	options->omp = probe->omp;
	options->counters = probe->task_counters;
	if (probe->task_counters && !options->tasks)
		return err_set(err, "--task-counters is about tasks: record them with --tasks or "
				    "--omp");
	if (check_target(options, request, err))
		return -1;
	options->every = 1;
	options->stack_every = STACK_EVERY;
	if (check_hot(probe, err))
		return -1;
	if (!probe->patterns && (probe->every || probe->stack_every))
		return err_set(err, "--every and --stack-every are about functions that are "
				    "watched from inside: name some with --probe");
	if (!probe->patterns && !probe->uprobes && probe->arguments)
		return err_set(err, "--arguments is about functions: name some with --probe or "
				    "--uprobe");
	if (!probe->patterns && !probe->uprobes && !options->tasks && probe->faults > 0)
		return err_set(err, "--faults is about what happens within functions and tasks: "
				    "name functions with --probe or --uprobe, or have tasks with "
				    "--tasks or --omp");
	if (parse_number(&options->arguments, "--arguments", probe->arguments, 0,
			 PLAN_ARGUMENTS_MAX, err) ||
	    parse_number(&options->every, "--every", probe->every, 1, 1000000000, err))
		return -1;
	return parse_number(&options->stack_every, "--stack-every", probe->stack_every, 0,
			    1000000000, err);
}

int record_probe_parse_uprobes(struct uprobe_options *options, const struct record_probe *probe,
			       struct err *err)
{
	uint32_t arguments = 0;

	options->functions = probe->uprobes;
	options->risk_exceptions = probe->risk_exceptions;
	if (probe->risk_exceptions && !probe->uprobes)
		return err_set(err, "--risk-exceptions is about functions that are probed from "
				    "outside: name some with --uprobe");
	for (size_t i = 0; probe->uprobes && probe->uprobes[i]; i++)
		if (uprobe_functions_check(probe->uprobes[i], err))
			return -1;
	if (parse_number(&arguments, "--arguments", probe->arguments, 0, UPROBES_ARGUMENTS, err))
		return -1;
	options->arguments = arguments;
	return 0;
}

bool record_probe_wants_faults(const struct record_probe *probe)
{
	return probe->faults > 0 || ((probe->patterns || probe->uprobes) && !probe->faults);
}

/* --- Hot functions in the place of --probe hot --------------------------------------------- */

static size_t count_patterns(const char *const *patterns)
{
	size_t count = 0;

	while (patterns[count])
		count++;
	return count;
}

/* Puts `found`, which it takes over, in the place of the pattern number `at`. */
static void replace_pattern(struct record_probe *probe, size_t at, char **found)
{
	size_t before = count_patterns(probe->patterns);
	size_t more = count_patterns((const char *const *)found);
	const char **patterns = xcalloc(before + more + 1, sizeof(*patterns));

	memcpy(patterns, probe->patterns, at * sizeof(*patterns));
	memcpy(patterns + at, found, more * sizeof(*patterns));
	memcpy(patterns + at + more, probe->patterns + at + 1,
	       (before - at - 1) * sizeof(*patterns));
	free((void *)(uintptr_t)probe->patterns[at]);
	free(probe->patterns);
	free(found);
	probe->patterns = patterns;
}

int record_probe_find_hot(struct probe_options *options, struct record_probe *probe,
			  const char *usual, enum input_owners owners, struct err *err)
{
	const char *path = probe->hot_from ? probe->hot_from : usual;

	for (size_t i = 0; probe->patterns && probe->patterns[i]; i++) {
		double share;
		char **found;

		if (!is_hot(probe->patterns[i]))
			continue;
		if (read_hot_share(&share, probe->patterns[i], err))
			return -1;
		found = find_hot_functions(path, owners, share, err);
		if (!found)
			return -1;
		replace_pattern(probe, i, found);
		break;
	}
	options->patterns = probe->patterns;
	return 0;
}
