/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events that are counted: those that a user names, or the usual ones that work here. */
#ifndef PSCAL_COLLECT_COUNTERS_COUNTER_CHOICE_H
#define PSCAL_COLLECT_COUNTERS_COUNTER_CHOICE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

struct err;

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
 * out, but an unknown name is refused. Returns 0, or -1
 * with a sentence, also when nothing is left; release it in both cases.
 */
int counter_choice_init(struct counter_choice *choice, const char *names, bool optional,
			const char *tracefs, struct err *err);
void counter_choice_release(struct counter_choice *choice);

#endif
