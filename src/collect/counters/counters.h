/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The collector that counts events of the user's choice in each thread. In the file that is a
 * PERF_RECORD_READ for each event and thread: when it ends, or at the end of the recording.
 *
 * Who may see all switches has counters of the CPUs read at each of them (switch_counters.c).
 * Others, and events that the PMU cannot count all at once, have events that threads inherit:
 * there a record of tid -1 holds what several threads counted that cannot be told apart (see
 * counters_private.h).
 */
#ifndef PSCAL_COLLECT_COUNTERS_COUNTERS_H
#define PSCAL_COLLECT_COUNTERS_COUNTERS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "collect/recording/collector.h"

struct err;

/* --- The choice ------------------------------------------------------------------------------ */

/* The events that are counted: those that a user names, or the usual ones that work here. */
struct chosen_counter {
	char *name;		     /* with ":u" behind it where this user may count no more */
	struct perf_event_attr attr; /* what counter_names_encode() sets */
	bool in_group;		     /* counts together with the one before */
};

struct counter_choice {
	struct chosen_counter *counters;
	size_t count, capacity;
	char *left_out; /* names that are not counted, as "a, b"; NULL: none */
};

/*
 * `names`: "a,{b,c},d", where events in braces are counted together, as perf stat -e takes them;
 * NULL: the usual ones that work here. With `optional` an event that cannot be counted here is left
 * out, but an unknown name is refused. Returns 0, or -1 with a sentence, also when nothing is left;
 * release it in both cases.
 */
int counter_choice_init(struct counter_choice *choice, const char *names, bool optional,
			const char *tracefs, struct err *err);
void counter_choice_release(struct counter_choice *choice);

/* --- The collector --------------------------------------------------------------------------- */

/*
 * `names` and `optional` are as above. The names that are not counted since this machine cannot go
 * to *left_out, as "a, b" to be freed, or NULL. Nothing is counted yet. NULL with a sentence.
 */
struct collector *counters_open(const struct collector_options *options, const char *names,
				bool optional, char **left_out, struct err *err);

#endif
