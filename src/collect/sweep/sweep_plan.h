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

/* The N of a sweep, as they are written on a command line. */
struct sweep_levels {
	uint64_t *n; /* ascending, each once */
	size_t count;
};

/*
 * Numbers and ranges with commas between them: "4", "1-8" (each), "1-16:3" (1, 4, 7, 10, 13, 16),
 * "1-64x2" (1, 2, 4, ... 64). A range ends before it would go beyond its end. Returns 0, or -1 with
 * a sentence; the caller releases in any case.
 */
int sweep_levels_parse(struct sweep_levels *levels, const char *text, struct err *err);
void sweep_levels_release(struct sweep_levels *levels);

enum { SWEEP_TURNS_MAX = 1 << 20 };

struct sweep_turn {
	uint64_t n;
	size_t repeat; /* the round, from 1 */
};

/*
 * The order of runs. Every round has each N once, in an order of its own: what drifts while a sweep
 * goes on (heat, a neighbour, a cache) then scatters over all N, and does not look like scaling.
 */
struct sweep_plan {
	struct sweep_turn *turns;
	size_t count;
};

/*
 * The same levels and seed give the same plan on any machine, and one with more rounds begins as
 * one with fewer. At most SWEEP_TURNS_MAX turns.
 */
void sweep_plan_init(struct sweep_plan *plan, const struct sweep_levels *levels, size_t rounds,
		     unsigned long seed);
void sweep_plan_release(struct sweep_plan *plan);

/* In words of a command this stands for the N of a run. Lists of words end in NULL. */
#define SWEEP_WORDS_N "{n}"

/* Does {n} stand in any of them? `words` may be NULL. */
bool sweep_words_vary(const char *const *words);

/*
 * The words of `before` and then those of `words`, each {n} replaced by the number, wherever in a
 * word it stands. Both lists may be NULL. The caller frees with sweep_words_free().
 */
char **sweep_words_at(const char *const *before, const char *const *words, uint64_t n);
void sweep_words_free(char **words);

/* The time that the rest of a sweep will take: at each N as much as a run took there before. */
struct sweep_eta {
	const struct sweep_levels *levels; /* borrowed */
	struct sweep_eta_level {
		size_t left, done;
		uint64_t took_ns; /* by those done */
	} * at;
};

void sweep_eta_init(struct sweep_eta *eta, const struct sweep_levels *levels);
void sweep_eta_release(struct sweep_eta *eta);

/* There is one more run to do at this N, which is one of the levels. */
void sweep_eta_expect(struct sweep_eta *eta, uint64_t n);

/* One of them is done. */
void sweep_eta_took(struct sweep_eta *eta, uint64_t n, uint64_t wall_ns);

/*
 * Sets *done_ns to the time of the runs so far, with one at `n` that has been going on for
 * elapsed_ns, and returns the time that all are expected to take; 0 as long as nothing is known. An
 * N that has not been measured takes as long as the mean of the others.
 */
uint64_t sweep_eta_total(const struct sweep_eta *eta, uint64_t *done_ns, uint64_t n,
			 uint64_t elapsed_ns);

#endif
