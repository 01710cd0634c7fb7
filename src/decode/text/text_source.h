/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events from text: of perf script (any -F that keeps tid and time), of ftrace, of perf sched
 * timehist, of Paje, and of enters and leaves of threads. A new format is a layout (line_layout.h).
 */
#ifndef PSCAL_DECODE_TEXT_TEXT_SOURCE_H
#define PSCAL_DECODE_TEXT_TEXT_SOURCE_H

#include "decode/event/event_source.h"

struct err;
struct input;

/*
 * `bytes` are those that the input begins with. Takes `input` over, unless it returns NULL with a
 * sentence: it is not text, or of an unknown format.
 */
struct event_source *text_source_new(struct input *input, const char *bytes, size_t length,
				     struct err *err);

#endif
