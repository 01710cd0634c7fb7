/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads in groups, and the wall time with each number of ready threads of a group. A thread may
 * change its name at any time and belongs to the group of its last one, so when it was ready is
 * kept up to the end: 24 bytes each time that it becomes ready.
 */
#ifndef PSCAL_STATS_PROFILE_GROUPS_H
#define PSCAL_STATS_PROFILE_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "stats/profile/profile.h"

/* Zero is one without times. */
struct ready_times {
	struct ready_time *items;
	size_t count, capacity;
	size_t *last; /* of each thread: the number of its last item, + 1; 0: it has none */
	size_t last_capacity;
};

void ready_times_add(struct ready_times *times, const struct change *change);
void ready_times_release(struct ready_times *times);

/*
 * Puts the threads of `profile` into groups, which begin at `begin_ns` and last as long as its
 * levels. `open` are changes beyond those in `times`.
 */
void groups_make(struct profile *profile, enum profile_by by, uint64_t begin_ns,
		 const struct ready_times *times, const struct change *open, size_t open_count);

#endif
