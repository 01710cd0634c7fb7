/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches the scheduler as far as an ordinary user may: his own threads, by the records that the
 * kernel writes when one of them gets or leaves a CPU. It does not say when a thread was woken.
 *
 * Process ids are those of the namespace that the recorder is in.
 */
#ifndef PSCAL_COLLECT_SCHED_TASK_COLLECTOR_H
#define PSCAL_COLLECT_SCHED_TASK_COLLECTOR_H

#include "collect/recording/collector.h"

/* NULL with a sentence when even that is not allowed, or cannot give what `options` ask for. */
struct collector *task_collector_open(const struct collector_options *options, struct err *err);

#endif
