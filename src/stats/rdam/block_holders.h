/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long who had the CPU while a thread waited for it: threads of the target, of which it is
 * known when they ran where, and for the rest of the time somebody else. Who takes the CPU from a
 * thread may have it for a moment only, and strangers for long behind.
 */
#ifndef PSCAL_STATS_RDAM_BLOCK_HOLDERS_H
#define PSCAL_STATS_RDAM_BLOCK_HOLDERS_H

#include <stdint.h>

struct block_trace;

/*
 * Divides those intervals of STATE_RUNNABLE in which both the target and somebody else had the CPU,
 * each for longer than `moment_ns`, into one of each, as struct block_interval has it. The CPU is
 * the one that the thread was preempted on, or where it ran next after a wake.
 */
void block_holders_divide(struct block_trace *trace, uint64_t moment_ns);

#endif
