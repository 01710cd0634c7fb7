/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lower bounds of the wall time of a program, for any scheduler: on k cores its work divided by k;
 * on any number the longest chain of steps that wait for one another [Brent 1974, Graham 1969], and
 * the work under one lock, one thread after the other.
 */
#ifndef PSCAL_REPLAY_SIMULATE_BOUNDS_H
#define PSCAL_REPLAY_SIMULATE_BOUNDS_H

#include <stdint.h>

#include "replay/program/program.h"

/*
 * Lower bounds of the wall time, for cores of speed 1 that do not slow each other down, and for
 * programs that come to an end (simulated.stuck is 0).
 */
struct bounds {
	uint64_t work_ns;     /* CPU time of all threads */
	uint64_t critical_ns; /* along edges, forks and joins, with waits that have a length; the
				order at locks, tokens and barriers is left out */
	uint64_t serial_ns;   /* one lock is held alone, with waits that have a length; of the lock
				for which that is longest */
	uint32_t serial_site; /* that lock; PROGRAM_NONE: there is none */
};

void bounds_find(struct bounds *bounds, const struct program *program);

/* serial_ns and serial_site alone. */
void bounds_find_lock(struct bounds *bounds, const struct program *program);

/* The best wall time on so many cores, of at least one. */
uint64_t bounds_wall_ns(const struct bounds *bounds, unsigned cores);

#endif
