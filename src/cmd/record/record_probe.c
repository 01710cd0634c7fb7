/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/record/record_probe.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "cmd/record/hot_functions.h"
#include "collect/kernel/uprobes.h"
#include "collect/recorder.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
		if (!hot_functions_are_meant(probe->patterns[i]))
			continue;
		if (hot_functions_share(&share, probe->patterns[i], err))
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

/* --- Hot functions ------------------------------------------------------------------------- */

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

		if (!hot_functions_are_meant(probe->patterns[i]))
			continue;
		if (hot_functions_share(&share, probe->patterns[i], err))
			return -1;
		found = hot_functions_find(path, owners, share, err);
		if (!found)
			return -1;
		replace_pattern(probe, i, found);
		break;
	}
	options->patterns = probe->patterns;
	return 0;
}

static void release_words(const char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free((void *)(uintptr_t)words[i]);
	free(words);
}

void record_probe_release(struct record_probe *probe)
{
	release_words(probe->patterns);
	release_words(probe->uprobes);
	free(probe->hot_from);
	free(probe->task_counters);
	free(probe->arguments);
	free(probe->every);
	free(probe->stack_every);
}
