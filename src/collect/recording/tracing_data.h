/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tracing data section of a perf.data file (version 0.6): how the payload of each tracepoint
 * is laid out. Source: linux/tools/perf/util/trace-event-info.c is its only definition.
 *
 *	17 08 44 "tracing" "0.6\0", u8 big endian, u8 sizeof(long), u32 page size
 *	"header_page\0" u64 size, text; "header_event\0" u64 size, text
 *	u32 count of ftrace formats (none)
 *	u32 count of systems; each: name\0, u32 count, (u64 size, text) each
 *	u32 size of kallsyms (0), u32 size of printk formats (0), u64 size of saved comms (0)
 */
#ifndef PSCAL_COLLECT_RECORDING_TRACING_DATA_H
#define PSCAL_COLLECT_RECORDING_TRACING_DATA_H

#include <stddef.h>
#include <stdio.h>

struct err;

/* A tracepoint, by the names that readers see, and where tracefs describes it. */
struct traced_event {
	const char *system, *name;
	const char *group; /* the directory below events/ that its own is in */
	const char *text;  /* its format, where tracefs does not describe it; else NULL */
};

/*
 * Writes the section for these events to `out`. `root` is the directory of tracefs; NULL where the
 * user may not read it, and all events bring their text. Returns 0, or -1 with a sentence.
 */
int tracing_data_write(FILE *out, const char *root, const struct traced_event *events, size_t count,
		       struct err *err);

#endif
