/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses lines by their layout, and joins what belongs together: a thread may have newlines in its
 * name, each of which breaks every line that holds the name. A piece is kept until the next lines
 * complete it, or show that they do not; the lines around it are never lost.
 */
#ifndef PSCAL_DECODE_TEXT_LINE_JOINER_H
#define PSCAL_DECODE_TEXT_LINE_JOINER_H

#include "decode/text/line_layout.h"

struct line_joiner;

/* Keeps pointers to both. */
struct line_joiner *line_joiner_new(const struct line_layout *layout, struct line_reading *reading);

/* NULL is fine. */
void line_joiner_free(struct line_joiner *joiner);

/*
 * The next line, with a NUL at `length`. Returns true with its event, or with that of the line
 * which it completes. Counts what is malformed, and pieces, in the quality of the reading.
 */
bool line_joiner_parse(struct line_joiner *joiner, struct event *event, const char *line,
		       size_t length);

/* There are no more lines: counts what was kept. */
void line_joiner_finish(struct line_joiner *joiner);

#endif
