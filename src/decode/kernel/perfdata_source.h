/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events from a perf.data file of pscal record, perf record or perf sched record, of a directory of
 * such files, or from what these write to a pipe.
 */
#ifndef PSCAL_DECODE_KERNEL_PERFDATA_SOURCE_H
#define PSCAL_DECODE_KERNEL_PERFDATA_SOURCE_H

#include "decode/event/event_source.h"

struct input;

/* Takes ownership of `input`, except on failure: then returns NULL with an error. */
struct event_source *perfdata_source_new(struct input *input, struct err *err);

#endif
