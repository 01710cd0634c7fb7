/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/trace.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/input.h"
#include "base/parse.h"

#include <stdlib.h>

static int parse_ids(int32_t **ids, size_t *count, const char *text, const char *option,
		     struct err *err)
{
	uint64_t *list;

	if (parse_list(&list, count, text, 1, INT32_MAX, err))
		return err_wrap(err, "%s", option);
	*ids = xcalloc(*count, sizeof(**ids));
	for (size_t i = 0; i < *count; i++)
		(*ids)[i] = (int32_t)list[i];
	free(list);
	return 0;
}

int trace_options_finish(struct trace_options *options, struct err *err)
{
	struct selection *selection = &options->selection;

	if (options->pids &&
	    parse_ids(&options->pid_list, &selection->pid_count, options->pids, "--pid", err))
		return -1;
	if (options->tids &&
	    parse_ids(&options->tid_list, &selection->tid_count, options->tids, "--tid", err))
		return -1;
	selection->pids = options->pid_list;
	selection->tids = options->tid_list;
	selection->comm = options->comm;
	return 0;
}

void trace_options_release(struct trace_options *options)
{
	free(options->pids);
	free(options->tids);
	free(options->comm);
	free(options->pid_list);
	free(options->tid_list);
}

struct input *trace_input(struct trace_options *options, const char *path, bool quiet,
			  struct err *err)
{
	struct input *input = input_open(path, err);

	progress_begin(&options->progress, quiet);
	if (input)
		input_watch(input, progress_show, &options->progress);
	return input;
}

struct event_source *trace_open(struct trace_options *options, const char *path, bool quiet,
				struct err *err)
{
	struct input *input = trace_input(options, path, quiet, err);

	return input ? event_source_open(input, err) : NULL;
}
