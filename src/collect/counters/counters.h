/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of events in each thread: their names, the choice of them, and their collector. */
#ifndef PSCAL_COLLECT_COUNTERS_COUNTERS_H
#define PSCAL_COLLECT_COUNTERS_COUNTERS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/recording/collector.h"
#include "perfdata/perfdata_write.h"

struct err;

/* --- Names ----------------------------------------------------------------------------------- */

/*
 * Events to count: whether they count here, and their names, by source:
 *
 * - page-faults, cycles:u: perf's names of what every kernel has, or may have; u, k and h after a
 * colon: in user mode, kernel and hypervisor only;
 *
 * - skl::UOPS_ISSUED:ANY:u, r01c2: libpfm4's names for the PMUs of this machine, with the unit
 * masks and modifiers; raw codes as well;
 *
 * - sched:sched_switch: the kernel's tracepoints.
 *
 * libpfm4 keeps its tables in the process, so there is no object here: open, ask, close.
 */

/*
 * Starts libpfm4, which looks for PMUs (and at LIBPFM_FORCE_PMU) once. Returns 0, or -1 with an
 * error. A second call does nothing, and there is no close.
 */
int counter_names_open(struct err *err);

/*
 * Sets the members of `attr` that identify the event: type, config and excluded modes. `tracefs` is
 * the directory of tracefs; NULL: the user may not read it. Returns 0; 1 with an error if the event
 * belongs to a PMU that is not here; -1 with an error that names similar events, or the masks of
 * the event.
 */
int counter_names_encode(struct perf_event_attr *attr, const char *name, const char *tracefs,
			 struct err *err);

/* A named event. All pointers are borrowed until the visit ends. */
struct counter_known {
	const char *name;  /* for counter_names_encode() */
	const char *alias; /* likewise; NULL: none */
	const char *pmu;   /* "software", "hardware", "skl", "tracepoint" */
	const char *description;
	bool present; /* the PMU is there; the event may still not count */
};

typedef void counter_visit(void *context, const struct counter_known *known);

/*
 * Visits the events of every machine first, then those of the PMUs that libpfm4 knows; `masks`:
 * each unit mask instead of each event. The caller has called counter_names_open().
 */
void counter_names_each(bool masks, counter_visit *visit, void *context);

/* Visits tracepoints in alphabetical order; none if `tracefs` may not be read. */
void counter_names_tracepoints(const char *tracefs, counter_visit *visit, void *context);

/* The right to count an event here, by a trial on the calling thread. */
enum counter_access {
	COUNTER_YES,
	COUNTER_USER,	/* in user mode only: with exclude_kernel and exclude_hv */
	COUNTER_DENIED, /* not for this user */
	COUNTER_NO,	/* missing in this machine or kernel */
};

/* Returns "yes", "user", "denied" or "no". */
const char *counter_access_name(enum counter_access access);

/* Tries an event. Of `attr`, only members set by counter_names_encode() are used. */
enum counter_access counter_probe(const struct perf_event_attr *attr);

/* Returns whether the machine has hardware counters for this user. */
bool counter_probe_hardware(void);

/* --- The choice ------------------------------------------------------------------------------ */

/* An event that is counted: one named by the user, or a usual one that works here. */
struct chosen_counter {
	char *name;			  /* ends in ":u" if this user may count no more */
	struct perf_event_attr attr;	  /* set by counter_names_encode() */
	bool in_group;			  /* counts together with the one before */
	struct perf_event_attr described; /* in a recording, with this: */
	uint64_t id;
};

struct counter_choice {
	struct chosen_counter *counters;
	size_t count, capacity;
	struct perfdata_event *events; /* for a recording */
	char *left_out;		       /* names that are not counted, as "a, b"; NULL: none */
};

/*
 * Chooses counters. `names`: "a,{b,c},d", where events in braces are counted together, as for perf
 * stat -e; NULL: the usual ones that work here. With `optional`, an event that cannot be counted
 * here is left out, but an unknown name is an error. Returns 0, or -1 with an error, also if
 * nothing is left; the caller releases it in both cases.
 */
int counter_choice_init(struct counter_choice *choice, const char *names, bool optional,
			const char *tracefs, struct err *err);
void counter_choice_release(struct counter_choice *choice);

/* --- The collector --------------------------------------------------------------------------- */

/*
 * Opens the collector that counts chosen events in each thread. The file has a PERF_RECORD_READ for
 * each event and thread: at its end, or at the end of the recording.
 *
 * For a user that may see all switches, counters of the CPUs are read at each of them
 * (switch_counters.c). For other users, and if the PMU cannot count all events at once, threads
 * inherit events: then a record of tid -1 has the counts of several threads that cannot be told
 * apart (see counters_private.h).
 *
 * `names` and `optional` are as above. *left_out becomes the names that this machine cannot count,
 * as "a, b", or NULL; the caller frees it. Counting is off. NULL with an error.
 */
struct collector *counters_open(const struct collector_options *options, const char *names,
				bool optional, char **left_out, struct err *err);

#endif
