/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why an event cannot be counted, in one sentence, and what can. Return -1 unless they say so. */
#ifndef PSCAL_COLLECT_COUNTERS_COUNTER_ADVICE_H
#define PSCAL_COLLECT_COUNTERS_COUNTER_ADVICE_H

#include "collect/counters/counter_probe.h"

struct err;

/* No PMU of this machine has an event of this name. Returns 1 where one of others has, else -1. */
int counter_advice_unknown(const char *name, struct err *err);

/* The event is known, what follows its name is not. `reason` is that of libpfm4. */
int counter_advice_masks(const char *name, const char *reason, struct err *err);

/* Trying it has ended in `access`, which is not COUNTER_YES. */
int counter_advice_access(const char *name, const struct perf_event_attr *attr,
			  enum counter_access access, struct err *err);

/* Each of the comma-separated `names` can be counted, but not all together. */
int counter_advice_group(const char *names, enum counter_fit fit, struct err *err);

#endif
