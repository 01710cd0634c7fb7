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
	LINE_EVENT,	/* an event that tells something here */
	LINE_OTHER,	/* another event, a comment, a call chain, an empty line */
	LINE_END,	/* there are no events any more, from this line on */
	LINE_UNKNOWN,	/* an event that the text does not describe */
	LINE_MALFORMED, /* should be an event and cannot be read */
	LINE_PIECE,	/* the end of a line that something in it has broken in two */
};

/* One text that is being read. */
struct line_reading {
	void *state;		 /* of the layout; of state_bytes, zero at first */
	struct quality *quality; /* for what only the layout can count, as lost records */
	struct blocks *blocks;	 /* where those go that lines name; NULL: they are not wanted */
	bool headed;		 /* set by parse: the line is not the end of a broken one */
	bool looks_ahead;	 /* set by parse: what follows tells what the event is */
};

struct line_layout {
	size_t state_bytes;
	bool joins;	/* a name in a line may break it */
	bool has_wakes; /* a text without any has them left out */
	bool in_order;	/* lines stand in the order of their times, as far as buffers allow */
	/* Is it the layout of a text that begins with these bytes? They may end within a line. */
	bool (*is)(const char *bytes, size_t length);
	/* Before the first line is parsed, with bytes that the text begins with. NULL: no need to. */
	void (*begin)(struct line_reading *reading, const char *bytes, size_t length);
	/*
	 * `line` ends in a NUL at `length`. Fills in `event` when it returns LINE_EVENT, and leaves
	 * it alone otherwise. Its place is not the layout's to say.
	 */
	enum line_kind (*parse)(struct line_reading *reading, struct event *event, const char *line,
				size_t length);
	/*
	 * Looks at bytes that follow the line of `event` and says what it is, or returns false if
	 * that takes more of them: then it is called again, unless there are none. NULL: is not
	 * needed.
	 */
	bool (*look_ahead)(struct line_reading *reading, struct event *event, const char *bytes,
			   size_t length);
	/* The next event of the line parsed last, if it has one. NULL: a line has one at most. */
	bool (*more)(struct line_reading *reading, struct event *event);
	/* Did the text tell what it is read for? NULL: it did if there was any event of that. */
	bool (*told)(const struct line_reading *reading);
	/* The fault of a text that did not, and the remedy: "holds ...; print ...". */
	const char *(*complaint)(const struct line_reading *reading);
	/* Frees what the state holds. NULL: nothing. */
	void (*release)(struct line_reading *reading);
};

extern const struct line_layout enter_leave_line_layout, paje_line_layout, timehist_line_layout,
	ftrace_line_layout, script_line_layout;

#endif
