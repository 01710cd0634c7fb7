/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collectors of scheduler events that this machine and this user allow. */
#ifndef PSCAL_COLLECT_SCHED_SCHEDULER_H
#define PSCAL_COLLECT_SCHED_SCHEDULER_H

#include "collect/recording/collector.h"

enum scheduler_choice {
	SCHEDULER_AUTO, /* the first of these that opens */
	SCHEDULER_BPF,
	SCHEDULER_PERF,
	SCHEDULER_TASK,
};

/* "auto", "bpf", ... Returns 0, or -1 with a sentence. */
int scheduler_choice_parse(enum scheduler_choice *choice, const char *name, struct err *err);

/*
 * Opens it. NULL with a sentence. `passed_over`, to be freed, says why those before it were not
 * taken; NULL when there is nothing to say.
 */
struct collector *scheduler_open(enum scheduler_choice choice,
				 const struct collector_options *options, char **passed_over,
				 struct err *err);

/* Can this one be opened, for threads of the user? Returns 0, or -1 with a sentence. */
int scheduler_try(enum scheduler_choice choice, const char *tracefs, struct err *err);

#endif
