/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commands to a recording that runs, as perf record --control takes them: lines in a FIFO (or any
 * descriptor), each answered by "ack\n" in another one, if there is one.
 */
#ifndef PSCAL_COLLECT_CONTROL_H
#define PSCAL_COLLECT_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum control_command {
	CONTROL_NONE, /* nothing to do now */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_STOP,
	CONTROL_PING,
	CONTROL_UNKNOWN, /* see `line` */
};

enum { CONTROL_LINE_MAX = 64 }; /* longer than any command */

struct control {
	int fd;	    /* readable when there may be a command; -1: not any more */
	int ack_fd; /* -1: none */
	bool close_fd, close_ack_fd;
	char bytes[4096]; /* read and not looked at */
	size_t begin, end;
	char line[CONTROL_LINE_MAX]; /* the last one, maybe cut off */
	size_t length;
	bool done; /* `line` is a whole one */
};

/*
 * "fifo:CTL", "fifo:CTL,ACK", "fd:N", "fd:N,M", or the name of a FIFO. Returns 0, or -1 with a
 * sentence. Writers to a FIFO may come and go. The descriptors of "fd:" are the caller's.
 */
int control_open(struct control *control, const char *text, struct err *err);

/*
 * The next command. Reads no more than is there, and a bounded amount each time, so that somebody
 * who never stops writing keeps nobody from recording: call it until it says CONTROL_NONE, at most
 * CONTROL_AT_ONCE times, before waiting for `fd` again.
 */
enum { CONTROL_AT_ONCE = 64 };
enum control_command control_next(struct control *control);

/* Commands are there that `fd` does not tell of: do not wait. */
bool control_has_more(const struct control *control);

/* The command has been carried out. Somebody who does not read answers loses them. */
void control_ack(struct control *control);

void control_close(struct control *control);

#endif
