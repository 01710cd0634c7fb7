/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The layout of the lines of a text. Each layout is a constant of this type and has a line
 * in the table of text_source.c, which reads the lines, counts them and joins broken ones.
 */
#ifndef PSCAL_DECODE_TEXT_LINE_LAYOUT_H
#define PSCAL_DECODE_TEXT_LINE_LAYOUT_H

#include <stddef.h>

#include "decode/event/blocks.h"
#include "decode/event/event.h"
#include "decode/event/quality.h"

enum line_kind {
	LINE_EVENT,	/* an event of use here */
	LINE_OTHER,	/* another event, a comment, a call chain, an empty line */
	LINE_END,	/* there are no events from this line on */
	LINE_UNKNOWN,	/* an event that the text does not describe */
	LINE_MALFORMED, /* an event that cannot be read */
	LINE_PIECE,	/* the end of a line that a newline in a name has broken */
};

/* The reading of one text. */
struct line_reading {
	void *state;		 /* data of the layout, state_bytes long, zero at first */
	struct quality *quality; /* counts cases that only the layout sees, as lost records */
	struct blocks *blocks;	 /* gets the blocks of lines; NULL: they are not wanted */
	bool headed;		 /* set by parse: the line is not the end of a broken one */
	bool looks_ahead;	 /* set by parse: later lines show what the event is */
};

struct line_layout {
	size_t state_bytes;
	bool joins;	/* lines have names, which may break them */
	bool has_wakes; /* a text without any wakes has left them out */
	bool in_order;	/* lines are in the order of their times, as far as buffers allow */
	/* Returns true if text that begins with these bytes, maybe cut short, has the layout. */
	bool (*is)(const char *bytes, size_t length);
	/* Begins a reading, with the first bytes of the text. NULL: not needed. */
	void (*begin)(struct line_reading *reading, const char *bytes, size_t length);
	/*
	 * Parses `line`, which ends in a NUL at `length`. Sets `event`, but not its place, if it
	 * returns LINE_EVENT, and leaves it unchanged otherwise.
	 */
	enum line_kind (*parse)(struct line_reading *reading, struct event *event, const char *line,
				size_t length);
	/*
	 * Looks at the bytes behind the line of `event` and completes the event, or returns false
	 * if it needs more of them: then it is called again, unless there are none. NULL: not
	 * needed.
	 */
	bool (*look_ahead)(struct line_reading *reading, struct event *event, const char *bytes,
			   size_t length);
	/* Gives the next event of the line parsed last, if any. NULL: a line has one at most. */
	bool (*more)(struct line_reading *reading, struct event *event);
	/* Returns true if the text was of use. NULL: it was if it had any event of use. */
	bool (*told)(const struct line_reading *reading);
	/* Returns the fault of a text without use, and the remedy: "holds ...; print ...". */
	const char *(*complaint)(const struct line_reading *reading);
	/* Frees the contents of the state. NULL: not needed. */
	void (*release)(struct line_reading *reading);
};

extern const struct line_layout enter_leave_line_layout, paje_line_layout, timehist_line_layout,
	ftrace_line_layout, script_line_layout;

#endif
