/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Follows an input that is written while it is read: calls back every second with new data. On
 * SIGINT, SIGTERM or SIGHUP, which most often concern the writer as well, it takes what still comes
 * and ends the input once nothing has come for a second, or on the next such signal.
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
	uint64_t read, shown; /* bytes of the input: handed out, and shown of them */
	uint64_t next_ns;     /* when to show it next */
	uint64_t news_ns;     /* when something came */
	bool failed;	      /* to show it ... */
	struct err err;	      /* ... and why */
};

/*
 * From now on `show` is called while `input` is read, between two events. When it returns -1 with a
 * sentence the input ends. Returns 0, or -1 with a sentence when there are no signals, or the input
 * is a regular file: that does not grow.
 */
int follow_begin(struct follow *follow, struct input *input,
		 int (*show)(void *context, struct err *err), void *context, struct err *err);

/* Returns 0, or -1 with the sentence of `show`. */
int follow_end(struct follow *follow, struct err *err);

#endif
