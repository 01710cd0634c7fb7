/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What holds of every program that is read from a trace:
 *
 *  - A thread ends once, as the last of its steps, and is forked once or not at all.
 *  - An edge has one wake and one block; it is another thread that wakes.
 *  - With a core for each thread it takes no longer than it has, and all waits end.
 */
#ifndef PSCAL_TESTS_CHECK_PROGRAM_CHECK_H
#define PSCAL_TESTS_CHECK_PROGRAM_CHECK_H

#include "replay/program/program.h"

struct err;
struct event_source;
struct profile;

/* Returns -1 with what is wrong. */
int program_check(const struct program *program, struct err *err);

/* The same of a trace, of which there is a profile: both must agree. */
int program_check_trace(struct event_source *source, const struct profile *profile,
			struct err *err);

#endif
