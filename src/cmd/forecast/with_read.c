/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/forecast/with_read.h"

#include "base/alloc.h"
#include "base/err.h"
#include "cmd/forecast/recording_read.h"
#include "cmd/forecast/slowdown_read.h"
#include "cmd/options/trace.h"
#include "decode/event/event_source.h"
#include "decode/timeline/selection.h"
#include "replay/consolidate/consolidation.h"
#include "replay/forecast/forecast.h"
#include "report/forecast/report_forecast.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* --- Reading --------------------------------------------------------------------------------- */

/* Returns true if the recording says which threads are the program's. */
static bool tells_target(const struct event_source *source)
{
	const struct target_info *target = &source->target;

	return !target->wide && (target->root_count || target->tid_count || *target->comm);
}

int with_recording_check_first(const char *path, const struct event_source *source,
			       const struct selection *selection, struct err *err)
{
	if (!selection_is_empty(selection) || tells_target(source))
		return 0;
	return err_set(err,
		       "%s: does not tell which program was recorded, and --with is about two; "
		       "choose its threads with --comm, --pid or --tid",
		       path);
}

static int check_second(const struct with_recording *with, struct err *err)
{
	if (!tells_target(with->recording->source))
		return err_set(err,
			       "--with %s: does not tell which program was recorded; give a "
			       "recording by 'pscal record -- COMMAND' or 'pscal record -p PID'",
			       with->path);
	if (!with->recording->profile.cores)
		return err_set(err, "--with %s: does not say on how many cores it was recorded",
			       with->path);
	return 0;
}

int with_recording_read(struct with_recording *with, struct trace_options *trace, const char *path,
			bool spin_waits, struct err *err)
{
	const struct selection all = {.pids = NULL};
	const struct recording_wish wish = {
		.selection = &all, .sums = true, .program = true, .spin_timed = spin_waits};
	struct input *input;
	int rc;

	if (!with->path)
		return 0;
	if (strcmp(with->path, "-") == 0 && strcmp(path, "-") == 0)
		return err_set(err, "--with: standard input is read once; give a file");
	input = trace_input(trace, with->path, trace->common->quiet, err);
	with->recording = xcalloc(1, sizeof(*with->recording));
	rc = input ? forecast_recording_read(with->recording, input, &wish, err) : -1;
	progress_end(&trace->progress);
	if (!rc)
		return check_second(with, err);
	free(with->recording);
	with->recording = NULL;
	return -1;
}

void with_recording_release(struct with_recording *with)
{
	if (with->recording)
		forecast_recording_release(with->recording);
	free(with->recording);
}

uint64_t with_recording_active(const struct with_recording *with)
{
	return with->recording ? with->recording->profile.levels.max_active : 0;
}

/* --- The result ------------------------------------------------------------------------------ */

static int print_consolidation(const struct consolidation *consolidation,
			       const char *const paths[2], const struct quality *const qualities[2],
			       const struct options *common, struct err *err)
{
	struct report *report = options_report(common, err);

	if (!report)
		return -1;
	report_consolidation(report, consolidation, paths, qualities);
	return report_finish(report, 0, err);
}

int with_recording_print(struct with_recording *with, const char *path,
			 const struct forecast *forecast, const struct quality *quality,
			 const struct forecast_request *request, const struct options *common,
			 struct err *err)
{
	const char *const paths[2] = {path, with->path};
	struct forecast_recording *recording = with->recording;
	const struct quality *const qualities[2] = {quality, &recording->profile.quality};
	struct forecast_request own = *request;
	struct consolidation consolidation = {.count = 0};
	struct forecast other;
	int rc;

	own.recording_cores = own.measured_cores = recording->profile.cores;
	own.is_machine = own.part = false;
	own.speed = speed_read(recording->source);
	rc = forecast_make(&other, &own, &recording->program, &recording->profile,
			   recording->source, err);
	if (rc)
		err_wrap(err, "%s", with->path);
	else
		rc = consolidation_init(&consolidation, forecast, &other, request->cores,
					request->count, err) ||
		     print_consolidation(&consolidation, paths, qualities, common, err);
	consolidation_release(&consolidation);
	forecast_release(&other);
	return rc ? -1 : 0;
}
