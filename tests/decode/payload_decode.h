/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Payloads of tracepoints, read as a reader of records does it. */
#ifndef PSCAL_TESTS_DECODE_PAYLOAD_DECODE_H
#define PSCAL_TESTS_DECODE_PAYLOAD_DECODE_H

#include "decode/formats.h"

/* As formats_decode; 0 also for a payload of which nothing is known. */
static inline int payload_decode(const struct formats *formats, struct event *event,
				 const void *payload, size_t length)
{
	const struct tracepoint *tracepoint;
	int type;

	if (length < FORMATS_TYPE_SIZE)
		return -1;
	tracepoint = formats_find(formats, payload, &type);
	return tracepoint ? formats_decode(formats, tracepoint, event, payload, length) : 0;
}

#endif
