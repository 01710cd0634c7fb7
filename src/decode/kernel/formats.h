/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Raw tracepoint payloads to events. Where the fields lie is taken from the format texts that
 * travel in the recording (libtraceevent reads them): kernels differ, offsets are never assumed.
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

/* `blocks`, which is borrowed, gets the blocks that are told of; NULL: none are. */
struct formats *formats_new(struct blocks *blocks);
void formats_free(struct formats *formats);

/*
 * Reads a whole tracing data section (the perf.data feature HEADER_TRACING_DATA, as
 * trace-cmd's file header). Returns 0, or -1 with a sentence when it is cut short or strange.
 */
int formats_read(struct formats *formats, const void *bytes, size_t length, struct err *err);

/*
 * Adds one format text as in /sys/kernel/tracing/events/SYSTEM/NAME/format. 0, also when the event
 * says nothing of scheduling, calls or blocks, or -1 when the text is damaged.
 */
int formats_add(struct formats *formats, const char *system, const char *format, size_t length);

/* Can switches be told at all? */
bool formats_have_switch(const struct formats *formats);

/* ... and blocks? */
bool formats_have_blocks(const struct formats *formats);

/* "sched:sched_waking" has which type number; -1 when it is not in the recording. */
int formats_type(const struct formats *formats, const char *name);

/* Bytes that a payload begins with: its type number. */
enum { FORMATS_TYPE_SIZE = sizeof(uint16_t) };

/*
 * The tracepoint of a payload, of which there are FORMATS_TYPE_SIZE bytes at least; NULL when it
 * says nothing of scheduling, of a call or of a block.
 */
const struct tracepoint *formats_find(struct formats *formats, const void *payload);

/* Has formats_find() a tracepoint for payloads of this type? */
bool formats_know(const struct formats *formats, uint64_t type);

/* The number of payloads of "sched:sched_waking" found so far. */
uint64_t formats_found(const struct formats *formats, const char *name);

/*
 * Fills in kind, tid, state, other, ran_ns and the comms of `event` from a payload of this
 * tracepoint; or kind, tid and all that is about a call or a block. Returns 1; 0 when it tells that
 * nothing happened; -1 when it is too short for its fields.
 */
int formats_decode(const struct formats *formats, const struct tracepoint *tracepoint,
		   struct event *event, const void *payload, size_t length);

#endif
