/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Follows an input that is written while it is read: calls back each second that has new data.
 * After SIGINT, SIGTERM or SIGHUP, which the writer most often gets, too, it reads on and ends the
 * input after a second without data, or at the next such signal.
 */
#ifndef PSCAL_CMD_OPTIONS_FOLLOW_H
#define PSCAL_CMD_OPTIONS_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "collect/stop_signals.h"

struct input;

struct follow {
	struct input *input;
	int (*show)(void *context, struct err *err);
	void *context;
	struct stop_signals signals;
	unsigned stops;	      /* signals so far */
	uint64_t read, shown; /* bytes of the input that were read, and read at the last show() */
	uint64_t next_ns;     /* time of the next show() */
	uint64_t news_ns;     /* time of the last new data */
	bool failed;	      /* show() has failed ... */
	struct err err;	      /* ... with this error */
};

/*
 * Has `show` called between two events while `input` is read. If it returns -1 with an error, the
 * input ends. Returns 0, or -1 with an error if signals cannot be received, or if the input is a
 * regular file, as that does not grow.
 */
int follow_begin(struct follow *follow, struct input *input,
		 int (*show)(void *context, struct err *err), void *context, struct err *err);

/* Returns 0, or -1 with the error of `show`. */
int follow_end(struct follow *follow, struct err *err);

#endif
