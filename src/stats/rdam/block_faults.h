/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page faults of threads that have entered blocks, and how long they took. */
#ifndef PSCAL_STATS_RDAM_BLOCK_FAULTS_H
#define PSCAL_STATS_RDAM_BLOCK_FAULTS_H

#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"
#include "stats/rdam/block_trace.h"

/* One begins (EVENT_FAULT) or ends. What is only half on record is dropped. */
void block_faults_take(struct block_thread *thread, enum event_kind kind, uint64_t time_ns);

/*
 * Once the thread's intervals are there: adds up of each fault how long the thread had a CPU, and
 * `outside_ns` beside that, and how long it waited in state D. Of what a fault waits for a CPU that
 * is not to blame on it, nor is what else it may be asleep for.
 */
void block_faults_measure(struct block_thread *thread, double outside_ns);

/* The first fault that does not begin before `time_ns`. `guess`: it is likely to be near to that.
 */
size_t block_faults_find(const struct block_thread *thread, uint64_t time_ns, size_t guess);

#endif
