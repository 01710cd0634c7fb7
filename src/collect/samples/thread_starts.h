/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The first functions of threads, if the collector of scheduler events does not record them (perf,
 * task): read from time to time from the C library's thread descriptions at the ends of stacks.
 * Threads that live for less than some milliseconds may be missed; threads of other users'
 * processes are left out, as reading their memory may block forever.
 */
#ifndef PSCAL_COLLECT_SAMPLES_THREAD_STARTS_H
#define PSCAL_COLLECT_SAMPLES_THREAD_STARTS_H

#include <stdbool.h>

struct collector;
struct collector_options;

/* Opens the collector. `maps`: no other collector records mappings. NULL: not on this machine. */
struct collector *thread_starts_open(const struct collector_options *options, bool maps);

#endif
