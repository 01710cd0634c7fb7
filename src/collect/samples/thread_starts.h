/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions that threads began with, where the collector that watches the scheduler does not
 * tell (perf, task): read from the descriptions that the C library keeps at the ends of their
 * stacks, now and then. Threads that live for less than some milliseconds may be missed; those of
 * another user's processes are left out, as their memory may keep a reader for ever.
 */
#ifndef PSCAL_COLLECT_SAMPLES_THREAD_STARTS_H
#define PSCAL_COLLECT_SAMPLES_THREAD_STARTS_H

#include <stdbool.h>

struct collector;
struct collector_options;

/* `maps`: no other collector records what processes have mapped. NULL: not on this machine. */
struct collector *thread_starts_open(const struct collector_options *options, bool maps);

#endif
