/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of ftrace, as the kernel prints it (/sys/kernel/tracing/trace and trace_pipe, with or
 * without the options irq-info, record-tgid and latency-format), `trace-cmd report` does, and the
 * HTML pages of systrace and perfetto contain it:
 *
 *	COMM-TID [(PID)] [CPU] [FLAGS] TIME: EVENT: FIELDS
 *	COMM-TID CPU FLAGS TIME: EVENT: FIELDS			latency-format
 *
 * COMM is what the thread was called when the text was printed, not when the event happened, so it
 * is not used; the fields have the names of their time. It may look like the rest of a line, in no
 * more than 15 characters: the first match that does not end within them is the right one.
 *
 * Lost records are told in lines of their own and become gaps: from the last event before, as far
 * as the order of time allows.
 */
#ifndef PSCAL_DECODE_TEXT_FTRACE_LINE_H
#define PSCAL_DECODE_TEXT_FTRACE_LINE_H

#include "decode/text/line_layout.h"

extern const struct line_layout ftrace_line_layout;

#endif
