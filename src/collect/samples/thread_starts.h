/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions that threads began with, where the collector of scheduler events does not record
 * them (perf, task): read now and then from the thread descriptions that the C library keeps at the
 * ends of stacks. Threads that live for less than some milliseconds may be missed; threads of other
 * users' processes are left out, as reading their memory may block for ever.
 */
#ifndef PSCAL_COLLECT_SAMPLES_THREAD_STARTS_H
#define PSCAL_COLLECT_SAMPLES_THREAD_STARTS_H

#include <stdbool.h>

struct collector;
struct collector_options;

/* `maps`: no other collector records what processes have mapped. NULL: not on this machine. */
struct collector *thread_starts_open(const struct collector_options *options, bool maps);

#endif
