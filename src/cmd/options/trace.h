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

/* The recording that is read if no file is named. */
#define TRACE_USUAL_FILE "pscal.data"

/* Returns the path to name in the next command; NULL: the usual file, which needs no name. */
const char *trace_path_told(const char *path);

/* The chosen threads of a trace, and the progress of reading. */
struct trace_options {
	const struct options *common;
	struct id_list pids, tids;
	struct selection selection;
	struct progress progress; /* of reading; ended before anything is printed */
	struct input *input;	  /* the input of trace_open, owned by the source */
};

/* A command that reads a trace. It takes --pid, --tid and --comm besides its own options. */
struct trace_command {
	const struct option *table; /* its own options */
	void *own; /* the struct of these options, which begins with struct trace_options */
	/* Checks the options. Returns 0, or -1 with an error: wrong usage. NULL: no check. */
	int (*finish)(void *own, struct err *err);
	/*
	 * Reads the trace at `path` and prints the result. Returns 0, -1 with an error, or
	 * STATUS_USAGE with an error if an option does not go with this kind of trace.
	 */
	int (*print)(void *own, const struct options *common, const char *path, struct err *err);
	struct assertions *assertions; /* judged by print(), released after it; or NULL */
};

/* Reads the options, runs the command, and returns its exit status. */
int trace_command_run(const struct trace_command *command, int argc, const char **argv,
		      struct err *err);

/* Does the same for a command with several FILEs: print() gets the first, common->args has all. */
int trace_command_run_several(const struct trace_command *command, int argc, const char **argv,
			      struct err *err);

/* Opens the input at `path` ("-": standard input) and its progress. Returns NULL with an error. */
struct input *trace_input(struct trace_options *options, const char *path, bool quiet,
			  struct err *err);

/* Opens the input in the same way as a source of events. Returns NULL with an error. */
struct event_source *trace_open(struct trace_options *options, const char *path, bool quiet,
				struct err *err);

/* Returns the first given option that chooses threads, as "--pid"; NULL: none is given. */
const char *trace_target_asked(const struct options *common);

/*
 * Appends " --rate 2x" to the arguments *text of a command. NULL as value: nothing is appended;
 * NULL as name: `value` is a file.
 */
void trace_option_append(char **text, const char *name, const char *value);

/*
 * The arguments with which another command reads the same threads of the same recordings:
 * " --comm sh sh.data", to be freed; "": the usual file. NULL: one was read from standard input.
 */
char *trace_arguments(const struct options *common, const char *const *files, size_t count);

/* The same without --tid, for a command that has its own. */
char *trace_arguments_but_tid(const struct options *common, const char *path);

#endif
