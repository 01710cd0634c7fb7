/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the command record was asked of blocks of code, in options of its own. */
#ifndef PSCAL_CMD_RECORD_RECORD_PROBE_H
#define PSCAL_CMD_RECORD_RECORD_PROBE_H

#include <popt.h>
#include <stdbool.h>

#include "base/io/input.h"

struct err;
struct probe_options;
struct recorder_request;
struct uprobe_options;

/* Begins as zero; options_free_texts releases it. */
struct record_probe {
	const char **patterns, **uprobes; /* end in NULL; NULL: none */
	char *arguments, *every, *stack_every, *hot_from;
	int faults; /* 1: they are asked for; -1: they are not wanted */
	int tasks, omp;
	char *task_counters;
	int risk_exceptions;
};

/* The options, for a table of popt. */
#define RECORD_PROBE_OPTIONS(probe)                                                                \
	{"probe",                                                                                  \
	 '\0',                                                                                     \
	 POPT_ARG_ARGV,                                                                            \
	 &(probe)->patterns,                                                                       \
	 0,                                                                                        \
	 "when functions begin and end, say 'insert*', libz:inflate, hot:2%",                      \
	 "[OBJECT:]GLOB"},                                                                         \
		{"hot-from",                                                                       \
		 '\0',                                                                             \
		 POPT_ARG_STRING,                                                                  \
		 &(probe)->hot_from,                                                               \
		 0,                                                                                \
		 "... of which hot are those in its samples (default pscal.data)",                 \
		 "FILE"},                                                                          \
		{"uprobe",                                                                         \
		 '\0',                                                                             \
		 POPT_ARG_ARGV,                                                                    \
		 &(probe)->uprobes,                                                                \
		 0,                                                                                \
		 "the same from outside, also with -p, at 2 us and more a call",                   \
		 "BINARY:FUNCTION"},                                                               \
		{"risk-exceptions",                                                                \
		 '\0',                                                                             \
		 POPT_ARG_NONE,                                                                    \
		 &(probe)->risk_exceptions,                                                        \
		 0,                                                                                \
		 "... also of C++, where an exception through it is fatal",                        \
		 NULL},                                                                            \
		{"arguments",                                                                      \
		 '\0',                                                                             \
		 POPT_ARG_STRING,                                                                  \
		 &(probe)->arguments,                                                              \
		 0,                                                                                \
		 "... with so many arguments, 0 (default) to 4",                                   \
		 "N"},                                                                             \
		{"every", '\0', POPT_ARG_STRING, &(probe)->every, 0, "... of one call in M", "M"}, \
		{"stack-every",                                                                    \
		 '\0',                                                                             \
		 POPT_ARG_STRING,                                                                  \
		 &(probe)->stack_every,                                                            \
		 0,                                                                                \
		 "... with the calls around each N-th (default 10000)",                            \
		 "N"},                                                                             \
		{"faults",                                                                         \
		 '\0',                                                                             \
		 POPT_ARG_VAL,                                                                     \
		 &(probe)->faults,                                                                 \
		 1,                                                                                \
		 "page faults within functions (default), tasks (on request)",                     \
		 NULL},                                                                            \
		{"no-faults",  '\0',                                                               \
		 POPT_ARG_VAL, &(probe)->faults,                                                   \
		 -1,	       "... are left out, where there are very many",                      \
		 NULL},                                                                            \
		{"tasks",                                                                          \
		 '\0',                                                                             \
		 POPT_ARG_NONE,                                                                    \
		 &(probe)->tasks,                                                                  \
		 0,                                                                                \
		 "what tasks do, as the command tells with pscal/task.h",                          \
		 NULL},                                                                            \
		{"omp",		'\0', POPT_ARG_NONE,                                               \
		 &(probe)->omp, 0,    "... and what those of OpenMP do, which tells by itself",    \
		 NULL},                                                                            \
	{                                                                                          \
		"task-counters", '\0', POPT_ARG_STRING, &(probe)->task_counters, 0,                \
			"... and what their threads count in them, at most 4 events", "EVENTS"     \
	}

/*
 * Whether that goes with the rest of the request, of which command and path are known. Returns 0,
 * or -1 with a sentence: wrong usage. `probe` must live as long as `options`.
 */
int record_probe_parse(struct probe_options *options, const struct record_probe *probe,
		       const struct recorder_request *request, struct err *err);

/*
 * Puts functions in the place of the pattern hot, as an earlier recording has them; `usual` is that
 * if no other is named. Returns 0, or -1 with a sentence.
 */
int record_probe_find_hot(struct probe_options *options, struct record_probe *probe,
			  const char *usual, enum input_owners owners, struct err *err);
/* The same of --uprobe. */
int record_probe_parse_uprobes(struct uprobe_options *options, const struct record_probe *probe,
			       struct err *err);

/* Whether page faults are to be recorded: with blocks, unless it is said that they are not. */
bool record_probe_wants_faults(const struct record_probe *probe);

#endif
