/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line of `perf script`:
 *
 *	COMM [PID/]TID [CPU] TIME: [PERIOD] EVENT: FIELDS
 *	COMM [PID/]TID [CPU] TIME: PERF_RECORD_SWITCH... IN|OUT ...	with --show-switch-events
 *
 * A thread may call itself anything, even something that looks like the rest of the line, but in
 * no more than 15 characters: less than the shortest pattern of an event that tells something. So
 * patterns are matched whole, and the first match that may not lie in a name is the right one.
 */
#ifndef PSCAL_DECODE_SCRIPT_LINE_H
#define PSCAL_DECODE_SCRIPT_LINE_H

#include <stddef.h>

#include "decode/event.h"

enum script_line {
	SCRIPT_LINE_EVENT,     /* a scheduling event */
	SCRIPT_LINE_OTHER,     /* another event, a comment, a call chain, an empty line */
	SCRIPT_LINE_MALFORMED, /* should be an event and cannot be read */
};

/* `line` ends in a NUL at `length`. Fills in `event` when it returns SCRIPT_LINE_EVENT. */
enum script_line script_line_parse(struct event *event, const char *line, size_t length);

#endif
