/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A random valid schedule: threads that run, wait, sleep and wake one another on a few CPUs.
 * seeds.c writes it as any kind of trace.
 */
#ifndef PSCAL_TESTS_SEEDS_SCHEDULE_H
#define PSCAL_TESTS_SEEDS_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

struct move {
	enum { MOVE_SWITCH, MOVE_WAKE, MOVE_FORK, MOVE_EXIT } kind;
	uint64_t time_ns;
	int32_t cpu;
	int32_t tid;   /* thread that leaves, wakes, forks or exits; 0: the idle thread */
	char state;    /* MOVE_SWITCH: S, D, R or X */
	int32_t other; /* thread that comes, is woken or is born */
};

enum { SCHEDULE_FIRST_TID = 101, SCHEDULE_BEGIN_NS = 1000000000 };

/*
 * `count` moves of so many threads, the same for the same arguments, with a switch every 10 to 100
 * us. The caller frees it.
 */
struct move *schedule_new(size_t count, size_t threads, int32_t cpus, uint64_t seed);

#endif
