/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "base/parse.h"
#include "cmd/cmd.h"
#include "cmd/trace.h"
#include "report/report_counters.h"
#include "report/report_overhead.h"
#include "report/report_profile.h"

#include <math.h>
#include <stdlib.h>

struct profile_options {
	struct trace_options trace;
	char *cores, *interval; /* as typed */
	uint64_t core_count;	/* 0: as the trace says */
	uint64_t interval_ns;
	int counters; /* only what was counted */
};

static int finish(void *own, struct err *err)
{
	struct profile_options *options = own;
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
	return 0;
}

static void report_all(struct report *report, const struct profile *profile,
		       const struct selection *selection, const struct target_info *target)
{
	bool asked = !selection_is_empty(selection);
	struct overhead overhead;

	report_profile(report, profile, asked ? selection->pids : target->roots,
		       asked ? selection->pid_count : target->root_count);
	overhead_init(&overhead, profile, target);
	report_overhead(report, &overhead);
}

static int print(void *own, const struct options *common, const char *path, struct err *err)
{
	struct profile_options *options = own;
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
	if (options->counters && !profile.counters.row_count)
		err_set(err, "%s: nothing was counted in the target; record with -e", path);
	else
		report = options_report(common, err);
	if (report && options->counters)
		report_counters(report, &profile);
	else if (report)
		report_all(report, &profile, selection, &source->target);
	if (report)
		rc = report_close(report, err);
	profile_release(&profile);
out:
	event_source_free(source);
	return rc;
}

static int run(int argc, const char **argv, struct err *err)
{
	struct profile_options own = {0};
	const struct poptOption table[] = {
		{"cores", '\0', POPT_ARG_STRING, &own.cores, 0,
		 "CPUs that the target could use (default: as the trace says)", "N"},
		{"interval", '\0', POPT_ARG_STRING, &own.interval, 0,
		 "the same for each interval of this length", "SECONDS"},
		{"counters", '\0', POPT_ARG_NONE, &own.counters, 0,
		 "only what events counted in each thread", NULL},
		POPT_TABLEEND};
	const struct trace_command command = {table, &own.trace, &own, finish, print};
	int status = trace_command_run(&command, argc, argv, err);

	free(own.cores);
	free(own.interval);
	return status;
}

const struct cmd cmd_profile = {
	.name = "profile",
	.summary = "how long how many threads were active, and what each did",
	.run = run,
};
