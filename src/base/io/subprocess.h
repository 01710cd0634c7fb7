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

/* The most bytes of each output; a program that writes more is ended. */
enum { SUBPROCESS_OUTPUT_MAX = 1 << 26 };

struct subprocess_limits {
	unsigned seconds;
	uint64_t memory_bytes; /* of address space; 0: no limit */
};

struct subprocess {
	char *output; /* standard output, with a NUL at the end */
	size_t output_size;
	char *errors; /* standard error, likewise */
	size_t errors_size;
	int exit_status; /* exit status; -1: a signal ended it */
	bool missing;	 /* the program was not found */
};

/*
 * Returns 0 when the program has ended in any way, or -1 with an error: it could not be started,
 * took too long, or wrote too much. The caller releases `subprocess` in either case.
 */
int subprocess_run(struct subprocess *subprocess, const char *const *command, const char *input,
		   size_t input_size, struct subprocess_limits limits, struct err *err);
void subprocess_release(struct subprocess *subprocess);

#endif
