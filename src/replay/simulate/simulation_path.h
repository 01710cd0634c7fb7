/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The critical path of a simulation, from its end back to its beginning [Yang & Miller, ICDCS
 * 1988]. It leads from a woken thread to its waker, from a thread that waited for a core to the thread
 * that left it, and from the end of a pause to the thread's own work before the pause.
 *
 * A leg is what a thread does from then on, until it leaves its core or makes another one go on.
 */
#ifndef PSCAL_REPLAY_SIMULATE_SIMULATION_PATH_H
#define PSCAL_REPLAY_SIMULATE_SIMULATION_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program;
struct sim_thread;

/* Beyond so many legs, of 32 bytes each, the path is not known. */
enum { SIMULATION_LEGS_MAX = 1 << 23 };

struct simulation_path {
	struct path_leg *legs;
	size_t count, capacity;
	uint32_t *own;	 /* [thread]: its latest leg; PROGRAM_NONE: none */
	uint32_t last;	 /* of all legs the last to end */
	bool overflowed; /* there were too many */
};

/* Begins again where the path has been in use. */
void simulation_path_init(struct simulation_path *path, size_t thread_count);
void simulation_path_release(struct simulation_path *path);

/* The thread `id` goes on because of the thread `cause`; PROGRAM_NONE: because of itself. */
void simulation_path_begin(struct simulation_path *path, const struct sim_thread *threads,
			   uint32_t id, uint32_t cause);

/* The thread stops, or is about to go on elsewhere in its steps. */
void simulation_path_end(struct simulation_path *path, const struct sim_thread *threads,
			 uint32_t id);

/* See simulate_path(). */
double *simulation_path_ns(const struct simulation_path *path, const struct program *program);

#endif
