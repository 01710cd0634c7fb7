/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs made by chance. */
#ifndef PSCAL_TESTS_DRAW_RANDOM_PROGRAM_H
#define PSCAL_TESTS_DRAW_RANDOM_PROGRAM_H

#include "random.h"
#include "replay/program/program.h"

enum {
	RANDOM_PAUSES = 1,
	RANDOM_LOCKS = 2, /* nested, and with readers */
	RANDOM_TOKENS = 4,
	RANDOM_BARRIERS = 8,
	RANDOM_ALL = 15,
};

/*
 * Threads that fork, join, and wake each other, and do what `kinds` says: whatever the order in
 * which they get cores and objects, they come to an end. The caller releases *program.
 */
void random_program(struct program *program, struct random *random, unsigned kinds);

/* Any steps with any operands, also such as there are not. */
void random_garbage(struct program *program, struct random *random);

#endif
