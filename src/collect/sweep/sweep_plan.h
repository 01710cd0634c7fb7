/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan of a sweep: its N, the order of its runs, the words of its command at each N, and the
 * time that the rest of it will take.
 */
#ifndef PSCAL_COLLECT_SWEEP_SWEEP_PLAN_H
#define PSCAL_COLLECT_SWEEP_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum { SWEEP_N_MAX = 1 << 20, SWEEP_LEVELS_MAX = 4096 };

/* The N of a sweep, as given on the command line. */
struct sweep_levels {
	uint64_t *n; /* ascending, each once */
	size_t count;
};

/*
 * Parses numbers and ranges, separated by commas: "4", "1-8" (each), "1-16:3" (1, 4, 7, 10, 13,
 * 16), "1-64x2" (1, 2, 4, ... 64). A range has no number beyond its end. Returns 0, or -1 with an
 * error; the caller releases the levels in either case.
 */
int sweep_levels_parse(struct sweep_levels *levels, const char *text, struct err *err);
void sweep_levels_release(struct sweep_levels *levels);

enum { SWEEP_TURNS_MAX = 1 << 20 };

struct sweep_turn {
	uint64_t n;
	size_t repeat; /* the round, from 1 */
};

/*
 * The order of runs. Every round has each N once, in its own order: drift during a sweep (heat, a
 * neighbour, a cache) then affects all N, and does not look like scaling.
 */
struct sweep_plan {
	struct sweep_turn *turns;
	size_t count;
};

/*
 * Makes a plan of at most SWEEP_TURNS_MAX turns. The same levels and seed give the same plan on any
 * machine; a plan with more rounds begins with the same turns.
 */
void sweep_plan_init(struct sweep_plan *plan, const struct sweep_levels *levels, size_t rounds,
		     unsigned long seed);
void sweep_plan_release(struct sweep_plan *plan);

/* The text that stands for the N of a run in words of a command. Lists of words end in NULL. */
#define SWEEP_WORDS_N "{n}"

/* Returns whether any of the words contains {n}. `words` may be NULL. */
bool sweep_words_vary(const char *const *words);

/*
 * Returns the words of `before` and then of `words`, with each {n} replaced by the number, also
 * within words. Both lists may be NULL. The caller frees them with sweep_words_free().
 */
char **sweep_words_at(const char *const *before, const char *const *words, uint64_t n);
void sweep_words_free(char **words);

/* The time of the rest of a sweep: each N takes as long as its runs so far. */
struct sweep_eta {
	const struct sweep_levels *levels; /* borrowed */
	struct sweep_eta_level {
		size_t left, done;
		uint64_t took_ns; /* time of completed runs */
	} * at;
};

void sweep_eta_init(struct sweep_eta *eta, const struct sweep_levels *levels);
void sweep_eta_release(struct sweep_eta *eta);

/* Adds a run at this N, which is one of the levels. */
void sweep_eta_expect(struct sweep_eta *eta, uint64_t n);

/* Notes that a run is completed. */
void sweep_eta_took(struct sweep_eta *eta, uint64_t n, uint64_t wall_ns);

/*
 * Sets *done_ns to the time of the runs so far, including a run at `n` that began elapsed_ns ago,
 * and returns the expected time of all runs; 0 while nothing is known. An N without completed runs
 * takes the mean of the others.
 */
uint64_t sweep_eta_total(const struct sweep_eta *eta, uint64_t *done_ns, uint64_t n,
			 uint64_t elapsed_ns);

#endif
