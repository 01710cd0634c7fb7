/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "cmd/options/cmd.h"
#include "cmd/record/record_request.h"
#include "cmd/record/record_run.h"

static int cmd_record_run(int argc, const char **argv, struct err *err)
{
	struct record_request request;
	int status;

	record_request_init(&request, argv);
	status = options_read(&request.common, OPTIONS_RECORD, "[--] COMMAND [ARG...]",
			      record_options, &request, argc, argv, err);
	if (status < 0)
		status = record_run(&request, true, err);
	record_request_release(&request);
	return status;
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "record a command, or running threads, into pscal.data",
	.run = cmd_record_run,
};
