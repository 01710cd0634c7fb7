/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Process ids grow until pid_max and then begin anew. A filter that follows a process by "its
 * descendants have higher ids" holds until then.
 */
#ifndef PSCAL_COLLECT_TARGET_ID_WATCH_H
#define PSCAL_COLLECT_TARGET_ID_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

struct id_watch {
	pid_t last; /* the id given last in the system */
	bool wrapped;
};

/* Are there enough ids above `first` to rely on the order? `proc` is "/proc". */
bool id_watch_begin(struct id_watch *watch, pid_t first, const char *proc);

/* Call it now and then; sets `wrapped` when ids began anew since the call before. */
void id_watch_look(struct id_watch *watch, const char *proc);

#endif
