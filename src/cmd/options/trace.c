/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/trace.h"

#include "base/err.h"
#include "base/io/input.h"
#include "cmd/options/cmd.h"
#include "decode/trace_input.h"

#include <stdlib.h>

static int trace_options_finish(struct trace_options *options, struct err *err)
{
	struct selection *selection = &options->selection;

	if (options_ids(&options->pid_list, &selection->pid_count, options->pids, "--pid", err) ||
	    options_ids(&options->tid_list, &selection->tid_count, options->tids, "--tid", err))
		return -1;
	selection->pids = options->pid_list;
	selection->tids = options->tid_list;
	selection->comm = options->comm;
	return 0;
}

static void trace_options_release(struct trace_options *options)
{
	free(options->pid_list);
	free(options->tid_list);
}

int trace_command_run(const struct trace_command *command, int argc, const char **argv,
		      struct err *err)
{
	struct trace_options *trace = command->trace;
	const struct poptOption target[] = {
		{"pid", '\0', POPT_ARG_STRING, &trace->pids, 0,
		 "processes with all their descendants", "LIST"},
		{"tid", '\0', POPT_ARG_STRING, &trace->tids, 0, "single threads", "LIST"},
		{"comm", '\0', POPT_ARG_STRING, &trace->comm, 0, "threads of this name", "NAME"},
		POPT_TABLEEND};
	const struct poptOption table[] = {options_include(command->table, NULL),
					   options_include(target, "Target:"), POPT_TABLEEND};
	struct options common;
	const char *path;
	int status = options_parse(&common, OPTIONS_REPORT, "[FILE]", table, argc, argv, err);

	trace->common = &common;
	if (status < 0) {
		status = STATUS_USAGE;
		path = options_file(&common, TRACE_USUAL_FILE, err);
		if (path && !command->finish(command->own, err) &&
		    !trace_options_finish(trace, err))
			status = command->print(command->own, &common, path, err) ? STATUS_FAILED
										  : STATUS_DONE;
	}
	trace_options_release(trace);
	options_free_texts(table);
	options_release(&common);
	return status;
}

struct input *trace_input(struct trace_options *options, const char *path, bool quiet,
			  struct err *err)
{
	struct input *input;

	progress_begin(&options->progress, quiet);
	input = trace_input_open(path, options_owners(options->common), err);
	if (input)
		input_watch(input, 0, progress_show, &options->progress);
	return input;
}

struct event_source *trace_open(struct trace_options *options, const char *path, bool quiet,
				struct err *err)
{
	options->input = trace_input(options, path, quiet, err);
	return options->input ? trace_input_read(options->input, err) : NULL;
}
