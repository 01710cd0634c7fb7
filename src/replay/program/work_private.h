/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work of a program, for the files that count it and rank it; see work.h. */
#ifndef PSCAL_REPLAY_PROGRAM_WORK_PRIVATE_H
#define PSCAL_REPLAY_PROGRAM_WORK_PRIVATE_H

#include "base/map.h"
#include "replay/program/spin.h"
#include "replay/program/work.h"

/* Before the name of threads, where the name of a function could be. */
static const char work_of_threads[] = "thread:";

/* A place in the code; where call chains are known, one with its callers. */
struct work_place {
	size_t first; /* of work->called: its functions, the innermost one first ... */
	size_t count; /* ... and so many of them */
	uint64_t samples;
};

struct work {
	const struct program *program;
	const struct chains *chains;
	struct spin_row *rows; /* by thread and time */
	uint32_t *row_places;  /* [row] */
	size_t row_count;
	struct map place_numbers;
	struct work_place *places;
	size_t place_capacity;
	uint32_t *called; /* numbers of functions */
	size_t called_count, called_capacity;
	struct map function_numbers; /* by name */
	struct work_function *functions;
	size_t function_capacity;
	struct work_function *by_samples; /* the same in their order; NULL: not asked for yet */
};

/* All CPU time of the thread. */
uint64_t work_of_thread(const struct program_thread *thread);

#endif
