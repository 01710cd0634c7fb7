/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The records that perf script prints with --show-switch-events, --show-task-events,
 * --show-lost-events and the like (perf_event__fprintf in tools/perf/util/event.c).
 */
#ifndef PSCAL_DECODE_TEXT_SCRIPT_RECORD_H
#define PSCAL_DECODE_TEXT_SCRIPT_RECORD_H

#include "decode/text/line_layout.h"

/* What else the text tells, so that the same is not told twice. */
struct script_told {
	bool births; /* by sched_process_fork */
	bool ends;   /* by sched_switch */
};

/*
 * `text` begins with PERF_RECORD_ and ends in a NUL; `event` has what stands before it. *lost is
 * how many records were lost, if it tells that.
 */
enum line_kind script_record_parse(struct event *event, uint64_t *lost, const char *text,
				   const struct script_told *told);

/* The birth or end that a record told is told elsewhere, too: it only says who is who. */
void script_record_untell(struct event *event);

#endif
