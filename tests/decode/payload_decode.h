/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Payloads of tracepoints, read as by a reader of records. */
#ifndef PSCAL_TESTS_DECODE_PAYLOAD_DECODE_H
#define PSCAL_TESTS_DECODE_PAYLOAD_DECODE_H

#include "decode/kernel/formats.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* As formats_decode; 0 also for an unknown payload. */
static inline int payload_decode(struct formats *formats, struct event *event, const void *payload,
				 size_t length)
{
	const struct tracepoint *tracepoint;

	if (length < FORMATS_TYPE_SIZE)
		return -1;
	tracepoint = formats_find(formats, payload);
	return tracepoint ? formats_decode(formats, tracepoint, event, payload, length) : 0;
}

/* Every cut before `needed` bytes is refused. */
static inline void assert_cut_payload_refused(struct formats *formats, const void *payload,
					      size_t needed)
{
	struct event event;

	for (size_t cut = 0; cut < needed; cut++) {
		char *copy = malloc(cut ? cut : 1); /* the sanitizer watches its end */

		memcpy(copy, payload, cut);
		if (payload_decode(formats, &event, copy, cut) != -1)
			fail_msg("%zu bytes of %zu were enough", cut, needed);
		free(copy);
	}
}

#endif
