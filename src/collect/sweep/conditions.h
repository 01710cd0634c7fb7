/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Under which conditions something is measured here: facts that change a throughput while the
 * program stays the same. Each is a key and a text on one line; what this machine does not tell is
 * "unknown".
 */
#ifndef PSCAL_COLLECT_SWEEP_CONDITIONS_H
#define PSCAL_COLLECT_SWEEP_CONDITIONS_H

#include <stdbool.h>

struct condition {
	const char *key;
	char *value;
	bool lasting; /* another value is another machine, or another set-up of it */
};

enum { CONDITIONS_MAX = 16 };

struct conditions {
	struct condition items[CONDITIONS_MAX];
	int count;
};

/* `root` is where /proc and /sys are: "" for this machine. The caller releases. */
void conditions_read(struct conditions *conditions, const char *root);
void conditions_release(struct conditions *conditions);

/* The load average of the last minute, as in ROOT/proc/loadavg; -1 where it cannot be read. */
double conditions_load(const char *root);

/* Now, as 2026-11-21T09:09:07Z. The caller frees it. */
char *conditions_date(void);

#endif
