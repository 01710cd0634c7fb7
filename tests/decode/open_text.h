/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_TESTS_DECODE_OPEN_TEXT_H
#define PSCAL_TESTS_DECODE_OPEN_TEXT_H

#include "base/err.h"
#include "base/input.h"
#include "decode/event_source.h"
#include "support.h"

/* The source of a file that holds this text, whichever that is. */
static inline struct event_source *open_text(const char *text, size_t length)
{
	struct err err = {""};
	struct event_source *source =
		event_source_open(input_open(file_with(text, length), &err), &err);

	if (!source)
		fail_msg("%s", err.text);
	return source;
}

#endif
