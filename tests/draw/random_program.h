/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random programs. */
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
 * Makes threads that fork, join, and wake each other, and do the steps of `kinds`. They end in any
 * order in which they get cores and objects. The caller releases *program.
 */
void random_program(struct program *program, struct random *random, unsigned kinds);

/* Makes any steps with any operands, also invalid ones. */
void random_garbage(struct program *program, struct random *random);

#endif
