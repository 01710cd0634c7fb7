/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether an event can be counted here: tried on the calling thread, not assumed. */
#ifndef PSCAL_COLLECT_COUNTERS_COUNTER_PROBE_H
#define PSCAL_COLLECT_COUNTERS_COUNTER_PROBE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

enum counter_access {
	COUNTER_YES,
	COUNTER_USER,	/* for this user in user mode only: with exclude_kernel and exclude_hv */
	COUNTER_DENIED, /* not for this user */
	COUNTER_NO,	/* this machine or kernel does not have it */
};

/* "yes", "user", "denied", "no" */
const char *counter_access_name(enum counter_access access);

/* Of `attr` only what counter_names_encode() sets counts. */
enum counter_access counter_probe(const struct perf_event_attr *attr);

/* Has the machine any hardware counters for this user? */
bool counter_probe_hardware(void);

enum counter_fit {
	COUNTER_FITS,
	COUNTER_REFUSED, /* the kernel sees that the PMU cannot count them together */
	COUNTER_STARVED, /* it does not, and yet they never got on the hardware */
};

/* Can events, each of which can be counted, be counted together? */
enum counter_fit counter_probe_group(const struct perf_event_attr *attrs, size_t count);

#endif
