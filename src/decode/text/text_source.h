/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events from text: of perf script (any -F that keeps tid and time), of ftrace, of perf sched
 * timehist, of Paje, and of traces of functions. A new format is a layout (line_layout.h).
 */
#ifndef PSCAL_DECODE_TEXT_TEXT_SOURCE_H
#define PSCAL_DECODE_TEXT_TEXT_SOURCE_H

#include "decode/event/event_source.h"

struct err;
struct input;

/*
 * Takes ownership of `input`, which begins with `bytes`, unless it returns NULL with an error: the
 * input is no text, or of an unknown format.
 */
struct event_source *text_source_new(struct input *input, const char *bytes, size_t length,
				     struct err *err);

#endif
