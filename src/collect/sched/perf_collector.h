/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scheduler seen through its tracepoints with perf events on every CPU. The kernel writes as
 * little as it can (time and raw fields); the records are completed on their way to the file.
 */
#ifndef PSCAL_COLLECT_SCHED_PERF_COLLECTOR_H
#define PSCAL_COLLECT_SCHED_PERF_COLLECTOR_H

#include "collect/recording/collector.h"

/* Opens all events, off. NULL with a sentence. */
struct collector *perf_collector_open(const struct collector_options *options, struct err *err);

#endif
