/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Invariants of every program that is read from a trace:
 *
 *  - A thread ends once, with its last step, and is forked once or never.
 *  - An edge has one wake and one block, of different threads.
 *  - With a core for each thread it takes no longer than when recorded, and all waits end.
 */
#ifndef PSCAL_TESTS_CHECK_PROGRAM_CHECK_H
#define PSCAL_TESTS_CHECK_PROGRAM_CHECK_H

#include "replay/program/program.h"

struct err;
struct event_source;
struct profile;

/* Returns -1 with the fault. */
int program_check(const struct program *program, struct err *err);

/* The same for a trace with a profile: both must agree. */
int program_check_trace(struct event_source *source, const struct profile *profile,
			struct err *err);

#endif
