/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the bits of prev_state in sched_switch mean. Kernels differ: 0x40 is a dead thread before
 * Linux 4.14 and a parked one since. The print format of the event has the table:
 *
 *	... __print_flags(REC->prev_state & (...), "|", { 1, "S"} , { 2, "D" }, ... ) ...
 */
#ifndef PSCAL_DECODE_KERNEL_PREV_STATE_H
#define PSCAL_DECODE_KERNEL_PREV_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"

enum { PREV_STATE_SMALL = 256 };

struct prev_state {
	/* Bits by what they say of a thread. */
	uint64_t dead, idle, disk, stopped, sleeping;
	uint64_t moot;			 /* named, and alone they say nothing */
	uint8_t small[PREV_STATE_SMALL]; /* what the usual numbers come to */
};

/* The bits of Linux 4.14 and later. */
void prev_state_init(struct prev_state *prev_state);

/* Takes the table from a print format, if there is a sound one; else leaves all as it was. */
void prev_state_learn(struct prev_state *prev_state, const char *print, size_t length);

/* The same as prev_state_of, in small steps. */
enum thread_state prev_state_work_out(const struct prev_state *prev_state, uint64_t bits);

/* The state that a thread is in which leaves its CPU. */
static inline enum thread_state prev_state_of(const struct prev_state *prev_state, uint64_t bits)
{
	if (bits < PREV_STATE_SMALL)
		return (enum thread_state)prev_state->small[bits];
	return prev_state_work_out(prev_state, bits);
}

#endif
