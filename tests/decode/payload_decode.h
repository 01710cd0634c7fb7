/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Payloads of tracepoints, read as a reader of records does it. */
#ifndef PSCAL_TESTS_DECODE_PAYLOAD_DECODE_H
#define PSCAL_TESTS_DECODE_PAYLOAD_DECODE_H

#include "decode/kernel/formats.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* As formats_decode; 0 also for a payload of which nothing is known. */
static inline int payload_decode(struct formats *formats, struct event *event, const void *payload,
				 size_t length)
{
	const struct tracepoint *tracepoint;

	if (length < FORMATS_TYPE_SIZE)
		return -1;
	tracepoint = formats_find(formats, payload);
	return tracepoint ? formats_decode(formats, tracepoint, event, payload, length) : 0;
}

/* Cut short anywhere before `needed` bytes it is refused. */
static inline void assert_cut_payload_refused(struct formats *formats, const void *payload,
					      size_t needed)
{
	struct event event;

	for (size_t cut = 0; cut < needed; cut++) {
		char *copy = malloc(cut ? cut : 1); /* its end is watched */

		memcpy(copy, payload, cut);
		if (payload_decode(formats, &event, copy, cut) != -1)
			fail_msg("%zu bytes of %zu were enough", cut, needed);
		free(copy);
	}
}

#endif
