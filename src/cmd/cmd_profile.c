/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "base/parse.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/trace.h"
#include "report/report_profile.h"

#include <math.h>
#include <stdlib.h>

struct profile_options {
	struct trace_options trace;
	char *cores, *interval; /* as typed */
	uint64_t core_count;	/* 0: as the trace says */
	uint64_t interval_ns;
};

static int finish_options(struct profile_options *options, struct err *err)
{
	double seconds;

	if (options->cores &&
	    (parse_u64(&options->core_count, options->cores, UINT32_MAX) || !options->core_count))
		return err_set(err, "--cores %s: is not a number of cores", options->cores);
	if (options->interval) {
		if (parse_seconds(&seconds, options->interval, err))
			return err_wrap(err, "--interval");
		if (seconds < 1e-6 || seconds > 1e9)
			return err_set(err, "--interval %s: is not from 1us to 1000000000s",
				       options->interval);
		options->interval_ns = (uint64_t)llround(seconds * 1e9);
	}
	return trace_options_finish(&options->trace, err);
}

static int print_profile(struct profile_options *options, const struct options *common,
			 const char *path, struct err *err)
{
	const struct selection *selection = &options->trace.selection;
	struct event_source *source = trace_open(&options->trace, path, common->quiet, err);
	struct report *report = NULL;
	struct profile profile;
	int rc;

	if (!source)
		return -1;
	rc = profile_init(&profile, source, selection, options->interval_ns, err);
	progress_end(&options->trace.progress);
	if (rc)
		goto out;
	rc = -1;
	if (options->core_count)
		profile.cores = (unsigned)options->core_count;
	report = options_report(common, err);
	if (report) {
		bool asked = !selection_is_empty(selection);

		report_profile(report, &profile, asked ? selection->pids : source->target.roots,
			       asked ? selection->pid_count : source->target.root_count);
		rc = report_close(report, err);
	}
	profile_release(&profile);
out:
	event_source_free(source);
	return rc;
}

static int run(int argc, const char **argv, struct err *err)
{
	struct profile_options own = {0};
	struct options common;
	const struct poptOption table[] = {
		TRACE_OPTIONS(&own.trace),
		{"cores", '\0', POPT_ARG_STRING, &own.cores, 0,
		 "CPUs that the target could use (default: as the trace says)", "N"},
		{"interval", '\0', POPT_ARG_STRING, &own.interval, 0,
		 "the same for each interval of this length", "SECONDS"},
		POPT_TABLEEND};
	int status = options_parse(&common, OPTIONS_REPORT, "[FILE]", table, argc, argv, err);
	const char *path;

	if (status >= 0)
		goto out;
	status = STATUS_USAGE;
	path = options_file(&common, TRACE_USUAL_FILE, err);
	if (!path || finish_options(&own, err))
		goto out;
	status = print_profile(&own, &common, path, err) ? STATUS_FAILED : STATUS_DONE;
out:
	trace_options_release(&own.trace);
	free(own.cores);
	free(own.interval);
	options_release(&common);
	return status;
}

const struct cmd cmd_profile = {
	.name = "profile",
	.summary = "how long how many threads were active, and what each did",
	.run = run,
};
