/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a field lies among those of a tracepoint, by the kernel's own description. */
#ifndef PSCAL_COLLECT_TRACEPOINT_FIELD_H
#define PSCAL_COLLECT_TRACEPOINT_FIELD_H

#include <stddef.h>

struct err;

/*
 * The offset in bytes of a field of 4 bytes of event "sched/sched_switch"; `tracefs` is where
 * tracefs is mounted. Returns 0, or -1 with a sentence.
 */
int tracepoint_field_offset(size_t *offset, const char *tracefs, const char *event,
			    const char *field, struct err *err);

#endif
