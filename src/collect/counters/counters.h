/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The collector that counts events of the user's choice in each thread. In the file that is a
 * PERF_RECORD_READ for each event and thread: when it ends, or at the end of the recording.
 *
 * Who may see all switches has counters of the CPUs read at each of them (switch_counters.h).
 * Others, and events that the PMU cannot count all at once, have events that threads inherit:
 * there a record of tid -1 holds what several threads counted that cannot be told apart (see
 * counter_ledger.h).
 */
#ifndef PSCAL_COLLECT_COUNTERS_COUNTERS_H
#define PSCAL_COLLECT_COUNTERS_COUNTERS_H

#include <stdbool.h>

#include "collect/recording/collector.h"

/*
 * `names` and `optional` are as in counter_choice.h: NULL for what is usual. The names that are not
 * counted since this machine cannot go to *left_out, as "a, b" to be freed, or NULL. Nothing is
 * counted yet. NULL with a sentence.
 */
struct collector *counters_open(const struct collector_options *options, const char *names,
				bool optional, char **left_out, struct err *err);

#endif
