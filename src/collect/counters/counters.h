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
 * Events to count: whether they count here, and their names, by the source that knows them:
 *
 *	page-faults, cycles:u     perf's names of what every kernel has, or may have; u, k and h
 *	                          after a colon: in user mode, kernel and hypervisor only
 *	skl::UOPS_ISSUED:ANY:u    what libpfm4 knows of the PMUs of this machine, with its unit
 *	r01c2                     masks and modifiers; raw codes as well
 *	sched:sched_switch        the kernel's tracepoints
 *
 * libpfm4 keeps its tables in the process, so there is no object here: open, ask, close.
 */

/*
 * Starts libpfm4, which looks for PMUs (and at LIBPFM_FORCE_PMU) once. Returns 0, or -1 with a
 * sentence. Opening what is open is free, and nothing needs to be closed.
 */
int counter_names_open(struct err *err);

/*
 * Sets the members of `attr` that identify the event: type, config and excluded modes. `tracefs` is
 * the directory of tracefs; NULL where the user may not read it. Returns 0, or with a sentence 1
 * where the event is one of a PMU that is not here, and -1 else: it names what is near, or the
 * masks of the event.
 */
int counter_names_encode(struct perf_event_attr *attr, const char *name, const char *tracefs,
			 struct err *err);

/* An event that has a name. All borrowed until the visit ends. */
struct counter_known {
	const char *name;  /* as counter_names_encode() takes it */
	const char *alias; /* the same; NULL: none */
	const char *pmu;   /* "software", "hardware", "skl", "tracepoint" */
	const char *description;
	bool present; /* the PMU is there; whether the event counts is to be tried */
};

typedef void counter_visit(void *context, const struct counter_known *known);

/*
 * Visits the events of every machine first, then those of the PMUs that libpfm4 knows; `masks`: one
 * visit for each unit mask, not for each event. counter_names_open() comes before.
 */
void counter_names_each(bool masks, counter_visit *visit, void *context);

/* Visits tracepoints in alphabetical order; none where `tracefs` may not be read. */
void counter_names_tracepoints(const char *tracefs, counter_visit *visit, void *context);

/* Can an event be counted here? That is tried on the calling thread, not assumed. */
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

/* --- The choice ------------------------------------------------------------------------------ */

/* The events that are counted: those that a user names, or the usual ones that work here. */
struct chosen_counter {
	char *name;		     /* with ":u" behind it where this user may count no more */
	struct perf_event_attr attr; /* what counter_names_encode() sets */
	bool in_group;		     /* counts together with the one before */
	struct perf_event_attr described; /* in a recording, with this: */
	uint64_t id;
};

struct counter_choice {
	struct chosen_counter *counters;
	size_t count, capacity;
	struct perfdata_event *events; /* as a recording has them */
	char *left_out;		       /* names that are not counted, as "a, b"; NULL: none */
};

/*
 * `names`: "a,{b,c},d", where events in braces are counted together, as perf stat -e takes them;
 * NULL: the usual ones that work here. With `optional` an event that cannot be counted here is left
 * out, but an unknown name is refused. Returns 0, or -1 with a sentence, also when nothing is left;
 * release it in both cases.
 */
int counter_choice_init(struct counter_choice *choice, const char *names, bool optional,
			const char *tracefs, struct err *err);
void counter_choice_release(struct counter_choice *choice);

/* --- The collector --------------------------------------------------------------------------- */

/*
 * The collector that counts events of the user's choice in each thread. In the file that is a
 * PERF_RECORD_READ for each event and thread: when it ends, or at the end of the recording.
 *
 * A user that may see all switches has counters of the CPUs read at each of them
 * (switch_counters.c). Other users, and events that the PMU cannot count all at once, have events
 * that threads inherit: there a record of tid -1 holds what several threads counted that cannot be
 * told apart (see counters_private.h).
 *
 * `names` and `optional` are as above. *left_out becomes the names that this machine cannot count,
 * as "a, b" to be freed, or NULL. Nothing is counted yet. NULL with a sentence.
 */
struct collector *counters_open(const struct collector_options *options, const char *names,
				bool optional, char **left_out, struct err *err);

#endif
