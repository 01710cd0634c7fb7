/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The critical path of a simulation, from its end back to its beginning [Yang & Miller, ICDCS
 * 1988]. It leads from a woken thread to its waker, from a thread that waited for a core to the
 * thread that left it, and from the end of a pause to the thread's own work before the pause.
 *
 * A leg is the work of a thread from one such change to the next: until the thread leaves its core,
 * or wakes another thread.
 */
#ifndef PSCAL_REPLAY_SIMULATE_SIMULATION_PATH_H
#define PSCAL_REPLAY_SIMULATE_SIMULATION_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program;
struct sim_thread;

/* The largest number of legs, of 32 bytes each: a longer path is unknown. */
enum { SIMULATION_LEGS_MAX = 1 << 23 };

struct simulation_path {
	struct path_leg *legs;
	size_t count, capacity;
	uint32_t *own;	 /* [thread]: its latest leg; PROGRAM_NONE: none */
	uint32_t last;	 /* the leg that ends last */
	bool overflowed; /* there were more than SIMULATION_LEGS_MAX legs */
};

/* Begins a new path, also if `path` was in use. */
void simulation_path_init(struct simulation_path *path, size_t thread_count);
void simulation_path_release(struct simulation_path *path);

/* Notes that thread `id` goes on because of thread `cause`; PROGRAM_NONE: of itself. */
void simulation_path_begin(struct simulation_path *path, const struct sim_thread *threads,
			   uint32_t id, uint32_t cause);

/* Notes that the thread stops, or continues at other steps. */
void simulation_path_end(struct simulation_path *path, const struct sim_thread *threads,
			 uint32_t id);

/* Returns the path_ns of simulate_path(). */
double *simulation_path_ns(const struct simulation_path *path, const struct program *program);

#endif
