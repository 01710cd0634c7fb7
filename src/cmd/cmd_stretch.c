/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "cmd/options/cmd.h"
#include "cmd/options/options.h"
#include "cmd/options/shown_counters.h"
#include "cmd/options/trace.h"
#include "cmd/stretch_request.h"
#include "report/stretch/report_stretch.h"
#include "stats/stretch/stretch.h"
#include "stats/tasks/task_tree.h"

#include <stdlib.h>
#include <string.h>

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
	rc = shown_counters_find(shown, count, text, names, known, err);
	free(names);
	return rc;
}

static int show(const struct stretch *stretch, const struct stretch_request *request,
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

static int compare(const struct stretch_request *request, const struct options *common,
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
		rc = show(&stretch, request, common, err);
	stretch_release(&stretch);
	for (size_t i = 0; i < count; i++)
		stretch_run_release(&runs[i]);
	free(runs);
	return rc;
}

static int run(int argc, const char **argv, struct err *err)
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
			status = compare(&request, &common, err) ? STATUS_FAILED : STATUS_DONE;
	}
	stretch_request_release(&request);
	options_release(&common);
	return status;
}

const struct cmd cmd_stretch = {
	.name = "stretch",
	.summary = "which code takes longer in parallel, how much, and where the rest went",
	.run = run,
};
