/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns raw tracepoint payloads into events. The places of fields are those of the format texts in
 * the recording, which libtraceevent parses: kernels differ, and no offset is assumed.
 */
#ifndef PSCAL_DECODE_KERNEL_FORMATS_H
#define PSCAL_DECODE_KERNEL_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"

struct blocks;
struct err;
struct formats;
struct tracepoint;

/* `blocks`, which is borrowed, gets the blocks of the recording; NULL: blocks are ignored. */
struct formats *formats_new(struct blocks *blocks);
void formats_free(struct formats *formats);

/*
 * Reads a whole tracing data section (the perf.data feature HEADER_TRACING_DATA, which is the file
 * header of trace-cmd). Returns 0, or -1 with an error if it is cut short or damaged.
 */
int formats_read(struct formats *formats, const void *bytes, size_t length, struct err *err);

/*
 * Adds one format text, as in /sys/kernel/tracing/events/SYSTEM/NAME/format. Returns 0, also for
 * events other than scheduling, calls and blocks, or -1 if the text is damaged.
 */
int formats_add(struct formats *formats, const char *system, const char *format, size_t length);

/* Returns true if the recording describes events of blocks. */
bool formats_have_blocks(const struct formats *formats);

/* Returns the type number of an event such as "sched:sched_waking", or -1 without its format. */
int formats_type(const struct formats *formats, const char *name);

/* The bytes of the type number at the beginning of a payload. */
enum { FORMATS_TYPE_SIZE = sizeof(uint16_t) };

/*
 * Returns the tracepoint of a payload, which has at least FORMATS_TYPE_SIZE bytes, or NULL for
 * tracepoints other than scheduling, calls and blocks.
 */
const struct tracepoint *formats_find(struct formats *formats, const void *payload);

/* Returns true if formats_find() has a tracepoint for payloads of this type. */
bool formats_know(const struct formats *formats, uint64_t type);

/* Returns the number of payloads of an event such as "sched:sched_waking" found so far. */
uint64_t formats_found(const struct formats *formats, const char *name);

/*
 * Sets kind, tid, state, other, ran_ns and the names of `event` from a payload of this tracepoint,
 * or kind, tid and the members of a call or a block. Returns 1; 0 if the payload says that nothing
 * happened; -1 if it is too short for its fields.
 */
int formats_decode(const struct formats *formats, const struct tracepoint *tracepoint,
		   struct event *event, const void *payload, size_t length);

#endif
