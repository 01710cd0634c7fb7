/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collectors that watch the scheduler, beside that of collect/sched/bpf. */
#ifndef PSCAL_COLLECT_SCHED_SCHED_COLLECTORS_H
#define PSCAL_COLLECT_SCHED_SCHED_COLLECTORS_H

#include "collect/recording/collector.h"

/*
 * The perf collector: tracepoints of the scheduler on every CPU. Returns NULL with a sentence when
 * the kernel does not let us.
 */
struct collector *perf_collector_open(const struct collector_options *options, struct err *err);

/*
 * The task collector watches the scheduler as far as an ordinary user may: his own threads, by the
 * records that the kernel writes when one of them gets or leaves a CPU. It does not say when a
 * thread was woken. Process ids are those of the namespace that the recorder is in. Returns NULL
 * with a sentence when even that is not allowed, or cannot give what `options` ask for.
 */
struct collector *task_collector_open(const struct collector_options *options, struct err *err);

#endif
