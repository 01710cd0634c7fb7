/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "cmd/options/cmd.h"
#include "cmd/options/fit_claims.h"
#include "cmd/options/options.h"
#include "cmd/options/trace.h"
#include "report/stretch/report_stretch.h"
#include "report/stretch/stretch_view.h"
#include "stats/stretch/stretch.h"
#include "stats/stretch/stretch_run.h"
#include "stats/tasks/task_tree.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The options of the command, read and checked. */
struct stretch_request {
	struct stretch_options options;
	double min_share;
	size_t limit;	  /* of rows; SIZE_MAX: all */
	size_t intervals; /* 0: not over time */
	const char *
		*paths; /* of recordings, those of the base first; borrowed from what was typed */
	size_t path_count, base_count;
	/* As typed. */
	char *by, *min_share_text, *limit_text, *cores, *intervals_text, *root, *level, *comm,
		*during, *show;
	char **bases; /* NULL-terminated, or NULL */
};

/* --- The request, from the words of the command line ---------------------------------------- */

/* Of text, which somebody reads; and so many parts are drawn apart on no screen. */
static const double TEXT_MIN_SHARE = 0.01;
enum { TEXT_LIMIT = 20, INTERVALS_MAX = 10000 };

static int read_by(struct stretch_request *request, struct err *err)
{
	for (enum stretch_by by = 0; by < STRETCH_BYS; by++)
		if (!request->by || strcmp(request->by, stretch_by_name(by)) == 0) {
			request->options.by = by;
			return 0;
		}
	return err_set(err,
		       "--by %s: there are function, line and path, and of recordings of tasks "
		       "block, task, level and subtree",
		       request->by);
}

static int read_count(size_t *count, const char *option, const char *text, uint64_t most,
		      struct err *err)
{
	uint64_t value;

	if (!text)
		return 0;
	if (parse_u64(&value, text, most) || !value)
		return err_set(err, "%s %s: is not a number from 1 to %llu", option, text,
			       (unsigned long long)most);
	*count = value;
	return 0;
}

static int read_numbers(struct stretch_request *request, bool text, struct err *err)
{
	size_t cores = 0;
	uint64_t level = 1;

	request->min_share = text ? TEXT_MIN_SHARE : 0;
	request->limit = text ? TEXT_LIMIT : SIZE_MAX;
	if (request->min_share_text &&
	    (fit_share_parse(&request->min_share, request->min_share_text) ||
	     !(request->min_share >= 0)))
		return err_set(err, "--min-share %s: is not a share, like 0.02 or 2%%",
			       request->min_share_text);
	if (request->level && parse_u64(&level, request->level, STRETCH_LEVEL_MAX))
		return err_set(err, "--level %s: is not a number from 0 to %d", request->level,
			       STRETCH_LEVEL_MAX);
	if (request->during && strcmp(request->during, "tasks") != 0)
		return err_set(err,
			       "--during %s: there is tasks, from their first step to the last",
			       request->during);
	if (request->level && request->options.by != STRETCH_BY_SUBTREE)
		return err_set(err, "--level: says which subtrees are meant by --by subtree");
	if (read_count(&request->limit, "--limit", request->limit_text, UINT32_MAX, err) ||
	    read_count(&cores, "--cores", request->cores, UINT32_MAX, err) ||
	    read_count(&request->intervals, "--intervals", request->intervals_text, INTERVALS_MAX,
		       err))
		return -1;
	request->options.cores = (double)cores;
	request->options.level = (uint32_t)level;
	request->options.timed = request->intervals > 0;
	request->options.root = request->root;
	request->options.target.comm = request->comm;
	request->options.during_tasks = request->during != NULL;
	return 0;
}

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
					       "%s and %s are the same file: give recordings of "
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
		return err_set(err, "give a recording of a serial run and one or more of parallel "
				    "runs: pscal stretch serial.data parallel.data");
	request->paths = xcalloc(count + common->arg_count, sizeof(*request->paths));
	request->paths[request->path_count++] = common->args[0];
	for (size_t i = 0; i < count; i++)
		request->paths[request->path_count++] = request->bases[i];
	request->base_count = request->path_count;
	for (size_t i = 1; i < common->arg_count; i++)
		request->paths[request->path_count++] = common->args[i];
	return check_paths(request, err);
}

/* Understands what was typed into a request; -1 with a sentence is wrong usage. */
static int stretch_request_read(struct stretch_request *request, const struct options *common,
				struct err *err)
{
	if (read_by(request, err) || read_numbers(request, common->format == REPORT_TEXT, err))
		return -1;
	if (request->intervals && common->format == REPORT_CSV)
		return err_set(err, "--intervals: CSV has room for the blocks only; take --format "
				    "json");
	if (request->show && !stretch_by_tasks(request->options.by))
		return err_set(err, "--show: counters are known for blocks of tasks only; "
				    "take --by block, task, level or subtree");
	return read_paths(request, common, err);
}

/* --- The result ---------------------------------------------------------------------------- */

/* Of several recordings each sentence says which one it is about, once. */
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

static int report(struct stretch_view *view, const struct options *common, struct err *err)
{
	struct report *out = options_report(common, err);

	if (!out)
		return -1;
	stretch_view_init(view);
	report_stretch(out, view);
	stretch_view_release(view);
	return report_close(out, err);
}

static int find_shown(size_t **shown, size_t *count, const struct stretch *stretch,
		      const char *text, struct err *err)
{
	size_t known = stretch->counters ? stretch->counters->count : 0;
	const char **names = xcalloc(known + 1, sizeof(*names));
	int rc;

	for (size_t i = 0; i < known; i++)
		names[i] = stretch->counters->items[i].name;
	rc = options_shown(shown, count, text, names, known, err);
	free(names);
	return rc;
}

static int show_stretch(const struct stretch *stretch, const struct stretch_request *request,
			const struct options *common, struct err *err)
{
	struct sampled_loss *parts = xcalloc(request->intervals + 1, sizeof(*parts));
	struct stretch_view view = {.stretch = stretch,
				    .paths = request->paths,
				    .min_share = request->min_share,
				    .limit = request->limit};
	size_t last = stretch->column_count - 1, *shown;
	int rc = find_shown(&shown, &view.shown_count, stretch, request->show, err);

	view.shown = shown;
	if (request->intervals && stretch->columns[last].has_loss) {
		stretch_over_time(parts, request->intervals, stretch, last, 0);
		view.parts = parts;
		view.part_count = request->intervals;
	}
	if (!rc)
		rc = report(&view, common, err);
	free(shown);
	free(parts);
	return rc;
}

static int compare_runs(const struct stretch_request *request, const struct options *common,
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
	struct stretch_request request = {.limit = 0};
	struct options common;
	const struct poptOption table[] = {
		{"by", '\0', POPT_ARG_STRING, &request.by, 0,
		 "blocks are functions (function, default), lines (line), call paths (path); of "
		 "tasks: block, task, level or subtree",
		 "WHAT"},
		{"level", '\0', POPT_ARG_STRING, &request.level, 0,
		 "subtrees are those below tasks of this level (default: 1)", "N"},
		{"base", '\0', POPT_ARG_ARGV, &request.bases, 0,
		 "another recording of the serial run; repeatable", "FILE"},
		{"cores", '\0', POPT_ARG_STRING, &request.cores, 0,
		 "CPUs that the target could use (default: as each recording says)", "N"},
		{"during", '\0', POPT_ARG_STRING, &request.during, 0,
		 "tasks: only from the first step of a task to the last, also by samples", "tasks"},
		{"intervals", '\0', POPT_ARG_STRING, &request.intervals_text, 0,
		 "the loss also in so many parts of the time", "N"},
		{"show", '\0', POPT_ARG_STRING, &request.show, 0,
		 "counters of each block of tasks: switches, migrations, faults, all", "NAMES"},
		{"min-share", '\0', POPT_ARG_STRING, &request.min_share_text, 0,
		 "leave out blocks with less of the work (default: 0.01 in text, else 0)", "SHARE"},
		{"limit", '\0', POPT_ARG_STRING, &request.limit_text, 0,
		 "show so many blocks (default: 20 in text, else all)", "N"},
		{"comm", '\0', POPT_ARG_STRING, &request.comm, 0,
		 "threads of this name only, of recordings of more than one program", "NAME"},
		{"symfs", '\0', POPT_ARG_STRING, &request.root, 0,
		 "look for programs and libraries below this directory", "DIRECTORY"},
		POPT_TABLEEND};
	int status = options_parse(&common, OPTIONS_REPORT, "BASE PARALLEL [PARALLEL...]", table,
				   argc, argv, err);

	if (status < 0) {
		status = STATUS_USAGE;
		if (!stretch_request_read(&request, &common, err))
			status = compare_runs(&request, &common, err) ? STATUS_FAILED : STATUS_DONE;
	}
	free(request.paths);
	options_free_texts(table);
	options_release(&common);
	return status;
}

const struct cmd cmd_stretch = {
	.name = "stretch",
	.summary = "which code takes longer in parallel, how much, and where the rest went",
	.run = cmd_stretch_run,
};
