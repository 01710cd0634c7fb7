/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "a,{b,c},d": names of events, those in braces to be counted together, as perf stat -e takes
 * them.
 */
#ifndef PSCAL_COLLECT_COUNTERS_COUNTER_GROUPS_H
#define PSCAL_COLLECT_COUNTERS_COUNTER_GROUPS_H

#include <stddef.h>

struct err;

struct counter_item {
	char *name;
	unsigned group; /* 0: none; 1, 2, ... */
};

struct counter_groups {
	struct counter_item *items;
	size_t count, capacity;
};

/* Returns 0, or -1 with a sentence; release them in both cases. */
int counter_groups_parse(struct counter_groups *groups, const char *text, struct err *err);
void counter_groups_release(struct counter_groups *groups);

#endif
