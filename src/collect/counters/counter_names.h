/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of things to count. Who knows which:
 *
 *	page-faults, cycles:u     perf's names of what every kernel has, or may have; u, k and h
 *	                          after a colon: in user mode, kernel and hypervisor only
 *	skl::UOPS_ISSUED:ANY:u    what libpfm4 knows of the PMUs of this machine, with its unit
 *	r01c2                     masks and modifiers; raw codes as well
 *	sched:sched_switch        the kernel's tracepoints
 *
 * libpfm4 keeps its tables in the process, so there is no object here: open, ask, close.
 */
#ifndef PSCAL_COLLECT_COUNTERS_COUNTER_NAMES_H
#define PSCAL_COLLECT_COUNTERS_COUNTER_NAMES_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/*
 * Starts libpfm4, which looks for PMUs (and at LIBPFM_FORCE_PMU) once. Returns 0, or -1 with a
 * sentence. Opening what is open is free, and nothing needs to be closed.
 */
int counter_names_open(struct err *err);

/*
 * Sets of `attr` what says which event it is: type, config and what it excludes. `tracefs` is the
 * directory of tracefs; NULL where the user may not read it. Returns 0, or with a sentence 1 where
 * the event is one of a PMU that is not here, and -1 else: it names what is near, or the masks of
 * the event.
 */
int counter_names_encode(struct perf_event_attr *attr, const char *name, const char *tracefs,
			 struct err *err);

/* What every kernel has a number for. */
struct counter_generic {
	const char *name, *alias; /* alias may be NULL */
	uint32_t type;		  /* PERF_TYPE_SOFTWARE or PERF_TYPE_HARDWARE */
	uint64_t config;
	const char *description;
};
const struct counter_generic *counter_generics(size_t *count);

#endif
