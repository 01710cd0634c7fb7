/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "cmd/options/assertion.h"
#include "cmd/options/cmd.h"
#include "cmd/options/options.h"
#include "cmd/options/trace.h"
#include "report/plot.h"
#include "report/stretch/report_stretch.h"
#include "stats/stretch/stretch.h"
#include "stats/tasks/task_tree.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The least share of a row in text, and the most intervals, as no screen shows more of them. */
static const double TEXT_MIN_SHARE = 0.01;
enum { INTERVALS_MAX = 10000 };

struct stretch_request {
	struct stretch_options options;
	uint64_t level, cores;
	double min_score;   /* least share of the work; -1: the default of the format */
	uint64_t intervals; /* 0: no intervals */
	const char *show;
	const char **bases; /* more recordings of --base, ending in NULL; or NULL */
	const char *plot;   /* the file to draw the result into; or NULL */
	/* The recordings, those of the base first; borrowed from the command line. */
	const char **paths;
	size_t path_count, base_count;
	struct assertions assertions; /* of enum stretch_part, or STRETCH_QUANTITY */
};

/* --- The options --------------------------------------------------------------------------- */

static int read_by(void *own, char *text, struct err *err)
{
	struct stretch_request *request = own;

	for (enum stretch_by by = 0; by < STRETCH_BYS; by++)
		if (strcmp(text, stretch_by_name(by)) == 0) {
			request->options.by = by;
			return 0;
		}
	return err_set(err,
		       "--by %s: there are function, line and path; for tasks also segment, task, "
		       "level and subtree",
		       text);
}

static int read_during(void *own, char *text, struct err *err)
{
	struct stretch_request *request = own;

	request->options.during_tasks = true;
	if (strcmp(text, "tasks") == 0)
		return 0;
	return err_set(err,
		       "--during %s: there is only tasks, from the first task event to the "
		       "last",
		       text);
}

/* The inflation; its number follows those of enum stretch_part. */
enum { STRETCH_QUANTITY = STRETCH_PARTS };

static const struct assertion_name stretch_names[] = {
	{"inflation", .id = STRETCH_QUANTITY},
	{"useful_share", .id = STRETCH_PART_USEFUL},
	{"overhead_share", .id = STRETCH_PART_OVERHEAD},
	{"run_queue_share", .id = STRETCH_PART_RUN_QUEUE},
	{"idle_share", .id = STRETCH_PART_IDLE},
	{.name = NULL}};

static const struct option stretch_table[] = {
	{"by", '\0', OPTION_READ, .read = read_by,
	 .help = "rows: function (default), line or path; for tasks segment, task, level or "
		 "subtree",
	 .argument = "WHAT"},
	{"base", '\0', OPTION_TEXTS, offsetof(struct stretch_request, bases),
	 .help = "another recording of the serial run; repeatable", .argument = "FILE"},
	{"min-score", '\0', OPTION_SHARE, offsetof(struct stretch_request, min_score),
	 .help = "leave out rows with less of the work (default: 0.01 in text, else 0)",
	 .argument = "SHARE", .refusal = "is not a share, like 0.02 or 2%"},
	{"intervals", '\0', OPTION_COUNT, offsetof(struct stretch_request, intervals),
	 .help = "core time also for each of N parts of the run", .argument = "N", .min = 1,
	 .max = INTERVALS_MAX, .rare = true},
	{"show", '\0', OPTION_TEXT, offsetof(struct stretch_request, show),
	 .help = "counters of each row of tasks: switches, migrations, faults, all",
	 .argument = "NAMES", .rare = true},
	{"plot", '\0', OPTION_TEXT, offsetof(struct stretch_request, plot),
	 .help = "draw the result into a .svg, .png or .pdf file", .argument = "FILE"},
	{"comm", '\0', OPTION_TEXT, offsetof(struct stretch_request, options.target.comm),
	 .help = "only threads of this name", .argument = "NAME"},
	{"symfs", '\0', OPTION_TEXT, offsetof(struct stretch_request, options.root),
	 .help = "look for programs and libraries below this directory", .argument = "DIRECTORY",
	 .rare = true},
	{"cores", 'n', OPTION_COUNT, offsetof(struct stretch_request, cores),
	 .help = "CPUs that the program could use (default: as recorded)", .argument = "N",
	 .min = 1, .max = UINT32_MAX, .advanced = true},
	{"level", '\0', OPTION_COUNT, offsetof(struct stretch_request, level),
	 .help = "--by subtree: below tasks of this level (default: 1)", .argument = "N",
	 .max = STRETCH_LEVEL_MAX, .advanced = true},
	{"during", '\0', OPTION_READ, .read = read_during,
	 .help = "tasks: only from the first task event to the last", .argument = "tasks",
	 .advanced = true},
	{"min-share", .type = OPTION_GONE, .help = "is now --min-score"},
	{.type = OPTION_TABLE,
	 .table = assertion_options,
	 .at = offsetof(struct stretch_request, assertions)},
	OPTION_TABLE_END};

/* --- Which recordings ---------------------------------------------------------------------- */

static bool is_same(const char *path, const char *other)
{
	struct stat one, two;

	if (strcmp(path, other) == 0)
		return true;
	return stat(path, &one) == 0 && stat(other, &two) == 0 && S_ISREG(one.st_mode) &&
	       one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

static int check_paths(const struct stretch_request *request, struct err *err)
{
	for (size_t i = 0; i < request->path_count; i++)
		for (size_t j = 0; j < i; j++)
			if (is_same(request->paths[i], request->paths[j]))
				return err_set(err,
					       "%s and %s are the same file; give recordings of "
					       "different runs",
					       request->paths[j], request->paths[i]);
	return 0;
}

static int read_paths(struct stretch_request *request, const struct options *common,
		      struct err *err)
{
	size_t count = 0;

	while (request->bases && request->bases[count])
		count++;
	if (common->arg_count < 2)
		return err_set(err,
			       "give a recording of a serial run and one or more recordings of "
			       "parallel runs; record both with 'pscal record -F 997' and say "
			       "'pscal stretch serial.data parallel.data'");
	request->paths = xcalloc(count + common->arg_count, sizeof(*request->paths));
	request->paths[request->path_count++] = common->args[0];
	for (size_t i = 0; i < count; i++)
		request->paths[request->path_count++] = request->bases[i];
	request->base_count = request->path_count;
	for (size_t i = 1; i < common->arg_count; i++)
		request->paths[request->path_count++] = common->args[i];
	return check_paths(request, err);
}

/* Completes and checks the request. Returns 0, or -1 with an error: wrong usage. */
static int finish_request(struct stretch_request *request, const struct options *common,
			  struct err *err)
{
	bool is_short = common->format == REPORT_TEXT && !common->all;

	if (request->min_score < 0)
		request->min_score = is_short ? TEXT_MIN_SHARE : 0;
	request->options.cores = (double)request->cores;
	request->options.level = (uint32_t)request->level;
	request->options.timed = request->intervals > 0;
	if (options_text(common, "level") && request->options.by != STRETCH_BY_SUBTREE)
		return err_set(err, "--level: needs --by subtree");
	if (request->intervals && common->format == REPORT_CSV)
		return err_set(err, "--intervals: CSV has the rows only; use --format json");
	if (request->show && !stretch_by_tasks(request->options.by))
		return err_set(err,
			       "--show: only tasks have counters; use --by segment, task, level or "
			       "subtree");
	if (request->plot && plot_check_path(request->plot, err))
		return err_wrap(err, "--plot");
	return read_paths(request, common, err);
}

/* --- The result ---------------------------------------------------------------------------- */

/* Puts the path in front of an error without it, as there are several recordings. Returns -1. */
static int name_file(struct err *err, const char *path)
{
	size_t length = strlen(path);

	if (strncmp(err->text, path, length) == 0 && err->text[length] == ':')
		return -1;
	return err_wrap(err, "%s", path);
}

static int read_run(struct stretch_run *run, const struct stretch_request *request,
		    const struct options *common, const char *path, struct err *err)
{
	struct trace_options trace = {.common = common};
	struct event_source *source = trace_open(&trace, path, common->quiet, err);
	int rc;

	*run = (struct stretch_run){0};
	if (!source)
		return -1;
	rc = stretch_run_read(run, source, &request->options, err);
	progress_end(&trace.progress);
	event_source_free(source);
	return rc ? name_file(err, path) : 0;
}

/* Returns the value of an assertion in the last column, which the verdict is about, too. */
static struct assertion_value stretch_value(const void *result, const struct assertion *assertion)
{
	const struct stretch *stretch = result;
	const struct stretch_column *last = &stretch->columns[stretch->column_count - 1];
	double parts[STRETCH_PARTS], all = 0, share;

	if (assertion->name->id == STRETCH_QUANTITY)
		return (struct assertion_value){last->stretch.value,
						last->stretch.from,
						last->stretch.to,
						.95,
						"there are too few samples",
						NULL};
	stretch_parts_of(parts, &last->loss, stretch->serial_s);
	for (size_t i = 0; i < STRETCH_PARTS; i++)
		all += parts[i];
	share = last->has_loss ? parts[assertion->name->id] / all : NAN;
	return (struct assertion_value){
		share, share, share, 0, "the recordings do not tell where the core time went",
		NULL};
}

static int report(const struct stretch_view *view, struct assertions *assertions,
		  const struct options *common, struct err *err)
{
	struct report *out = options_report(common, err);

	if (!out)
		return -1;
	assertions_report(assertions, out, NULL, stretch_value, view->stretch);
	report_stretch(out, view);
	return report_finish(out, 0, err);
}

static int show_stretch(const struct stretch *stretch, struct stretch_request *request,
			const struct options *common, struct err *err)
{
	struct sampled_loss *parts = xcalloc(request->intervals + 1, sizeof(*parts));
	struct stretch_view view = {
		.stretch = stretch, .paths = request->paths, .min_share = request->min_score};
	const struct task_counters none = {.count = 0};
	size_t last = stretch->column_count - 1, *shown;
	int rc = options_shown(&shown, &view.shown_count, request->show,
			       stretch->counters ? stretch->counters : &none, err);

	view.shown = shown;
	if (request->intervals && stretch->columns[last].has_loss) {
		stretch_over_time(parts, request->intervals, stretch, last, 0);
		view.parts = parts;
		view.part_count = request->intervals;
	}
	if (!rc && request->plot)
		rc = plot_stretch(&view, request->plot, err);
	if (!rc)
		rc = report(&view, &request->assertions, common, err);
	free(shown);
	free(parts);
	return rc;
}

static int compare_runs(struct stretch_request *request, const struct options *common,
			struct err *err)
{
	struct stretch_run *runs = xcalloc(request->path_count, sizeof(*runs));
	struct stretch stretch = {.row_count = 0};
	size_t count = 0;
	int rc = 0;

	while (!rc && count < request->path_count) {
		rc = read_run(&runs[count], request, common, request->paths[count], err);
		count++;
	}
	if (!rc)
		rc = stretch_init(&stretch, runs, count, request->base_count, request->options.by,
				  err);
	if (!rc)
		rc = show_stretch(&stretch, request, common, err);
	stretch_release(&stretch);
	for (size_t i = 0; i < count; i++)
		stretch_run_release(&runs[i]);
	free(runs);
	return rc;
}

static int cmd_stretch_run(int argc, const char **argv, struct err *err)
{
	struct stretch_request request = {
		.min_score = -1, .level = 1, .assertions.names = stretch_names};
	struct options common;
	int status = options_read(&common, OPTIONS_REPORT, "BASE PARALLEL [PARALLEL...]",
				  stretch_table, &request, argc, argv, err);

	if (status < 0) {
		status = STATUS_USAGE;
		if (!finish_request(&request, &common, err))
			status = compare_runs(&request, &common, err)
					 ? STATUS_FAILED
					 : assertions_status(&request.assertions, err);
	}
	assertions_release(&request.assertions);
	free(request.paths);
	options_release(&common);
	return status;
}

const struct cmd cmd_stretch = {
	.name = "stretch",
	.summary = "compare serial and parallel runs: work inflation, idle cores and overhead",
	.run = cmd_stretch_run,
};
