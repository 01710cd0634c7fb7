/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs another program to its end: provides its standard input and keeps its output. There is no
 * shell; the program is searched for in PATH. It cannot block its caller: its input ends, and its
 * time and output have limits. The kernel ends it together with its caller, even if that is killed.
 */
#ifndef PSCAL_BASE_IO_SUBPROCESS_H
#define PSCAL_BASE_IO_SUBPROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* Most bytes that are kept of each of the two; one that writes more is ended. */
enum { SUBPROCESS_OUTPUT_MAX = 1 << 26 };

struct subprocess_limits {
	unsigned seconds;
	uint64_t memory_bytes; /* of addresses; 0: no limit */
};

struct subprocess {
	char *output; /* what it wrote to standard output, with a NUL behind it */
	size_t output_size;
	char *errors; /* and to standard error */
	size_t errors_size;
	int exit_status; /* as it exited; -1: a signal ended it */
	bool missing;	 /* there is no such program */
};

/*
 * Returns 0 when it has ended, however, or -1 with a sentence: it could not be started, took longer
 * than it may, wrote too much. The caller releases in any case.
 */
int subprocess_run(struct subprocess *subprocess, const char *const *command, const char *input,
		   size_t input_size, struct subprocess_limits limits, struct err *err);
void subprocess_release(struct subprocess *subprocess);

#endif
