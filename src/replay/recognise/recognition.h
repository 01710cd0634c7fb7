/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of recognise() share: a program, and where each of its edges has its ends. */
#ifndef PSCAL_REPLAY_RECOGNISE_RECOGNITION_H
#define PSCAL_REPLAY_RECOGNISE_RECOGNITION_H

#include "replay/program/program.h"
#include "replay/recognise/recognise.h"

/* A step; `thread` PROGRAM_NONE: there is none. */
struct place {
	uint32_t thread, step;
};

struct edge {
	struct place wake, block;
};

struct recognition {
	struct program *program;
	struct recognised *found;
	struct edge *edges; /* as many as the program has */
	bool tells_waits;   /* system calls that wait at a word are on record */
};

/*
 * `program` is borrowed. Steps may be overwritten until the release, but keep their places: one
 * that is no longer needed becomes STEP_NONE.
 */
void recognition_init(struct recognition *recognition, struct program *program,
		      struct recognised *found);
void recognition_release(struct recognition *recognition);

static inline bool place_is_known(struct place place)
{
	return place.thread != PROGRAM_NONE;
}

static inline struct step *recognition_step(const struct recognition *recognition,
					    struct place place)
{
	return &recognition->program->threads[place.thread].steps[place.step];
}

/* Has the edge a wake and a wait, and are both still there? */
bool recognition_has_edge(const struct recognition *recognition, uint32_t edge);

/* Another operation in the place of a step, whose CPU time stays. */
void step_become(struct step *step, enum step_op op);
void step_become_at(struct step *step, enum step_op op, uint32_t site, uint32_t count);

/*
 * A call that is left out stays one until the end, of nothing: what comes after it is not in the
 * call before.
 */
void step_drop_call(struct step *step, enum sync_call call);

/* Its wake and its wait are something else from now on, or nothing. */
void recognition_forget_edge(struct recognition *recognition, uint32_t edge);

/*
 * Moves the step at `from` behind those that follow it up to `to`, and leaves its CPU time where
 * that was. Edges follow.
 */
void recognition_move_back(struct recognition *recognition, uint32_t thread, uint32_t from,
			   uint32_t to);

/* Takes out what has become nothing; its CPU time is that of the next step. Places are void then.
 */
void recognition_compact(struct recognition *recognition);

#endif
