/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of process or thread ids: a bit for each id up to the highest one seen. */
#ifndef PSCAL_COLLECT_TARGET_PID_SET_H
#define PSCAL_COLLECT_TARGET_PID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Begins as zero. */
struct pid_set {
	uint64_t *words;
	size_t capacity; /* words */
};

bool pid_set_has(const struct pid_set *set, pid_t pid);

/* Adds an id. Returns whether it is new. Ids below 1 are never in a set. */
bool pid_set_add(struct pid_set *set, pid_t pid);
void pid_set_remove(struct pid_set *set, pid_t pid);

/* Returns the lowest member above `after`; 0: none. */
pid_t pid_set_next(const struct pid_set *set, pid_t after);
void pid_set_release(struct pid_set *set);

#endif
