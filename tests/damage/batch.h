/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a check on many numbers, in a process of its own: a crash, a finding of a sanitizer, a hang
 * or too much memory is the failure of one number, and the next ones follow.
 */
#ifndef PSCAL_TESTS_DAMAGE_BATCH_H
#define PSCAL_TESTS_DAMAGE_BATCH_H

#include <stdbool.h>
#include <stdint.h>

struct err;

struct batch {
	const char *name; /* name of the check, for messages */
	/* Returns 0, or -1 with the fault. *read is counted. */
	int (*check)(void *context, uint64_t number, bool *read, struct err *err);
	void *context;
	uint64_t cpu_ms;    /* one number may take so much CPU time */
	uint64_t bytes_max; /* ... and so much memory */
};

struct batch_result {
	uint64_t read, refused, failed;
	uint64_t most_bytes, most_us; /* the largest use by one number */
	char message[512];	      /* of the first failure */
};

/* Checks the numbers from `from` up to below `to`, and adds to `result`. */
void batch_run(struct batch_result *result, const struct batch *batch, uint64_t from, uint64_t to);

#endif
