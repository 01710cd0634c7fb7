/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a line of perf script begins with. -F drops any column but never changes their order:
 *
 *	COMM PID/TID [CPU] MISC TIME: PERIOD EVENT: FIELDS
 *	COMM PID/TID [CPU] MISC TIME: PERF_RECORD_...
 *
 * A thread may call itself anything, even something that looks like all this, but in no more than
 * 15 characters. So there can be several places where a head may end, and only what follows them
 * tells which is the right one.
 */
#ifndef PSCAL_DECODE_TEXT_SCRIPT_HEAD_H
#define PSCAL_DECODE_TEXT_SCRIPT_HEAD_H

#include <stddef.h>

#include "decode/event/event.h"

/* Whether a text has the column of thread numbers. A name may look as if. */
enum tid_column { TID_COLUMN_UNKNOWN, TID_COLUMN_THERE, TID_COLUMN_MISSING };

struct script_head {
	uint64_t time_ns;
	int32_t cpu, pid, tid; /* -1: not known, or not printed */
	const char *comm;
	size_t comm_length;
	bool has_tid;
	const char *name; /* of the event, without its system; NULL: not printed */
	size_t name_length;
	bool is_record;	    /* `fields` are PERF_RECORD_... */
	const char *fields; /* what follows, up to the NUL of the line */
	bool certain;	    /* it does not end within the name of a thread: no other counts */
};

/* Finds the next place from *from on, which begins as `line`. False: there is none any more. */
bool script_head_find(struct script_head *head, const char *line, const char **from,
		      enum tid_column tids);

#endif
