/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/printable.h"
#include "cmd/options/cmd.h"
#include "cmd/options/trace.h"
#include "cmd/record/record_request.h"
#include "cmd/record/record_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run_request {
	struct record_request record;
	struct number_list cores;
};

static const struct option run_table[] = {
	{.type = OPTION_TABLE, .table = record_options, .at = offsetof(struct run_request, record)},
	{.type = OPTION_HEADING, .help = "Forecast:"},
	{"cores", 'n', OPTION_NUMBERS, offsetof(struct run_request, cores),
	 .help = "core counts to forecast for, say 1,2,8-16", .argument = "LIST", .min = 1,
	 .max = CORES_MAX},
	{"json", '\0', OPTION_VALUE, offsetof(struct run_request, record.common.format),
	 .help = "print JSON; what the command prints goes to standard error",
	 .value = REPORT_JSON},
	{"no-pager", '\0', OPTION_FLAG, offsetof(struct run_request, record.common.no_pager),
	 .help = "print long text at once, not page by page", .advanced = true},
	OPTION_TABLE_END};

static int check_request(const struct run_request *request, struct err *err)
{
	const char *path = request->record.recorder.path;

	if (path && strcmp(path, "-") == 0)
		return err_set(err, "-o -: the recording is read again; name a file");
	if (request->record.clean)
		return err_set(err, "--clean: records nothing; say 'pscal record --clean'");
	return 0;
}

/* Prints the commands that show more of the recording. */
static void print_next(const char *path, const char *next)
{
	const char *words[] = {"pscal", "report", trace_path_told(path), NULL};
	char *report = shell_quote(words);

	printf("\nnext: %s%s%s\n", next ? next : "", next ? "; " : "", report);
	free(report);
}

static int run_all(struct run_request *request, struct err *err)
{
	const struct options *common = &request->record.common;
	char *next = NULL;
	int status;

	if (check_request(request, err))
		return STATUS_USAGE;
	request->record.results = common->format == REPORT_JSON;
	status = record_run(&request->record, false, err);
	if (*err->text)
		return status;
	fflush(stderr);
	if (forecast_with_profile(&next, common, request->record.recorder.path, &request->cores,
				  err))
		status = STATUS_FAILED;
	else if (!common->quiet && common->format == REPORT_TEXT)
		print_next(request->record.recorder.path, next);
	free(next);
	return status;
}

static int cmd_run_run(int argc, const char **argv, struct err *err)
{
	struct run_request request = {.cores.items = NULL};
	int status;

	record_request_init(&request.record, argv);
	status = options_read(&request.record.common, OPTIONS_RECORD, "[--] COMMAND [ARG...]",
			      run_table, &request, argc, argv, err);
	if (status < 0)
		status = run_all(&request, err);
	record_request_release(&request.record);
	return status;
}

const struct cmd cmd_run = {
	.name = "run",
	.summary = "record a command, and print its profile and forecast",
	.run = cmd_run_run,
};
