/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's description of its tracepoints. Functions take the directory that tracefs is
 * mounted on, so that tests can make one up.
 */
#ifndef PSCAL_COLLECT_TRACEFS_H
#define PSCAL_COLLECT_TRACEFS_H

#include <stddef.h>
#include <stdint.h>

struct err;

/*
 * The directory of tracefs, mounting it when it is not there and the caller is allowed to. NULL
 * with a sentence that says what is missing. Static storage.
 */
const char *tracefs_find(struct err *err);

/* The whole of `root`/`path`, NUL-terminated; *length may be NULL. The caller frees it. NULL with a
 * sentence on failure. */
char *tracefs_read(const char *root, const char *path, size_t *length, struct err *err);

/* The number of an event, given as "sched/sched_switch". Returns 0, or -1 with a sentence. */
int tracefs_event_id(uint64_t *id, const char *root, const char *event, struct err *err);

#endif
