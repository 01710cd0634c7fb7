/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Payloads of tracepoints and probes that tell of calls: see formats, which finds them. */
#ifndef PSCAL_DECODE_KERNEL_CALL_FORMAT_H
#define PSCAL_DECODE_KERNEL_CALL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"

struct tep_event;

/* Where a number of 4 or 8 bytes lies; 0 bytes: it is not there. */
struct call_place {
	unsigned offset, size;
};

struct call_format {
	int number; /* as call_event_find() has it */
	size_t needed;
	struct call_place tid, fields[CALL_FIELDS];
};

/* False: the event lacks what it should say. */
bool call_format_learn(struct call_format *format, struct tep_event *event, int number);

/*
 * Fills in the thread and all that is about the call. Returns 1; 0 when it is none that is known;
 * -1 when the payload is too short for its fields.
 */
int call_format_decode(const struct call_format *format, struct event *event, const char *payload,
		       size_t length, bool swapped);

#endif
