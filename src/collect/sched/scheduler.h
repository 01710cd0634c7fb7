/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collectors of scheduler events that this machine and this user allow. */
#ifndef PSCAL_COLLECT_SCHED_SCHEDULER_H
#define PSCAL_COLLECT_SCHED_SCHEDULER_H

#include "collect/recording/collector.h"

enum scheduler_choice {
	SCHEDULER_AUTO, /* the first of the others that opens */
	SCHEDULER_BPF,
	SCHEDULER_PERF,
	SCHEDULER_TASK,
};

/* Parses "auto", "bpf", ... Returns 0, or -1 with an error. */
int scheduler_choice_parse(enum scheduler_choice *choice, const char *name, struct err *err);

/*
 * Opens a collector. NULL with an error. `passed_over` says why better ones were not used; NULL:
 * nothing to say. The caller frees it.
 */
struct collector *scheduler_open(enum scheduler_choice choice,
				 const struct collector_options *options, char **passed_over,
				 struct err *err);

/* Checks that a collector can be opened for threads of the user. Returns 0, or -1 with an error. */
int scheduler_try(enum scheduler_choice choice, const char *tracefs, struct err *err);

#endif
