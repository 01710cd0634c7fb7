/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The N of a sweep, as they are written on a command line. */
#ifndef PSCAL_COLLECT_SWEEP_SWEEP_LEVELS_H
#define PSCAL_COLLECT_SWEEP_SWEEP_LEVELS_H

#include <stddef.h>
#include <stdint.h>

struct err;

enum { SWEEP_N_MAX = 1 << 20, SWEEP_LEVELS_MAX = 4096 };

struct sweep_levels {
	uint64_t *n; /* ascending, each once */
	size_t count;
};

/*
 * Numbers and ranges with commas between them: "4", "1-8" (each), "1-16:3" (1, 4, 7, 10, 13, 16),
 * "1-64x2" (1, 2, 4, ... 64). A range ends before it would go beyond its end. Returns 0, or -1 with
 * a sentence; the caller releases in any case.
 */
int sweep_levels_parse(struct sweep_levels *levels, const char *text, struct err *err);
void sweep_levels_release(struct sweep_levels *levels);

#endif
