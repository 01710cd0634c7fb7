/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/parse.h"
#include "base/printable.h"
#include "cmd/options/cmd.h"
#include "cmd/options/options.h"
#include "collect/sweep/sweep.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/sweep/report_sweep.h"
#include "stats/series/series_sweep.h"

#include <inttypes.h>
#include <math.h>
#include <popt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct sweep_request {
	struct options options;
	struct sweep sweep; /* all but the callbacks; borrows the members below */
	uint64_t warmups, seed;
	const char *launcher_text, *work, *match, *match_time;
	const char **env;
	const char **launcher;
	char *rate_text;
	enum sweep_rows if_exists;
	bool fit;	  /* run `pscal fit` at the end */
	const char *plot; /* ... which draws its curve into this file; or NULL */
};

enum { WARMUPS_MAX = 1000 };

#define SWEEP_FILE "sweep.csv"

/* --- The options --------------------------------------------------------------------------- */

static int read_levels(void *own, char *text, struct err *err)
{
	struct sweep_request *request = own;

	if (sweep_levels_parse(&request->sweep.levels, text, err))
		return err_wrap(err, "-n");
	return 0;
}

/* Reads -r, up to SWEEP_TURNS_MAX runs of all levels, which are read before. */
static int read_rounds(void *own, char *text, struct err *err)
{
	struct sweep *sweep = &((struct sweep_request *)own)->sweep;
	size_t levels = sweep->levels.count ? sweep->levels.count : 1;
	uint64_t rounds, most = SWEEP_TURNS_MAX / levels;

	if (parse_u64(&rounds, text, most) || !rounds)
		return err_set(err, "-r %s: is not a number from 1 to %" PRIu64, text, most);
	sweep->rounds = rounds;
	return 0;
}

static int read_timeout(void *own, char *text, struct err *err)
{
	const double longest_s = 1e9; /* 31 years */
	struct sweep_request *request = own;
	double seconds;

	if (parse_seconds(&seconds, text, err))
		return err_wrap(err, "--timeout");
	if (!(seconds >= 1e-3 && seconds <= longest_s))
		return err_set(err, "--timeout %s: give a run between 1ms and 31 years", text);
	request->sweep.timeout_ns = (uint64_t)(seconds * 1e9);
	return 0;
}

#define AT(field) offsetof(struct sweep_request, field)

/* In the order of enum sweep_rows. */
static const char *const uses_of_rows[] = {"complete", "append", "new", NULL};

static const struct option sweep_table[] = {
	{.type = OPTION_HEADING, .help = "Runs:"},
	{"levels", 'n', OPTION_READ, .read = read_levels,
	 .help = "run the command at each N: 1,2,4-8,10-40:10,1-64x2", .argument = "LIST"},
	{"repeats", 'r', OPTION_READ, .read = read_rounds,
	 .help = "runs of each N (default 3), in rounds", .argument = "R"},
	{"warmup", '\0', OPTION_COUNT, AT(warmups),
	 .help = "warm-up runs, which do not count (default 1)", .argument = "W",
	 .max = WARMUPS_MAX},
	{"timeout", '\0', OPTION_READ, .read = read_timeout,
	 .help = "end a run after this time: 30, 500ms", .argument = "S"},
	{"keep-going", '\0', OPTION_FLAG, AT(sweep.keep_going),
	 .help = "continue after a run that failed", .rare = true},
	{"seed", '\0', OPTION_COUNT, AT(seed), .advanced = true,
	 .help = "seed of the random order in each round (default 1)", .argument = "S",
	 .max = UINT32_MAX},

	{.type = OPTION_HEADING,
	 .help = "How N reaches the command, besides {n} in its arguments:"},
	{"cpus", '\0', OPTION_FLAG, AT(sweep.confine),
	 .help = "confine the command to N CPUs, one of each core first"},
	{"env", '\0', OPTION_TEXTS, AT(env),
	 .help = "set a variable, as OMP_NUM_THREADS={n}; repeatable", .argument = "NAME=VALUE"},
	{"launcher", '\0', OPTION_TEXT, AT(launcher_text), .advanced = true,
	 .help = "words put before the command, as 'srun -n {n}'", .argument = "WORDS"},

	{.type = OPTION_HEADING, .help = "Throughput:"},
	{"work", '\0', OPTION_TEXT, AT(work),
	 .help = "work of a run: throughput = W / wall time (default 1); W*n grows with N",
	 .argument = "W"},
	{"match", '\0', OPTION_TEXT, AT(match),
	 .help = "regular expression that finds the throughput in the output", .argument = "REGEX"},
	{"match-time", '\0', OPTION_TEXT, AT(match_time),
	 .help = "regular expression that finds the time in seconds in the output",
	 .argument = "REGEX", .rare = true},

	{.type = OPTION_HEADING, .help = "Output:"},
	{"output", 'o', OPTION_TEXT, AT(sweep.path),
	 .help = "write the runs to FILE (default sweep.csv); -: standard output",
	 .argument = "FILE"},
	{"if-exists", '\0', OPTION_CHOICE, AT(if_exists), .choices = uses_of_rows,
	 .refusal = "there are complete, append and new",
	 .help = "complete: run only what FILE lacks (default); append: also after a change of "
		 "command or machine; new: keep the old one as FILE.old",
	 .argument = "HOW", .rare = true},
	{"log", '\0', OPTION_TEXT, AT(sweep.log), .advanced = true,
	 .help = "write the output of each run to a file in DIR", .argument = "DIR"},
	{"fit", '\0', OPTION_FLAG, AT(fit), .help = "fit FILE at the end, as pscal fit"},
	{"plot", '\0', OPTION_TEXT, AT(plot),
	 .help = "... and draw it into a .svg, .png or .pdf file", .argument = "FILE"},
	{"new", .type = OPTION_GONE, .help = "is now --if-exists=new"},
	{"append", .type = OPTION_GONE, .help = "is now --if-exists=append"},
	OPTION_TABLE_END};

/* --- The request --------------------------------------------------------------------------- */

/* Returns true if N reaches the command; otherwise all runs would be the same. */
static bool depends_on_n(const struct sweep_request *request)
{
	return request->sweep.confine || sweep_words_vary(request->options.args) ||
	       sweep_words_vary(request->env) ||
	       (request->launcher_text && strstr(request->launcher_text, SWEEP_WORDS_N));
}

/* Returns true if --fit has too few N, and no file that may have more. */
static bool is_too_short_to_fit(const struct sweep_request *request)
{
	enum { FEWEST = 3 };
	const char *path = request->sweep.path ? request->sweep.path : SWEEP_FILE;

	return request->fit && request->sweep.levels.count < FEWEST &&
	       (request->if_exists == SWEEP_ROWS_NEW || access(path, F_OK) != 0);
}

/* Checks for wrong combinations. Returns 0, or -1 with an error. */
static int check_usage(const struct sweep_request *request, struct err *err)
{
	const struct {
		bool wrong;
		const char *sentence;
	} cases[] = {
		{!request->options.arg_count,
		 "name a COMMAND to run, as in 'pscal sweep -n 1,2,4,8 -- ./bench -T{n}'"},
		{!request->sweep.levels.count,
		 "say at which N to run it, as -n 1,2,4,8 or -n 1-64x2"},
		{request->launcher_text && request->sweep.confine,
		 "--launcher places the work, --cpus would confine the launcher; give one of them"},
		{request->match && request->match_time,
		 "--match finds the throughput, --match-time the time; give one of them"},
		{request->match && request->work,
		 "--match finds the throughput itself: it does not go with --work"},
		{request->fit && request->options.format != REPORT_TEXT,
		 "--fit prints its report as text; leave it out, and say 'pscal fit --json FILE'"},
		{request->options.format != REPORT_TEXT && request->sweep.path &&
			 strcmp(request->sweep.path, "-") == 0,
		 "-o - prints the runs themselves, as CSV; leave out --json and --format, or name "
		 "a file with -o"},
		{request->fit && request->sweep.path && strcmp(request->sweep.path, "-") == 0,
		 "--fit needs a file: with -o - pipe the output into 'pscal fit'"},
		{is_too_short_to_fit(request), "--fit needs three different N: add N to -n"},
		{!depends_on_n(request),
		 "all runs would be the same; put {n} where the command takes its number of "
		 "threads, or confine it to N CPUs with --cpus"},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		if (cases[i].wrong)
			return err_set_sentence(err, cases[i].sentence);
	return request->options.sort ? report_sweep_check_order(request->options.sort, err) : 0;
}

static int read_rate(struct sweep_request *request, struct err *err)
{
	const char *work = request->work ? request->work : "1";
	const char *pattern = request->match ? request->match : request->match_time;
	const char *const quoted[] = {pattern, NULL};
	char *text = shell_quote(quoted);
	enum sweep_rate_kind kind = SWEEP_RATE_WALL;

	if (request->match) {
		kind = SWEEP_RATE_MATCH;
		request->rate_text = xasprintf("what matches %s", text);
	} else if (request->match_time) {
		kind = SWEEP_RATE_TIME;
		request->rate_text = xasprintf("%s / what matches %s", work, text);
	} else {
		request->rate_text = xasprintf("%s / wall time", work);
	}
	free(text);
	request->sweep.rate_text = request->rate_text;
	return sweep_rate_init(&request->sweep.rate, work, kind, pattern, err);
}

/* Returns true if a quote is not closed, which popt accepts. */
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

static int read_words(struct sweep_request *request, struct err *err)
{
	const char *text = request->launcher_text;
	int count;

	for (const char **env = request->env; env && *env; env++)
		if (strchr(*env, '=') <= *env) /* true, too, without any "=" */
			return err_set(err, "--env %s: is not NAME=VALUE", *env);
	if (text && (ends_in_quotes(text) ||
		     poptParseArgvString(text, &count, &request->launcher) || !count))
		return err_set(
			err,
			"--launcher '%s': give a command and its options, with each quote closed",
			text);
	request->sweep.env = request->env;
	request->sweep.launcher = request->launcher;
	return 0;
}

/* Completes the sweep from the options. Returns 0, or -1 with an error. */
static int complete_request(struct sweep_request *request, struct err *err)
{
	struct sweep *sweep = &request->sweep;

	if (!sweep->path)
		sweep->path = SWEEP_FILE;
	sweep->command = request->options.args;
	sweep->warmups = request->warmups;
	sweep->seed = (unsigned long)request->seed;
	sweep->rows = request->if_exists;
	return read_words(request, err) || read_rate(request, err) ? -1 : 0;
}

/* --- The sweep ----------------------------------------------------------------------------- */

/* The number that a shell adds to that of a signal for an exit status. */
enum { SIGNAL_STATUS = 128 };

enum { SHOWN_RESULTS = 3 };

/* The progress line: the run under way and the last results. */
struct sweep_view {
	struct progress progress;
	char *note;
	char results[SHOWN_RESULTS][2 * VALUE_SIZE];
	size_t result_count; /* all results so far */
};

static void sweep_say(void *context, const char *sentence)
{
	const struct sweep_view *view = context;

	if (view->progress.shown)
		fputs("\r\033[K", stderr);
	printable_say(stderr, "pscal sweep: %s", sentence);
}

static void sweep_show(void *context, uint64_t done, uint64_t size)
{
	struct sweep_view *view = context;

	progress_show(&view->progress, done, size);
}

/* Makes the note of the progress line, as "N = 4, run 2; throughput N=2: 190, N=1: 98.2". */
static void sweep_show_turn(void *context, const struct sweep_turn *turn, double throughput)
{
	struct sweep_view *view = context;
	char value[VALUE_SIZE];
	size_t count = view->result_count;

	if (!isnan(throughput)) {
		snprintf(view->results[view->result_count++ % SHOWN_RESULTS],
			 sizeof(view->results[0]), "N=%" PRIu64 ": %s", turn->n,
			 format_value(value, throughput, UNIT_SHORT));
		return;
	}
	free(view->note);
	view->note = turn->repeat ? xasprintf("N = %" PRIu64 ", run %zu", turn->n, turn->repeat)
				  : xasprintf("warm-up at N = %" PRIu64, turn->n);
	for (size_t i = 0; i < SHOWN_RESULTS && i < count; i++)
		xappend(&view->note, "", "%s%s", i ? ", " : "; throughput ",
			view->results[(count - 1 - i) % SHOWN_RESULTS]);
	view->progress.note = view->note;
}

static const char *name_of(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard output" : path;
}

static void print_summary(const struct sweep_request *request, const struct sweep_result *result)
{
	const char *path = request->sweep.path;

	fprintf(stderr, "pscal sweep: %zu run%s measured in %.3f s", result->measured,
		result->measured == 1 ? "" : "s", (double)result->wall_ns / 1e9);
	if (result->kept)
		fprintf(stderr, ", %zu kept from before", result->kept);
	fputs(", in ", stderr);
	printable_put(stderr, PRINTABLE_TEXT, name_of(path));
	fputc('\n', stderr);
}

/* Prints the results in the file, older ones included. Returns 0, or -1 with an error. */
static int report_file(const struct sweep_request *request, struct err *err)
{
	const char *path = request->sweep.path;
	struct csv_table *table = options_table(&request->options, path, err);
	struct report *report = table ? options_report(&request->options, err) : NULL;
	struct series_sweep sweep = {0};
	int rc = -1;

	if (report) {
		rc = series_sweep_read(&sweep, table, err);
		if (!rc)
			report_sweep(report, &sweep);
		if (!rc && !request->fit)
			report_next_step(report, "pscal fit %s", path);
		rc = report_finish(report, rc, err);
		series_sweep_release(&sweep);
	}
	csv_table_free(table);
	return rc;
}

/* Returns the exit status of a sweep, with an error if it was stopped or runs failed. */
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
		strcmp(path, "-") == 0 ? "" : "; the same command repeats the missing runs");
	return STATUS_FAILED;
}

/* Runs `pscal fit FILE`. Returns its exit status. */
static int fit(const struct sweep_request *request, struct err *err)
{
	const char *words[6] = {"pscal fit", request->sweep.path};
	int count = 2, status;

	if (request->options.quiet)
		words[count++] = "-q";
	if (request->plot) {
		words[count++] = "--plot";
		words[count++] = request->plot;
	}
	fflush(stderr);
	status = cmd_fit.run(count, words, err);
	if (status != STATUS_DONE)
		err_wrap(err, "--fit");
	return status;
}

/* Returns true if there is a file to report, other than the output of the report. */
static bool has_file(const struct sweep_request *request, const struct sweep_result *result)
{
	const char *path = request->sweep.path;
	struct stat file, output;

	if (!(result->kept + result->measured) || result->stopped_by || strcmp(path, "-") == 0)
		return false;
	return stat(path, &file) == 0 && S_ISREG(file.st_mode) &&
	       !(fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == file.st_dev &&
		 output.st_ino == file.st_ino);
}

static int sweep(struct sweep_request *request, struct err *err)
{
	struct sweep_result result;
	struct sweep_view view = {.note = NULL};
	int rc, status;

	progress_begin(&view.progress, request->options.quiet);
	request->sweep.tell = sweep_say;
	request->sweep.show = view.progress.on ? sweep_show : NULL;
	request->sweep.turn = view.progress.on ? sweep_show_turn : NULL;
	request->sweep.context = &view;
	rc = sweep_perform(&result, &request->sweep, err);
	progress_end(&view.progress);
	free(view.note);
	if (!request->options.quiet && (!rc || result.measured))
		print_summary(request, &result);
	if (rc || (has_file(request, &result) && !(request->options.quiet && request->fit) &&
		   report_file(request, err)))
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
	sweep_levels_release(&request->sweep.levels);
	sweep_rate_release(&request->sweep.rate);
	free(request->launcher);
	free(request->rate_text);
	options_release(&request->options);
}

static int cmd_sweep_run(int argc, const char **argv, struct err *err)
{
	struct sweep_request request = {.sweep = {.rounds = 3}, .warmups = 1, .seed = 1};
	int status = options_read(&request.options, OPTIONS_SWEEP, "[--] COMMAND [ARG...]",
				  sweep_table, &request, argc, argv, err);

	request.fit |= request.plot != NULL;
	if (status < 0)
		status = check_usage(&request, err) || complete_request(&request, err)
				 ? STATUS_USAGE
				 : sweep(&request, err);
	release_request(&request);
	return status;
}

const struct cmd cmd_sweep = {
	.name = "sweep",
	.summary = "run a command at several N, and measure its throughput",
	.run = cmd_sweep_run,
};
