/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/forecast/against_read.h"

#include "base/alloc.h"
#include "base/err.h"
#include "cmd/forecast/recording_read.h"
#include "cmd/options/trace.h"
#include "decode/event/event_source.h"
#include "replay/forecast/against.h"
#include "replay/forecast/forecast.h"
#include "report/forecast/report_forecast.h"
#include "stats/stretch/stretch.h"

#include <stdlib.h>
#include <string.h>

struct against_recording {
	struct forecast_recording recording;
	uint64_t cores;
	struct forecast forecast; /* for its own cores */
	struct against against;
	struct against_share *functions; /* of both recordings, if both have samples */
	size_t function_count;
};

/* --- Reading --------------------------------------------------------------------------------- */

static int make_own_forecast(struct against_recording *item, bool spin_waits, struct err *err)
{
	const struct forecast_request request = {
		.measured_cores = item->cores,
		.recording_cores = item->cores,
		.cores = &item->cores,
		.count = 1,
		.listed = true,
		.bare = true,
		.spin_waits = spin_waits,
	};

	return forecast_make(&item->forecast, &request, &item->recording.program,
			     &item->recording.profile, item->recording.source, err);
}

/* Reads the next recording of the list, which then owns it. Returns 0, or -1 with an error. */
static int read_item(struct against_list *list, struct trace_options *trace, const char *path,
		     bool spin_waits, struct err *err)
{
	struct against_recording *item = &list->items[list->count];
	const struct recording_wish wish = {.selection = &trace->selection,
					    .sums = true,
					    .program = true,
					    .spin_timed = spin_waits};
	struct input *input = trace_input(trace, path, trace->common->quiet, err);
	int rc = input ? forecast_recording_read(&item->recording, input, &wish, err) : -1;

	progress_end(&trace->progress);
	if (rc)
		return -1;
	list->count++;
	item->cores = item->recording.profile.cores;
	if (!item->cores)
		return err_set(err, "--against %s: does not say on how many cores it was recorded",
			       path);
	return make_own_forecast(item, spin_waits, err) ? err_wrap(err, "--against %s", path) : 0;
}

int against_list_read(struct against_list *list, struct trace_options *trace, bool spin_waits,
		      struct err *err)
{
	size_t count = 0;

	if (!list->paths)
		return 0;
	while (list->paths[count])
		count++;
	list->items = xcalloc(count + 1, sizeof(*list->items));
	for (size_t i = 0; i < count; i++)
		if (read_item(list, trace, list->paths[i], spin_waits, err))
			return -1;
	return 0;
}

static void release_functions(struct against_recording *item)
{
	for (size_t i = 0; i < item->function_count; i++)
		free(item->functions[i].name);
	free(item->functions);
}

void against_list_release(struct against_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct against_recording *item = &list->items[i];

		against_release(&item->against);
		release_functions(item);
		forecast_release(&item->forecast);
		forecast_recording_release(&item->recording);
	}
	free(list->items);
}

uint64_t against_list_cores(const struct against_list *list, size_t which)
{
	return list->items[which].cores;
}

/* --- Functions ------------------------------------------------------------------------------- */

/* Reads the recording once more for its samples. Without any the run stays empty. */
static void read_functions(struct stretch_run *run, struct trace_options *trace, const char *path)
{
	const struct stretch_options options = {.by = STRETCH_BY_FUNCTION,
						.target = trace->selection};
	struct event_source *source;
	struct err ignored;

	*run = (struct stretch_run){0};
	if (strcmp(path, "-") == 0)
		return;
	source = trace_open(trace, path, trace->common->quiet, &ignored);
	if (source && stretch_run_read(run, source, &options, &ignored)) {
		stretch_run_release(run);
		*run = (struct stretch_run){0};
	}
	progress_end(&trace->progress);
	event_source_free(source);
}

/* Stores the functions whose difference is significant beside sampling error, the largest first. */
static void take_functions(struct against_recording *item, const struct stretch *stretch)
{
	size_t last = stretch->column_count - 1;

	item->functions = xcalloc(stretch->row_count + 1, sizeof(*item->functions));
	for (size_t i = 0; i < stretch->row_count; i++) {
		const struct stretch_row *row = &stretch->rows[i];
		const struct stretch_cell *cell = &row->cells[last];

		if (row->block->function && (cell->stretch.from > 0 || cell->stretch.to < 0))
			item->functions[item->function_count++] = (struct against_share){
				xstrdup(row->block->function), row->serial_s, cell->seconds};
	}
	against_shares_sort(item->functions, item->function_count);
}

static void compare_functions(struct against_recording *item, const struct stretch_run *own,
			      struct trace_options *trace, const char *path)
{
	struct stretch_run runs[2] = {*own};
	struct stretch stretch;
	struct err ignored;

	if (!own->samples)
		return;
	read_functions(&runs[1], trace, path);
	if (runs[1].samples) {
		if (!stretch_init(&stretch, runs, 2, 1, STRETCH_BY_FUNCTION, &ignored))
			take_functions(item, &stretch);
		stretch_release(&stretch);
	}
	stretch_run_release(&runs[1]);
}

/* --- The result ------------------------------------------------------------------------------ */

static int split_all(const struct against_list *list, const struct forecast *forecast,
		     struct err *err)
{
	for (size_t i = 0; i < list->count; i++)
		if (against_init(&list->items[i].against, forecast, &list->items[i].forecast, err))
			return err_wrap(err, "--against %s", list->paths[i]);
	return 0;
}

static int print_all(const struct against_view *views, size_t count,
		     const struct forecast *forecast, const struct options *common, struct err *err)
{
	struct report *report = options_report(common, err);

	if (!report)
		return -1;
	report_against(report, views, count, forecast);
	return report_finish(report, 0, err);
}

int against_list_print(const struct against_list *list, struct trace_options *trace,
		       const char *path, const struct forecast *forecast, struct err *err)
{
	struct against_view *views = xcalloc(list->count + 1, sizeof(*views));
	struct stretch_run own;
	int rc = split_all(list, forecast, err);

	read_functions(&own, trace, path);
	for (size_t i = 0; i < list->count; i++) {
		struct against_recording *item = &list->items[i];

		compare_functions(item, &own, trace, list->paths[i]);
		views[i] = (struct against_view){.path = list->paths[i],
						 .against = &item->against,
						 .measured = &item->forecast,
						 .functions = item->functions,
						 .function_count = item->function_count};
	}
	if (!rc)
		rc = print_all(views, list->count, forecast, trace->common, err);
	stretch_run_release(&own);
	free(views);
	return rc;
}
