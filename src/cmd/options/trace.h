/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of all commands that read a trace: which trace, and which threads of it. */
#ifndef PSCAL_CMD_OPTIONS_TRACE_H
#define PSCAL_CMD_OPTIONS_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/options/options.h"
#include "decode/event/event_source.h"
#include "decode/timeline/selection.h"
#include "report/progress.h"

struct assertions;
struct err;
struct options;

/* The recording where no file is named. */
#define TRACE_USUAL_FILE "pscal.data"

/* The path for a command to go on with; NULL: the usual file, which is not named. */
const char *trace_path_told(const char *path);

/* The chosen threads of a trace, and the progress of reading. */
struct trace_options {
	const struct options *common;
	struct id_list pids, tids;
	struct selection selection;
	struct progress progress; /* of reading; to be ended before anything is printed */
	struct input *input;	  /* what trace_open reads; the source has taken it over */
};

/* A command that reads a trace: beside its own options it takes --pid, --tid and --comm. */
struct trace_command {
	const struct option *table; /* its own options */
	void *own;		    /* their struct, which begins with struct trace_options */
	/* Checks what was typed; -1 with a sentence is wrong usage. NULL: there is nothing to. */
	int (*finish)(void *own, struct err *err);
	/* Reads the trace at `path` and prints. Returns 0; or with a sentence -1, or STATUS_USAGE where
	 * an option does not go with that kind of trace. */
	int (*print)(void *own, const struct options *common, const char *path, struct err *err);
	struct assertions *assertions; /* that print() has judged; released here. NULL: none */
};

/* Reads the options, runs the command, and returns its exit status. */
int trace_command_run(const struct trace_command *command, int argc, const char **argv,
		      struct err *err);

/* The same where several may be named: print() gets the first, and all are common->args. */
int trace_command_run_several(const struct trace_command *command, int argc, const char **argv,
			      struct err *err);

/* Opens the input at `path` ("-" is standard input) and shows progress. NULL with a sentence. */
struct input *trace_input(struct trace_options *options, const char *path, bool quiet,
			  struct err *err);

/* The same, as a source of events. */
struct event_source *trace_open(struct trace_options *options, const char *path, bool quiet,
				struct err *err);

/* The first of the options that choose threads, "--pid"; NULL: none is given. */
const char *trace_target_asked(const struct options *common);

/*
 * Appends " --rate 2x" to the arguments *text of a command; value NULL: the option is not given, name
 * NULL: a file.
 */
void trace_option_append(char **text, const char *name, const char *value);

/*
 * The arguments with which another command reads the same threads of the same recordings: " --comm sh
 * sh.data", to be freed; "": the usual file. NULL: one was read from standard input.
 */
char *trace_arguments(const struct options *common, const char *const *files, size_t count);

#endif
