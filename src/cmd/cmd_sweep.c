/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/printable.h"
#include "cmd/options/cmd.h"
#include "cmd/options/options.h"
#include "collect/sweep/sweep.h"
#include "collect/sweep/sweep_plan.h"
#include "report/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The options of the command, read and checked. */
struct sweep_request {
	struct options options;
	struct sweep sweep; /* all but who is told */
	int fit;	    /* go on with `pscal fit` */
	/* What `sweep` borrows. */
	char *output, *log, *rate_text;
	char **env;
	const char **launcher;
};

enum { WARMUPS_MAX = 1000 };

/* Options as they were written. */
struct texts {
	char *levels, *repeats, *warmup, *seed;
	char *launcher, *timeout;
	char *work, *match, *match_time;
	int cpus, keep_going, append, fresh;
};

/* --- The request, from the words of the command line ---------------------------------------- */

/* Without a way for N to reach the command all runs would be the same. */
static bool depends_on_n(const struct sweep_request *request, const struct texts *texts)
{
	return texts->cpus || sweep_words_vary(request->options.args) ||
	       sweep_words_vary((const char *const *)request->env) ||
	       (texts->launcher && strstr(texts->launcher, SWEEP_WORDS_N));
}

/* The exit status of a wrong combination, with a sentence; -1 when all is well. */
static int check_usage(const struct sweep_request *request, const struct texts *texts,
		       struct err *err)
{
	const struct {
		bool wrong;
		const char *sentence;
	} cases[] = {
		{!request->options.arg_count,
		 "name a COMMAND to run, as in 'pscal sweep -n 1,2,4,8 -- ./bench -T{n}'"},
		{!texts->levels, "say at which N to run it, as -n 1,2,4,8 or -n 1-64x2"},
		{texts->launcher && texts->cpus,
		 "--launcher places the work, --cpus would confine the launcher: give one of them"},
		{texts->match && texts->match_time,
		 "--match finds the throughput, --match-time the time: give one of them"},
		{texts->match && texts->work,
		 "--match finds the throughput itself: it does not go with --work"},
		{texts->fresh && texts->append,
		 "--new begins the file anew, --append goes on in it: give one of them"},
		{request->fit && request->output && strcmp(request->output, "-") == 0,
		 "--fit reads the file again: with -o - pipe it into 'pscal fit' instead"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!cases[i].wrong)
			continue;
		err_set(err, "%s", cases[i].sentence);
		return STATUS_USAGE;
	}
	if (depends_on_n(request, texts))
		return -1;
	err_set(err, "all runs would be the same: put {n} where the command gets its number of "
		     "threads, or confine it to N CPUs with --cpus");
	return STATUS_USAGE;
}

static int read_number(uint64_t *number, const char *text, const char *option, uint64_t min,
		       uint64_t max, struct err *err)
{
	if (!text || (parse_u64(number, text, max) == 0 && *number >= min))
		return 0;
	return err_set(err, "%s %s: is not a number from %llu to %llu", option, text,
		       (unsigned long long)min, (unsigned long long)max);
}

static int read_order(struct sweep *sweep, const struct texts *texts, struct err *err)
{
	uint64_t rounds = 3, warmups = 1, seed = 1;

	if (sweep_levels_parse(&sweep->levels, texts->levels, err))
		return err_wrap(err, "-n");
	if (read_number(&rounds, texts->repeats, "-r", 1, SWEEP_TURNS_MAX / sweep->levels.count,
			err) ||
	    read_number(&warmups, texts->warmup, "--warmup", 0, WARMUPS_MAX, err) ||
	    read_number(&seed, texts->seed, "--seed", 0, UINT32_MAX, err))
		return -1;
	sweep->rounds = (size_t)rounds;
	sweep->warmups = (size_t)warmups;
	sweep->seed = (unsigned long)seed;
	return 0;
}

static int read_timeout(struct sweep *sweep, const char *text, struct err *err)
{
	const double longest_s = 1e9; /* 31 years */
	double seconds = 0;

	if (!text)
		return 0;
	if (parse_seconds(&seconds, text, err))
		return err_wrap(err, "--timeout");
	if (!(seconds >= 1e-3 && seconds <= longest_s))
		return err_set(err, "--timeout %s: give a run between 1ms and 31 years", text);
	sweep->timeout_ns = (uint64_t)(seconds * 1e9);
	return 0;
}

static int read_rate(struct sweep_request *request, const struct texts *texts, struct err *err)
{
	const char *work = texts->work ? texts->work : "1";
	const char *pattern = texts->match ? texts->match : texts->match_time;
	const char *const quoted[] = {pattern, NULL};
	char *text = shell_quote(quoted);
	enum sweep_rate_kind kind = SWEEP_RATE_WALL;

	if (texts->match) {
		kind = SWEEP_RATE_MATCH;
		request->rate_text = xasprintf("what matches %s", text);
	} else if (texts->match_time) {
		kind = SWEEP_RATE_TIME;
		request->rate_text = xasprintf("%s / what matches %s", work, text);
	} else {
		request->rate_text = xasprintf("%s / wall time", work);
	}
	free(text);
	request->sweep.rate_text = request->rate_text;
	return sweep_rate_init(&request->sweep.rate, work, kind, pattern, err);
}

/* popt takes the end of the text for that of a quote. */
static bool ends_in_quotes(const char *text)
{
	char quote = 0;

	for (; *text; text++)
		if (*text == '\\' && text[1])
			text++;
		else if (quote ? *text == quote : strchr("'\"", *text) != NULL)
			quote = quote ? 0 : *text;
	return quote;
}

static int read_words(struct sweep_request *request, const struct texts *texts, struct err *err)
{
	int count;

	for (char **env = request->env; env && *env; env++)
		if (strchr(*env, '=') <= *env) /* also where there is none */
			return err_set(err, "--env %s: is not NAME=VALUE", *env);
	if (texts->launcher &&
	    (ends_in_quotes(texts->launcher) ||
	     poptParseArgvString(texts->launcher, &count, &request->launcher) || !count))
		return err_set(err, "--launcher '%s': is not the words of a command",
			       texts->launcher);
	request->sweep.env = (const char *const *)request->env;
	request->sweep.launcher = request->launcher;
	return 0;
}

static int read_texts(struct sweep_request *request, const struct texts *texts, struct err *err)
{
	struct sweep *sweep = &request->sweep;

	sweep->path = request->output ? request->output : "sweep.csv";
	sweep->command = request->options.args;
	sweep->log = request->log;
	sweep->confine = texts->cpus;
	sweep->keep_going = texts->keep_going;
	if (texts->fresh)
		sweep->rows = SWEEP_ROWS_NEW;
	else if (texts->append)
		sweep->rows = SWEEP_ROWS_APPEND;
	if (read_order(sweep, texts, err) || read_timeout(sweep, texts->timeout, err) ||
	    read_words(request, texts, err) || read_rate(request, texts, err))
		return STATUS_USAGE;
	return -1;
}

/* --- The sweep ----------------------------------------------------------------------------- */

/* What a shell adds to a signal's number. */
enum { SIGNAL_STATUS = 128 };

/* More than the housekeeping of a machine. */
static const double disturbing_cpus = .1;

static void say(void *context, const char *sentence)
{
	const struct progress *progress = context;

	if (progress->shown)
		fputs("\r\033[K", stderr);
	printable_say(stderr, "pscal sweep: %s", sentence);
}

static const char *name_of(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard output" : path;
}

static void print_summary(const struct sweep_request *request, const struct sweep_result *result)
{
	const char *path = request->sweep.path;
	size_t there = result->kept + result->measured;

	fprintf(stderr, "pscal sweep: %zu run%s measured in %.3f s", result->measured,
		result->measured == 1 ? "" : "s", (double)result->wall_ns / 1e9);
	if (result->kept)
		fprintf(stderr, ", %zu kept from before", result->kept);
	fputs(", in ", stderr);
	printable_put(stderr, PRINTABLE_TEXT, name_of(path));
	if (there && !request->fit && strcmp(path, "-") != 0 && !result->stopped_by) {
		fputs("; 'pscal fit ", stderr);
		printable_put(stderr, PRINTABLE_TEXT, path);
		fputs("' fits them", stderr);
	}
	fputc('\n', stderr);
	if (result->others >= disturbing_cpus)
		fprintf(stderr,
			"pscal sweep: meanwhile something else kept %.1f CPUs busy on the average, "
			"see column 'others': measure again when it is quiet\n",
			result->others);
}

/* What is to be said of a sweep that has ended. */
static int settle(const struct sweep_request *request, const struct sweep_result *result,
		  struct err *err)
{
	const char *path = request->sweep.path;
	size_t there = result->kept + result->measured;

	if (result->stopped_by) {
		err_set(err, "ended by signal %d after %zu of %zu runs, which are in %s%s",
			result->stopped_by, there, result->planned, name_of(path),
			strcmp(path, "-") == 0 ? "" : "; the same command goes on from there");
		return SIGNAL_STATUS + result->stopped_by;
	}
	if (!result->failed)
		return STATUS_DONE;
	err_set(err, "%zu run%s failed%s", result->failed, result->failed == 1 ? "" : "s",
		strcmp(path, "-") == 0 ? "" : "; the same command tries again what is missing");
	return STATUS_FAILED;
}

/* As if `pscal fit FILE` had been typed. */
static int fit(const struct sweep_request *request, struct err *err)
{
	const char *words[] = {"pscal fit", request->sweep.path,
			       request->options.quiet ? "-q" : NULL, NULL};
	int status;

	fflush(stderr);
	status = cmd_fit.run(request->options.quiet ? 3 : 2, words, err);
	if (status != STATUS_DONE)
		err_wrap(err, "--fit");
	return status;
}

static int sweep(struct sweep_request *request, struct err *err)
{
	struct sweep_result result;
	struct progress progress;
	int rc, status;

	progress_begin(&progress, request->options.quiet);
	request->sweep.tell = say;
	request->sweep.show = progress.on ? progress_show : NULL;
	request->sweep.context = &progress;
	rc = sweep_perform(&result, &request->sweep, err);
	progress_end(&progress);
	if (!request->options.quiet && (!rc || result.measured))
		print_summary(request, &result);
	if (rc)
		return STATUS_FAILED;
	status = settle(request, &result, err);
	if (request->fit && !result.stopped_by) {
		struct err failed;
		int fitted = fit(request, status == STATUS_DONE ? err : &failed);

		status = status == STATUS_DONE ? fitted : status;
	}
	return status;
}

static void release_request(struct sweep_request *request)
{
	options_release(&request->options);
	sweep_levels_release(&request->sweep.levels);
	sweep_rate_release(&request->sweep.rate);
	free(request->launcher);
	free(request->rate_text);
}

static int sweep_as_asked(struct sweep_request *request, const struct texts *texts, struct err *err)
{
	int status = check_usage(request, texts, err);

	if (status < 0)
		status = read_texts(request, texts, err);
	return status < 0 ? sweep(request, err) : status;
}

static int cmd_sweep_run(int argc, const char **argv, struct err *err)
{
	struct sweep_request request = {.fit = 0};
	struct texts texts = {.levels = NULL};
	const struct poptOption runs[] = {{"levels", 'n', POPT_ARG_STRING, &texts.levels, 0,
					   "run the command at each N, as 1,2,4-8,10-40:10,1-64x2",
					   "LIST"},
					  {"repeats", 'r', POPT_ARG_STRING, &texts.repeats, 0,
					   "so often each (default 3), in rounds", "R"},
					  {"warmup", '\0', POPT_ARG_STRING, &texts.warmup, 0,
					   "runs before that do not count (default 1)", "W"},
					  {"seed", '\0', POPT_ARG_STRING, &texts.seed, 0,
					   "another order of the N in each round (default 1)", "S"},
					  {"timeout", '\0', POPT_ARG_STRING, &texts.timeout, 0,
					   "end a run that takes longer, say 30 or 500ms", "S"},
					  {"keep-going", '\0', POPT_ARG_NONE, &texts.keep_going, 0,
					   "go on after a run that failed", NULL},
					  POPT_TABLEEND};
	const struct poptOption n[] = {
		{"cpus", '\0', POPT_ARG_NONE, &texts.cpus, 0,
		 "confine the command to N CPUs, one of each core first", NULL},
		{"env", '\0', POPT_ARG_ARGV, &request.env, 0,
		 "set a variable, as OMP_NUM_THREADS={n}; may be repeated", "NAME=VALUE"},
		{"launcher", '\0', POPT_ARG_STRING, &texts.launcher, 0,
		 "put this before the command, as 'srun -n {n}'", "WORDS"},
		POPT_TABLEEND};
	const struct poptOption rate[] = {
		{"work", '\0', POPT_ARG_STRING, &texts.work, 0,
		 "what a run does, for W / wall time (default 1); W*n grows with N", "W"},
		{"match", '\0', POPT_ARG_STRING, &texts.match, 0,
		 "the throughput is the number that this finds in the output", "REGEX"},
		{"match-time", '\0', POPT_ARG_STRING, &texts.match_time, 0,
		 "... the time in seconds, in place of the wall time", "REGEX"},
		POPT_TABLEEND};
	const struct poptOption file[] = {
		{"output", 'o', POPT_ARG_STRING, &request.output, 0,
		 "FILE (default sweep.csv); rows that it lacks are added; - is a stream", "FILE"},
		{"new", '\0', POPT_ARG_NONE, &texts.fresh, 0,
		 "begin FILE anew; FILE.old keeps the rows of before", NULL},
		{"append", '\0', POPT_ARG_NONE, &texts.append, 0,
		 "go on in FILE though something is different", NULL},
		{"log", '\0', POPT_ARG_STRING, &request.log, 0,
		 "keep what each run prints in a file there", "DIR"},
		{"fit", '\0', POPT_ARG_NONE, &request.fit, 0, "fit FILE at the end", NULL},
		POPT_TABLEEND};
	const struct poptOption table[] = {options_include(runs, "The runs:"),
					   options_include(n, "How it gets N, beside {n} in it:"),
					   options_include(rate, "Its throughput:"),
					   options_include(file, "Where to:"), POPT_TABLEEND};
	int status = options_parse(&request.options, OPTIONS_RECORD, "[--] COMMAND [ARG...]", table,
				   argc, argv, err);

	if (status < 0)
		status = sweep_as_asked(&request, &texts, err);
	release_request(&request);
	options_free_texts(table);
	return status;
}

const struct cmd cmd_sweep = {
	.name = "sweep",
	.summary = "run a command at several N, and measure its throughput",
	.run = cmd_sweep_run,
};
