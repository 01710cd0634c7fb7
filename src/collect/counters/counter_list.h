/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All events that have a name, one after the other. */
#ifndef PSCAL_COLLECT_COUNTERS_COUNTER_LIST_H
#define PSCAL_COLLECT_COUNTERS_COUNTER_LIST_H

#include <stdbool.h>

/* One of them. All borrowed until the visit ends. */
struct counter_known {
	const char *name;  /* as counter_names_encode() takes it */
	const char *alias; /* the same; NULL: none */
	const char *pmu;   /* "software", "hardware", "skl", "tracepoint" */
	const char *description;
	bool present; /* the PMU is there; whether the event counts is to be tried */
};

typedef void counter_visit(void *context, const struct counter_known *known);

/*
 * Those of every machine first, then those of the PMUs that libpfm4 knows; `masks`: one for each
 * unit mask, not for each event. counter_names_open() comes before.
 */
void counter_list_each(bool masks, counter_visit *visit, void *context);

/* Tracepoints, in alphabetical order; none where `tracefs` may not be read. */
void counter_list_tracepoints(const char *tracefs, counter_visit *visit, void *context);

#endif
