/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/forecast/recording_read.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/sorted.h"
#include "cmd/forecast/slowdown_read.h"
#include "cmd/options/trace.h"
#include "decode/event/event_source.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/profile.h"

#include <stdlib.h>
#include <string.h>

struct run {
	const char *path;
	struct forecast_recording recording;
	struct slowdown_run run;
	const char *name; /* of the program; empty: unknown */
	bool disturbed;	  /* other programs or a quota took CPU time */
};

/*
 * The largest share of CPU time that other programs, or a quota, took from a run whose wall time is
 * that of an idle machine, for which forecasts are made.
 */
static const double taken_most = .05; /* as in the check "alone" */

/* Returns the name of the first recorded process; empty: unknown. */
static const char *program_of(const struct forecast_recording *recording)
{
	const struct target_info *target = &recording->source->target;
	const struct profile *profile = &recording->profile;

	for (size_t i = 0; i < profile->thread_count && target->root_count; i++)
		if (profile->threads[i].tid == target->roots[0])
			return thread_name_text(&profile->threads[i].name);
	return "";
}

/*
 * Returns the part of a command from the program on: "./job 4" of "taskset -c 0 ./job 4". All of it,
 * if no word is the program; NULL: not known.
 */
static const char *command_of(const struct run *run)
{
	const char *command = run->recording.source->target.command;
	size_t length = strlen(run->name);

	for (const char *word = command; word && length; word = strchr(word, ' ')) {
		size_t size, path;

		word += strspn(word, " ");
		size = strcspn(word, " ");
		for (path = size; path && word[path - 1] != '/'; path--)
			;
		if (strncmp(word + path, run->name, length) == 0 &&
		    (size - path == length || length == COMM_SIZE - 1))
			return word;
	}
	return command;
}

/* Returns the length of the words that both begin with; 0 if the difference is soon. */
static size_t length_alike(const char *first, const char *other)
{
	const size_t soon = 30;
	size_t same = 0, words = 0;

	for (; first[same] && first[same] == other[same]; same++)
		if (first[same] == ' ')
			words = same + 1;
	return same > soon ? words : 0;
}

static void find_commands(struct runs *runs, const struct run *items, size_t count)
{
	for (size_t i = 1; i < count && !runs->commands[0]; i++) {
		const char *first = command_of(&items[0]), *other = command_of(&items[i]);
		size_t same;

		if (!first || !other || strcmp(first, other) == 0)
			continue;
		same = length_alike(first, other);
		runs->commands[0] = xasprintf("%s%s", same ? "... " : "", first + same);
		runs->commands[1] = xasprintf("%s%s", same ? "... " : "", other + same);
	}
}

static int check_run(const struct run *run, const struct run *first, struct err *err)
{
	if (!run->run.cores)
		return err_set(err, "%s: does not say on how many cores it was recorded",
			       run->path);
	if (!(run->run.cpu_s > 0))
		return err_set(err, "%s: no thread ran in it; leave it out", run->path);
	if (*run->name && *first->name && strcmp(run->name, first->name) != 0)
		return err_set(err,
			       "%s is a recording of %s, and %s of %s; give recordings of one "
			       "program, or choose threads with --comm",
			       first->path, first->name, run->path, run->name);
	return 0;
}

/* Reads a recording. Returns 0, or -1 with an error. The caller releases run->recording after 0. */
static int read_run(struct run *run, const struct run *first, struct trace_options *trace,
		    struct err *err)
{
	const struct recording_wish wish = {.selection = &trace->selection, .program = true};
	struct input *input = trace_input(trace, run->path, trace->common->quiet, err);
	struct cpu_usage usage;
	int rc = input ? forecast_recording_read(&run->recording, input, &wish, err) : -1;

	progress_end(&trace->progress);
	if (rc)
		return -1;
	cpu_usage_init(&usage, &run->recording.profile);
	run->run = (struct slowdown_run){&run->recording.profile.levels,
					 run->recording.profile.cores, (double)usage.cpu_ns / 1e9,
					 run->recording.profile.thread_count};
	run->disturbed = usage.others_share > taken_most || usage.throttled_share > taken_most;
	run->name = trace->selection.comm ? "" : program_of(&run->recording);
	if (!check_run(run, first, err))
		return 0;
	forecast_recording_release(&run->recording);
	return -1;
}

/* Orders runs by cores, then by CPU time. */
static int compare_runs(const void *left, const void *right)
{
	const struct run *a = left, *b = right;

	return compare_values(a->run.cores, b->run.cores)
		       ?: compare_values(a->run.cpu_s, b->run.cpu_s);
}

/* Returns the index of the run to replay; `items` are in the order of compare_runs(). */
static size_t typical_of(const struct run *items, size_t count)
{
	const uint64_t cores = items[count - 1].run.cores;
	size_t *numbers = xcalloc(count, sizeof(*numbers)), typical;
	size_t found = 0, most = 0;

	for (size_t i = 0; i < count; i++)
		if (items[i].run.cores == cores && items[i].run.threads > most)
			most = items[i].run.threads;
	for (size_t i = 0; i < count; i++)
		if (items[i].run.cores == cores &&
		    !slowdown_threads_differ(items[i].run.threads, most))
			numbers[found++] = i;
	typical = numbers[(found - 1) / 2];
	free(numbers);
	return typical;
}

static struct thread_name *group_names(struct run *item)
{
	struct program *program = &item->recording.program;

	thread_names_complete(program->threads, program->thread_count,
			      THREAD_NAME_PLACE(struct program_thread), item->recording.source);
	return thread_names_groups(program->threads, program->thread_count,
				   THREAD_NAME_PLACE(struct program_thread));
}

static void learn_groups(struct runs *runs, struct run *items, size_t count, size_t typical,
			 const struct run_noise *before)
{
	struct slowdown_program *programs = xcalloc(count, sizeof(*programs));
	struct thread_name **names = xcalloc(count, sizeof(*names));

	for (size_t i = 0; i < count; i++) {
		names[i] = group_names(&items[i]);
		programs[i] = (struct slowdown_program){&items[i].recording.program, names[i],
							items[i].run.cores};
	}
	slowdown_learn_groups(&runs->fit, programs, typical, before);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < programs[i].program->thread_count; j++)
			thread_name_release(&names[i][j]);
		free(names[i]);
	}
	free(names);
	free(programs);
}

static void learn(struct runs *runs, struct run *items, size_t count)
{
	struct slowdown_run *fitted = xcalloc(count, sizeof(*fitted));
	struct run_noise speed;
	size_t typical;

	sort_items(items, count, compare_runs);
	runs->walls.items = xcalloc(count, sizeof(*runs->walls.items));
	for (size_t i = 0; i < count; i++) {
		struct slowdown_run *run = &items[i].run;
		double wall_s = (double)items[i].recording.profile.levels.total_ns / 1e9;

		run->levels = &items[i].recording.profile.levels; /* sorting has moved them */
		fitted[i] = *run;
		if (!items[i].disturbed)
			runs->walls.items[runs->walls.count++] =
				(struct wall_time){run->cores, 1, wall_s, wall_s, wall_s};
	}
	wall_times_merge(&runs->walls);
	speed = speed_read(items[0].recording.source);
	slowdown_learn(&runs->fit, fitted, count, &speed);
	typical = typical_of(items, count);
	runs->typical = items[typical].path;
	learn_groups(runs, items, count, typical, &speed);
	free(fitted);
}

/* Refuses standard input, and a recording given twice, which would hide run-to-run variation. */
static int check_paths(const char *const *paths, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(paths[i], "-") == 0)
			return err_set(err, "standard input is read once, and one of several "
					    "recordings twice; give files");
		for (size_t j = 0; j < i; j++)
			if (strcmp(paths[i], paths[j]) == 0)
				return err_set(err,
					       "%s is given twice; give recordings of "
					       "different runs",
					       paths[i]);
	}
	return 0;
}

int runs_read(struct runs *runs, struct trace_options *trace, const char *const *paths,
	      size_t count, struct err *err)
{
	struct run *items = xcalloc(count, sizeof(*items));
	size_t done = 0;
	int rc = check_paths(paths, count, err);

	*runs = (struct runs){.typical = NULL};
	for (; !rc && done < count; done += !rc) {
		items[done].path = paths[done];
		rc = read_run(&items[done], &items[0], trace, err);
	}
	if (!rc)
		find_commands(runs, items, count);
	if (!rc)
		learn(runs, items, count);
	while (done-- > 0)
		forecast_recording_release(&items[done].recording);
	free(items);
	return rc;
}

void runs_release(struct runs *runs)
{
	wall_times_release(&runs->walls);
	free(runs->commands[0]);
	free(runs->commands[1]);
}
