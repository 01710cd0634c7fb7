/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands that read a trace share: which trace, and which threads of it. */
#ifndef PSCAL_CMD_TRACE_H
#define PSCAL_CMD_TRACE_H

#include <popt.h>
#include <stdint.h>

#include "decode/event_source.h"
#include "decode/selection.h"
#include "report/progress.h"

struct err;

/* What pscal record writes and the others read where no file is named. */
#define TRACE_USUAL_FILE "pscal.data"

struct trace_options {
	char *pids, *tids, *comm; /* as typed */
	int32_t *pid_list, *tid_list;
	struct selection selection;
	struct progress progress; /* of reading; to be ended before anything is printed */
};

/* A line for the command's own table of options. */
#define TRACE_OPTIONS(options)                                                                     \
	{                                                                                          \
		"pid",                                                                             \
		'\0',                                                                              \
		POPT_ARG_STRING,                                                                   \
		&(options)->pids,                                                                  \
		0,                                                                                 \
		"processes with all their descendants",                                            \
		"LIST"},                                                                           \
		{"tid", '\0', POPT_ARG_STRING, &(options)->tids, 0, "single threads", "LIST"},     \
	{                                                                                          \
		"comm", '\0', POPT_ARG_STRING, &(options)->comm, 0, "threads of this name", "NAME" \
	}

/* After the options have been parsed: fills in `selection`. 0, or -1 with a sentence. */
int trace_options_finish(struct trace_options *options, struct err *err);
void trace_options_release(struct trace_options *options);

/* Opens the input at `path` ("-" is standard input) and shows progress. NULL with a sentence. */
struct input *trace_input(struct trace_options *options, const char *path, bool quiet,
			  struct err *err);

/* The same, as a source of events. */
struct event_source *trace_open(struct trace_options *options, const char *path, bool quiet,
				struct err *err);

#endif
