/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The collector that counts: events of the user's choice on the threads of the target and all that
 * they create. In the file each is a PERF_RECORD_READ for each thread: when it ends, or at the end
 * of the recording. One of tid -1 holds what several threads counted together that lived to the
 * end and cannot be told apart (see counter_ledger.h).
 */
#ifndef PSCAL_COLLECT_COUNTERS_H
#define PSCAL_COLLECT_COUNTERS_H

#include <stdbool.h>

#include "collect/collector.h"

/*
 * `names` and `optional` are as in counter_choice.h: NULL for what is usual. Nothing is counted
 * yet. NULL with a sentence.
 */
struct collector *counters_open(const struct collector_options *options, const char *names,
				bool optional, struct err *err);

/* The names that are not counted since this machine cannot, as "a, b"; NULL: none. Borrowed. */
const char *counters_left_out(const struct collector *collector);

#endif
