/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/script_source.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "decode/text/ftrace_line.h"
#include "decode/text/line_layout.h"
#include "decode/text/script_line.h"

#include <stdlib.h>
#include <string.h>

/* --- Broken lines -------------------------------------------------------------------------- */

/*
 * Parses lines by their layout, and joins what belongs together: a thread may have newlines in its
 * name, each of which breaks every line that holds the name. A piece is kept until the next lines
 * complete it, or show that they do not; the lines around it are never lost.
 */

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

/* Keeps pointers to both. */
static struct line_joiner *line_joiner_new(const struct line_layout *layout,
					   struct line_reading *reading)
{
	struct line_joiner *joiner = xcalloc(1, sizeof(*joiner));

	joiner->layout = layout;
	joiner->reading = reading;
	joiner->first.state = xcalloc(1, layout->state_bytes + 1);
	joiner->before.state = xcalloc(1, layout->state_bytes + 1);
	joiner->after.state = xcalloc(1, layout->state_bytes + 1);
	return joiner;
}

static void line_joiner_free(struct line_joiner *joiner)
{
	if (!joiner)
		return;
	free(joiner->first.state);
	free(joiner->before.state);
	free(joiner->after.state);
	free(joiner);
}

static void joiner_take(const struct line_joiner *joiner, struct snapshot *snapshot)
{
	memcpy(snapshot->state, joiner->reading->state, joiner->layout->state_bytes);
	snapshot->quality = *joiner->reading->quality;
}

static void joiner_put_back(struct line_joiner *joiner, const struct snapshot *snapshot)
{
	memcpy(joiner->reading->state, snapshot->state, joiner->layout->state_bytes);
	*joiner->reading->quality = snapshot->quality;
}

/* Counts what is kept and could not be completed, as at the end of the text. */
static void joiner_drop(struct line_joiner *joiner)
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

static bool joiner_fits(const struct line_joiner *joiner, size_t length)
{
	if (!joiner->headed && !joiner->reading->headed)
		return joiner->length + 1 + length <= NAME_MAX_WIDTH;
	return joiner->pieces < PIECES_MAX && joiner->length + 1 + length <= KEPT_MAX;
}

static void joiner_append(struct line_joiner *joiner, const char *line, size_t length)
{
	if (joiner->pieces)
		joiner->text[joiner->length++] = '\n';
	memcpy(joiner->text + joiner->length, line, length);
	joiner->length += length;
	joiner->text[joiner->length] = '\0';
	joiner->pieces++;
}

/* A line that could not be read: it may be the beginning of one. */
static void joiner_keep_or_count(struct line_joiner *joiner, enum line_kind kind, const char *line,
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
	joiner_append(joiner, line, length);
	joiner->passed = 1;
	joiner->headed = joiner->reading->headed;
}

/* Is what is kept with `line` behind it an event? If not, all is as before. */
static bool joiner_complete(struct line_joiner *joiner, struct event *event, const char *line,
			    size_t length)
{
	struct line_reading *reading = joiner->reading;
	const size_t length_before = joiner->length;
	const bool headed = reading->headed, looks_ahead = reading->looks_ahead;

	joiner_take(joiner, &joiner->after);
	joiner_append(joiner, line, length);
	joiner_put_back(joiner, &joiner->first);
	if (joiner->layout->parse(reading, event, joiner->text, joiner->length) == LINE_EVENT)
		return true;
	joiner_put_back(joiner, &joiner->after);
	reading->headed = headed;
	reading->looks_ahead = looks_ahead;
	joiner->length = length_before;
	joiner->text[joiner->length] = '\0';
	joiner->pieces--;
	return false;
}

/* A line behind a piece, of which `kind` is what it would be alone, and *event what it tells. */
static bool joiner_parse_behind(struct line_joiner *joiner, enum line_kind kind,
				struct event *event, const char *line, size_t length)
{
	struct event joined;

	if ((joiner->headed && joiner->reading->headed) || !joiner_fits(joiner, length)) {
		joiner_drop(joiner);
		joiner_keep_or_count(joiner, kind, line, length);
		return kind == LINE_EVENT;
	}
	/* Without any head there is no event yet. */
	if ((joiner->headed || joiner->reading->headed) &&
	    joiner_complete(joiner, &joined, line, length)) {
		joiner->reading->quality->fragments += joiner->pieces;
		joiner->length = joiner->pieces = joiner->passed = 0;
		joiner->headed = false;
		*event = joined;
		return true;
	}
	if (kind == LINE_EVENT || (joiner->reading->headed && kind == LINE_OTHER)) {
		joiner_drop(joiner);
		return kind == LINE_EVENT;
	}
	joiner_append(joiner, line, length);
	joiner->passed += kind != LINE_OTHER;
	joiner->headed |= joiner->reading->headed;
	return false;
}

/*
 * The next line, with a NUL at `length`. Returns true with its event, or with that of the line
 * which it completes. Counts what is malformed, and pieces, in the quality of the reading.
 */
static bool line_joiner_parse(struct line_joiner *joiner, struct event *event, const char *line,
			      size_t length)
{
	struct line_reading *reading = joiner->reading;
	enum line_kind kind;

	joiner_take(joiner, &joiner->before);
	reading->headed = false;
	kind = joiner->layout->parse(reading, event, line, length);
	if (joiner->pieces)
		return joiner_parse_behind(joiner, kind, event, line, length);
	if (kind == LINE_EVENT)
		return true;
	joiner_keep_or_count(joiner, kind, line, length);
	return false;
}

/* --- The text ------------------------------------------------------------------------------ */

/* What is looked at before the first line, and where a line needs it; of a stream less. */
enum { LOOK_BYTES = 1 << 16, LOOK_BYTES_STREAM = 1 << 12, LOOK_AHEAD_STREAM = 1 << 14 };

/* A text has the first that says so; perf script, which takes any text, stays the last. */
static const struct line_layout *const layouts[] = {
	&ftrace_line_layout,
	&script_line_layout,
};

struct script_source {
	struct event_source source;
	struct input *input;
	const struct line_layout *layout;
	struct line_reading reading;
	struct line_joiner *joiner;
	uint64_t lines;		       /* read so far */
	uint64_t malformed, fragments; /* counted, and to be told in an audit ... */
	uint64_t untold_at;	       /* ... of the line where they end */
	bool any;		       /* has there been a scheduling event, or a block? */
	bool wakes;		       /* ... and a wake? */
};

static struct script_source *script_of(struct event_source *source)
{
	return (struct script_source *)source;
}

static int script_give(struct script_source *source, struct event *event)
{
	source->any |= event->kind != EVENT_TASK && event->kind != EVENT_GAP &&
		       event->kind != EVENT_CALL && event->kind != EVENT_RETURN;
	event->place = source->lines;
	source->wakes |= event->kind == EVENT_WAKE;
	return 1;
}

/* A stream may take its time. */
static size_t script_look(struct input *input, const void **bytes, size_t wanted)
{
	size_t length = input_peek(input, bytes, wanted);

	return length > wanted ? wanted : length;
}

static void script_look_ahead(struct script_source *source, struct event *event)
{
	size_t wanted = source->input->size ? LOOK_BYTES : LOOK_AHEAD_STREAM;
	const void *bytes;
	size_t length;

	source->reading.looks_ahead = false;
	do {
		length = script_look(source->input, &bytes, wanted);
		if (source->layout->look_ahead(&source->reading, event, bytes, length))
			return;
		wanted *= 2;
	} while (length == wanted / 2 && wanted <= INPUT_PEEK_MAX);
}

/* What has been passed over since then. */
static void script_note(struct script_source *source, const struct quality *before)
{
	source->malformed += source->source.quality.malformed - before->malformed;
	source->fragments += source->source.quality.fragments - before->fragments;
}

static void script_finish(struct script_source *source)
{
	const struct quality before = source->source.quality;

	joiner_drop(source->joiner);
	script_note(source, &before);
	source->untold_at = source->lines;
}

/* The event of a line, if it has one; what it lacks is noted. */
static bool script_parse(struct script_source *source, struct event *event, char *line,
			 size_t length)
{
	const struct quality before = source->source.quality;
	bool parsed = line_joiner_parse(source->joiner, event, line, length);

	script_note(source, &before);
	source->untold_at = source->lines - parsed; /* which was found by a line that is whole */
	return parsed;
}

/* Something has been passed over that is to be told. */
static bool script_tell(struct script_source *source, struct event *event)
{
	uint64_t *untold = source->malformed ? &source->malformed : &source->fragments;

	if (!source->source.audited || !*untold)
		return false;
	--*untold;
	*event = event_note(untold == &source->malformed ? QUALITY_MALFORMED : QUALITY_FRAGMENTS,
			    source->untold_at);
	return true;
}

/* Behind the last line there are only pieces of lines to be told. */
static int script_at_end(struct script_source *source, struct event *event, struct err *err)
{
	const char *failure = source->input->error;

	script_finish(source);
	if (script_tell(source, event))
		return 1;
	if (failure)
		return err_set(err, "%s", failure);
	if (!source->any)
		return err_set(err, "%s: %s", source->input->name,
			       source->layout->complaint(&source->reading));
	source->source.quality.no_wakes = !source->wakes;
	return 0;
}

static int script_next(struct event_source *base, struct event *event, struct err *err)
{
	struct script_source *source = script_of(base);
	const struct line_layout *layout = source->layout;
	size_t length;
	char *line;

	if (script_tell(source, event))
		return 1;
	if (layout->more && layout->more(&source->reading, event))
		return script_give(source, event);
	while ((line = input_line(source->input, &length))) {
		source->lines++;
		if (script_parse(source, event, line, length)) {
			if (source->reading.looks_ahead)
				script_look_ahead(source, event);
			return script_give(source, event);
		}
		if (script_tell(source, event))
			return 1;
	}
	return script_at_end(source, event, err);
}

static void script_release(struct event_source *base)
{
	struct script_source *source = script_of(base);

	input_close(source->input);
	line_joiner_free(source->joiner);
	free(source->reading.state);
	free(source);
}

static const struct line_layout *choose_layout(const char *bytes, size_t length)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i]->is(bytes, length))
			return layouts[i];
	return &script_line_layout;
}

struct event_source *script_source_new(struct input *input)
{
	struct script_source *source = xcalloc(1, sizeof(*source));
	const void *bytes;
	size_t length;

	source->source.next = script_next;
	source->source.free = script_release;
	source->input = input;
	length = script_look(input, &bytes, input->size ? LOOK_BYTES : LOOK_BYTES_STREAM);
	source->layout = choose_layout(bytes, length);
	source->reading.quality = &source->source.quality;
	source->reading.blocks = &source->source.blocks;
	source->reading.state = xcalloc(1, source->layout->state_bytes + 1);
	source->joiner = line_joiner_new(source->layout, &source->reading);
	if (source->layout->begin)
		source->layout->begin(&source->reading, bytes, length);
	return &source->source;
}
