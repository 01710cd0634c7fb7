/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters that are read at each switch, on all CPUs. For who may see all switches this is better
 * than events that threads inherit: a thread costs nothing to create, what it counted is known
 * while it lives, and the kernel has not to write to the rings of other CPUs when it ends, which
 * loses records when two threads end at once (perf_event_read_event()).
 */
#ifndef PSCAL_COLLECT_COUNTERS_SWITCH_COUNTERS_H
#define PSCAL_COLLECT_COUNTERS_SWITCH_COUNTERS_H

#include "collect/counters/counter_choice.h"
#include "collect/recording/collector.h"

/*
 * All of `choice` is counted together; it is taken over unless this fails. NULL with a sentence,
 * also where the user may not or the PMU cannot: then inherited events may do.
 */
struct collector *switch_counters_open(const struct collector_options *options,
				       struct counter_choice *choice, struct err *err);

#endif
