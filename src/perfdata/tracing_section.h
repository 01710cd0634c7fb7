/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tracing data of a recording: the texts that describe its tracepoints, with the byte order of
 * the machine that wrote their payloads. It is what trace-cmd puts at the beginning of its files:
 *
 *	17 08 44 "tracing"   VERSION NUL   u8 1 for big endian   u8 sizeof(long)   u32 page size
 *	"header_page" NUL    u64 size, text
 *	"header_event" NUL   u64 size, text
 *	u32 count            (u64 size, text) of each event of ftrace itself
 *	u32 count            of systems, and for each: NAME NUL, u32 count, (u64 size, text) of each
 *
 * and more behind that, by version, which says nothing of events. Numbers are in the byte order
 * that it names.
 */
#ifndef PSCAL_PERFDATA_TRACING_SECTION_H
#define PSCAL_PERFDATA_TRACING_SECTION_H

#include <stdbool.h>
#include <stddef.h>

struct err;

struct tracing_section {
	/* To be filled in: takes one format text. -1 when it is damaged. */
	int (*add)(void *context, const char *system, const char *format, size_t length);
	void *context;

	bool swapped;  /* numbers have the byte order that this machine has not; known before add */
	int long_size; /* bytes of a long, the same */
};

/* Reads a whole section. Returns 0, or -1 with a sentence when it is cut short or strange. */
int tracing_section_read(struct tracing_section *section, const void *bytes, size_t length,
			 struct err *err);

#endif
