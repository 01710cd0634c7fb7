/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short texts, made without the C library: see raw_call.h. What is too long is cut. */
#ifndef PSCAL_PROBE_SPOOL_TEXT_H
#define PSCAL_PROBE_SPOOL_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "probe/spool.h"

enum { SPOOL_TEXT_MAX = 600 };

_Static_assert(SPOOL_TEXT_MAX < SPOOL_LINE_MAX - 2, "it is a note");

/* Small, as it is on stacks of the program. Begins as zero, but for `bytes`, which end in a NUL as
 * soon as something is put. */
struct spool_text {
	size_t length;
	char bytes[SPOOL_TEXT_MAX];
};

static inline void spool_text_put_most(struct spool_text *text, const char *more, size_t most)
{
	for (; *more && most && text->length < sizeof(text->bytes) - 1; most--)
		text->bytes[text->length++] = *more++;
	text->bytes[text->length] = '\0';
}

static inline void spool_text_put(struct spool_text *text, const char *more)
{
	spool_text_put_most(text, more, sizeof(text->bytes));
}

static inline void spool_text_put_number(struct spool_text *text, uint64_t number)
{
	char digits[24];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	spool_text_put(text, digits + at);
}

#endif
