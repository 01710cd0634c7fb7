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

#include "decode/line_layout.h"

extern const struct line_layout script_line_layout;

#endif
