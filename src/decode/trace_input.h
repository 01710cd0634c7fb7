/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opens a recording or a text, and chooses its reader by the first bytes.
 *
 *	input = trace_input_open(path, INPUT_OF_US, &err);
 *	source = input ? trace_input_read(input, &err) : NULL;
 */
#ifndef PSCAL_DECODE_TRACE_INPUT_H
#define PSCAL_DECODE_TRACE_INPUT_H

#include "base/io/input.h"

struct err;
struct event_source;

/*
 * Opens `path`: a file, a directory that perf record --threads has written, or "-" for standard
 * input. Returns NULL with an error.
 */
struct input *trace_input_open(const char *path, enum input_owners owners, struct err *err);

/*
 * Takes ownership of `input`: the source closes it, and so does a failure. Returns NULL with an
 * error, for example if no reader knows the first bytes.
 */
struct event_source *trace_input_read(struct input *input, struct err *err);

#endif
