/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf record --tail-synthesize writes the names and processes of the threads that were there
 * before it at the end of the file, after all that they did. Here they are read first, at the price
 * of going over the file twice.
 */
#ifndef PSCAL_DECODE_KERNEL_PERFDATA_TAIL_H
#define PSCAL_DECODE_KERNEL_PERFDATA_TAIL_H

#include "decode/kernel/perfdata_events.h"

struct err;
struct input;
struct perfdata_file;

/*
 * Where that is how the file was recorded, and it can be read twice: gives those records to
 * `events`, which pass over them from then on. Returns 0, or -1 with a sentence that lacks the name
 * of the input.
 */
int perfdata_tail_read(struct perfdata_events *events, const struct perfdata_file *file,
		       const struct input *input, struct err *err);

#endif
