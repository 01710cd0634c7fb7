/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the bits of prev_state in sched_switch mean. Kernels differ: 0x40 is a dead thread before
 * Linux 4.14 and a parked one since. The print format of the event has the table:
 *
 *	... __print_flags(REC->prev_state & (...), "|", { 1, "S"} , { 2, "D" }, ... ) ...
 */
#ifndef PSCAL_DECODE_PREV_STATE_H
#define PSCAL_DECODE_PREV_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "decode/event.h"

/* Bits by what they say of a thread. Begins as zero: then they are those of Linux 4.14 and later.
 */
struct prev_state {
	uint64_t dead, idle, disk, stopped, sleeping;
	uint64_t moot; /* named, and alone they say nothing */
};

/* Takes the table from a print format, if there is a sound one; else leaves all as it was. */
void prev_state_learn(struct prev_state *prev_state, const char *print, size_t length);

/* The state that a thread is in which leaves its CPU. */
enum thread_state prev_state_of(const struct prev_state *prev_state, uint64_t bits);

#endif
