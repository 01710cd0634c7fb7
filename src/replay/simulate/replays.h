/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many simulations, as many in parallel as there are CPUs. */
#ifndef PSCAL_REPLAY_SIMULATE_REPLAYS_H
#define PSCAL_REPLAY_SIMULATE_REPLAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/simulate/simulation.h"

struct err;

/* Independent pieces of work, such as simulations. */
struct side_by_side {
	void (*work)(void *context, size_t piece);
	void *context;
	size_t piece_bytes; /* approximate memory of a piece: if it is large, fewer run in
			       parallel */
	/*
	 * Called now and then with the number of pieces that are done, and at last with all; or
	 * NULL.
	 */
	void (*done)(void *done_context, size_t count);
	void *done_context;
};

/* Does the pieces 0 .. count - 1. The calling thread calls `done`. */
void side_by_side_run(const struct side_by_side *pieces, size_t count);

/* A callback that shows the progress of a long piece of work. */
struct replays_watch {
	void (*show)(void *context, uint64_t done, uint64_t size); /* or NULL */
	void *context;
};

/* A replay: a program and its machine, both borrowed, and the results. */
struct replay {
	const struct program *program;
	struct machine machine;
	bool waited; /* request for simulated.waited_ns; the caller frees it */
	struct simulated simulated;
	double scatter; /* of a mean: standard deviation of the wall time of one run, divided by the
			   mean; 0: of one run */
};

/*
 * Fills in `simulated` of all replays. The results do not depend on the number of replays that run
 * in parallel. `done`, unless NULL, is called by the calling thread, now and then with the number
 * of replays that are done, and at last with all. Returns 0, or -1 with the error of the first
 * replay that failed; then there is nothing to free.
 */
int replays_run(struct replay *replays, size_t count, void (*done)(void *context, size_t count),
		void *context, struct err *err);

/*
 * Runs each replay with several seeds (machine.seed and the following), and fills in means; but
 * `stuck` is the maximum, and one_ns, alone_ns and alone_thread are of the first run. The number of
 * runs is REPLAYS_RUNS, or as many, at least one, as keep the size (simulation_size) of all replays
 * below REPLAYS_SIZE_MOST: programs of very many steps depend less on the seed.
 */
enum { REPLAYS_RUNS = 8 };
#define REPLAYS_SIZE_MOST 16000000

int replays_run_mean(struct replay *replays, size_t count,
		     void (*done)(void *context, size_t count), void *context, struct err *err);

#endif
