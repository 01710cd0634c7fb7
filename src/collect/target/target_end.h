/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The end of a target that was running before: that of all of its processes and threads, also of
 * those that were born while it was recorded and have outlived who created them.
 *
 * To watch one of them, the witness, is enough: as long as it lives the target has not ended, and
 * when it ends another one takes its place.
 */
#ifndef PSCAL_COLLECT_TARGET_TARGET_END_H
#define PSCAL_COLLECT_TARGET_TARGET_END_H

#include <stdbool.h>
#include <sys/types.h>

struct lineage;

struct target_end {
	int fd; /* readable when it is time to ask again; -1: ask now and then */
	pid_t witness;
	bool is_thread; /* and not a process */
};

void target_end_init(struct target_end *end);
void target_end_release(struct target_end *end);

enum target_life {
	TARGET_LIVES,
	TARGET_IS_UNCERTAIN, /* those that are known have ended: let all records be counted, ask
				again */
	TARGET_HAS_ENDED,
};

/*
 * `lineage` knows what belongs to the target; what has ended is taken from its living. A target that
 * is all of the machine never ends. `proc` is "/proc".
 */
enum target_life target_end_ask(struct target_end *end, struct lineage *lineage, const char *proc);

#endif
