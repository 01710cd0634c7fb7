/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many simulations at once, as many side by side as there are CPUs. */
#ifndef PSCAL_REPLAY_SIMULATE_REPLAYS_H
#define PSCAL_REPLAY_SIMULATE_REPLAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/simulate/simulation.h"

struct err;

/* Simulations, or other work of which no piece depends on another one. */
struct side_by_side {
	void (*work)(void *context, size_t piece);
	void *context;
	size_t piece_bytes; /* that one takes, roughly: where it is much, fewer run at a time */
	/* Called now and then with how many are done, and at last with all; or NULL. */
	void (*done)(void *done_context, size_t count);
	void *done_context;
};

/* Does the pieces 0 .. count - 1. `done` is called by the thread that calls this. */
void side_by_side_run(const struct side_by_side *pieces, size_t count);

/* A callback that shows how far a long piece of work is. */
struct replays_watch {
	void (*show)(void *context, uint64_t done, uint64_t size); /* or NULL */
	void *context;
};

/* One of them: a program on a machine, both borrowed from the caller, and what comes of it. */
struct replay {
	const struct program *program;
	struct machine machine;
	bool waited; /* simulated.waited_ns is wanted; the caller frees it */
	struct simulated simulated;
	double scatter; /* of a mean: standard deviation of the wall time of one run in terms of
			   it; 0: of one run, and where that is all there is */
};

/*
 * Fills in `simulated` of all, each as if it were alone: how many run side by side changes nothing.
 * `done`, unless NULL, is called now and then with how many are, and at last with all, by the
 * thread that calls. Returns 0, or -1 with the sentence of the first that failed; then there is
 * nothing to free.
 */
int replays_run(struct replay *replays, size_t count, void (*done)(void *context, size_t count),
		void *context, struct err *err);

/*
 * The mean over some runs of each, with another seed in each of them (machine.seed and those that
 * follow): eight, and fewer, at least one, where all replays together would be of more than that
 * size (simulation_size), as programs of very many steps depend less on it. All that is in
 * `simulated` is a mean; `stuck` is the most, and what a thread did alone is of the first run.
 */
enum { REPLAYS_RUNS = 8 };
#define REPLAYS_SIZE_MOST 16000000

int replays_run_mean(struct replay *replays, size_t count,
		     void (*done)(void *context, size_t count), void *context, struct err *err);

#endif
