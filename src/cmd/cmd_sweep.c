/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "base/printable.h"
#include "cmd/options/cmd.h"
#include "cmd/sweep_request.h"
#include "collect/sweep/sweep.h"
#include "report/progress.h"

#include <stdio.h>
#include <string.h>

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

static int run(int argc, const char **argv, struct err *err)
{
	struct sweep_request request;
	int status = sweep_request_parse(&request, argc, argv, err);

	if (status < 0)
		status = sweep(&request, err);
	sweep_request_release(&request);
	return status;
}

const struct cmd cmd_sweep = {
	.name = "sweep",
	.summary = "run a command at several N, and measure its throughput",
	.run = run,
};
