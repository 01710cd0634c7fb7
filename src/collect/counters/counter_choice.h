/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events that are counted: those that a user names, or the usual ones that work here; and what
 * a recording has of them.
 */
#ifndef PSCAL_COLLECT_COUNTERS_COUNTER_CHOICE_H
#define PSCAL_COLLECT_COUNTERS_COUNTER_CHOICE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/kernel/perf_events.h"
#include "perfdata/perfdata_write.h"

struct err;
struct record_place;
struct recording;

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

/* Chosen counters as a recording has them. */
struct counter_output {
	struct perfdata_event *events;
	struct perf_event_attr *attrs;
	uint64_t *ids;
	size_t count;
};

/* The names are borrowed. */
void counter_output_init(struct counter_output *output, const struct counter_choice *choice);
void counter_output_release(struct counter_output *output);

/* `counts`, one for each counter, are those of the thread of `place`; its id does not matter. */
void counter_output_write(const struct counter_output *output, struct recording *recording,
			  const struct record_place *place, const struct perf_count *counts);

#endif
