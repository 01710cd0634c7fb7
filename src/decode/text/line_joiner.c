/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/line_joiner.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* What a broken line takes at most: three names of 15 newlines, and what is around. */
	KEPT_MAX = 512,
	PIECES_MAX = 3 * (COMM_SIZE - 1) + 1,
	/* A name with what pads it: all that a line can have before it says anything else. */
	NAME_MAX_WIDTH = 16,
};

/* What parsing a line changes beside the event. */
struct snapshot {
	void *state;
	struct quality quality;
};

struct line_joiner {
	const struct line_layout *layout;
	struct line_reading *reading;
	struct snapshot first;	/* before the first piece that is kept */
	struct snapshot before; /* before the last line */
	struct snapshot after;	/* behind it */
	char text[KEPT_MAX + 1];
	size_t length;
	unsigned pieces; /* kept in `text`, with newlines between them */
	unsigned passed; /* of them, those that say nothing by themselves */
	bool headed;	 /* the text has the beginning of an event */
};

struct line_joiner *line_joiner_new(const struct line_layout *layout, struct line_reading *reading)
{
	struct line_joiner *joiner = xcalloc(1, sizeof(*joiner));

	joiner->layout = layout;
	joiner->reading = reading;
	joiner->first.state = xcalloc(1, layout->state_bytes + 1);
	joiner->before.state = xcalloc(1, layout->state_bytes + 1);
	joiner->after.state = xcalloc(1, layout->state_bytes + 1);
	return joiner;
}

void line_joiner_free(struct line_joiner *joiner)
{
	if (!joiner)
		return;
	free(joiner->first.state);
	free(joiner->before.state);
	free(joiner->after.state);
	free(joiner);
}

static void take(const struct line_joiner *joiner, struct snapshot *snapshot)
{
	memcpy(snapshot->state, joiner->reading->state, joiner->layout->state_bytes);
	snapshot->quality = *joiner->reading->quality;
}

static void put_back(struct line_joiner *joiner, const struct snapshot *snapshot)
{
	memcpy(joiner->reading->state, snapshot->state, joiner->layout->state_bytes);
	*joiner->reading->quality = snapshot->quality;
}

/* Counts what is kept and could not be completed. */
static void drop(struct line_joiner *joiner)
{
	struct quality *quality = joiner->reading->quality;

	if (joiner->headed) {
		quality->malformed++;
		joiner->passed--;
	}
	quality->fragments += joiner->passed;
	joiner->length = joiner->pieces = joiner->passed = 0;
	joiner->headed = false;
}

static bool fits(const struct line_joiner *joiner, size_t length)
{
	if (!joiner->headed && !joiner->reading->headed)
		return joiner->length + 1 + length <= NAME_MAX_WIDTH;
	return joiner->pieces < PIECES_MAX && joiner->length + 1 + length <= KEPT_MAX;
}

static void append(struct line_joiner *joiner, const char *line, size_t length)
{
	if (joiner->pieces)
		joiner->text[joiner->length++] = '\n';
	memcpy(joiner->text + joiner->length, line, length);
	joiner->length += length;
	joiner->text[joiner->length] = '\0';
	joiner->pieces++;
}

/* A line that could not be read: it may be the beginning of one. */
static void keep_or_count(struct line_joiner *joiner, enum line_kind kind, const char *line,
			  size_t length)
{
	struct quality *quality = joiner->reading->quality;

	if (kind == LINE_PIECE) {
		quality->fragments++;
		return;
	}
	if (kind != LINE_MALFORMED)
		return;
	if (length > (joiner->reading->headed ? (size_t)KEPT_MAX : (size_t)NAME_MAX_WIDTH) ||
	    strlen(line) != length) {
		quality->malformed++;
		return;
	}
	memcpy(joiner->first.state, joiner->before.state, joiner->layout->state_bytes);
	joiner->first.quality = *quality;
	append(joiner, line, length);
	joiner->passed = 1;
	joiner->headed = joiner->reading->headed;
}

/* Is what is kept with `line` behind it an event? If not, all is as before. */
static bool complete(struct line_joiner *joiner, struct event *event, const char *line,
		     size_t length)
{
	struct line_reading *reading = joiner->reading;
	const size_t length_before = joiner->length;
	const bool headed = reading->headed, looks_ahead = reading->looks_ahead;

	take(joiner, &joiner->after);
	append(joiner, line, length);
	put_back(joiner, &joiner->first);
	if (joiner->layout->parse(reading, event, joiner->text, joiner->length) == LINE_EVENT)
		return true;
	put_back(joiner, &joiner->after);
	reading->headed = headed;
	reading->looks_ahead = looks_ahead;
	joiner->length = length_before;
	joiner->text[joiner->length] = '\0';
	joiner->pieces--;
	return false;
}

/* A line behind a piece, of which `kind` is what it would be alone, and *event what it tells. */
static bool parse_behind(struct line_joiner *joiner, enum line_kind kind, struct event *event,
			 const char *line, size_t length)
{
	struct event joined;

	if ((joiner->headed && joiner->reading->headed) || !fits(joiner, length)) {
		drop(joiner);
		keep_or_count(joiner, kind, line, length);
		return kind == LINE_EVENT;
	}
	/* Without any head there is no event yet. */
	if ((joiner->headed || joiner->reading->headed) &&
	    complete(joiner, &joined, line, length)) {
		joiner->reading->quality->fragments += joiner->pieces;
		joiner->length = joiner->pieces = joiner->passed = 0;
		joiner->headed = false;
		*event = joined;
		return true;
	}
	if (kind == LINE_EVENT || (joiner->reading->headed && kind == LINE_OTHER)) {
		drop(joiner);
		return kind == LINE_EVENT;
	}
	append(joiner, line, length);
	joiner->passed += kind != LINE_OTHER;
	joiner->headed |= joiner->reading->headed;
	return false;
}

bool line_joiner_parse(struct line_joiner *joiner, struct event *event, const char *line,
		       size_t length)
{
	struct line_reading *reading = joiner->reading;
	enum line_kind kind;

	take(joiner, &joiner->before);
	reading->headed = false;
	kind = joiner->layout->parse(reading, event, line, length);
	if (joiner->pieces)
		return parse_behind(joiner, kind, event, line, length);
	if (kind == LINE_EVENT)
		return true;
	keep_or_count(joiner, kind, line, length);
	return false;
}

void line_joiner_finish(struct line_joiner *joiner)
{
	drop(joiner);
}
