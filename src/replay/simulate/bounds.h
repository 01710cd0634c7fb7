/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lower bounds of the wall time of a program, for any scheduler: on k cores its work divided by k;
 * on any number of cores the longest chain of steps that wait for one another [Brent 1974, Graham
 * 1969], and the work under one lock, which only one thread does at a time.
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
	uint64_t critical_ns; /* longest chain along edges, forks and joins, with pauses; without
				 the order at locks, tokens and barriers */
	uint64_t serial_ns;   /* longest time for which one lock is held exclusively, with pauses */
	uint32_t serial_site; /* the lock of serial_ns; PROGRAM_NONE: none */
};

void bounds_find(struct bounds *bounds, const struct program *program);

/* Fills in serial_ns and serial_site alone. */
void bounds_find_lock(struct bounds *bounds, const struct program *program);

/* Returns the lower bound of the wall time on `cores` cores, one or more. */
uint64_t bounds_wall_ns(const struct bounds *bounds, unsigned cores);

#endif
