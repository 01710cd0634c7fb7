/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/script_source.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "decode/text/ftrace_line.h"
#include "decode/text/line_joiner.h"
#include "decode/text/line_layout.h"
#include "decode/text/script_line.h"

#include <stdlib.h>

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
	uint64_t malformed, fragments; /* counted, and to be told who audits ... */
	uint64_t untold_at;	       /* ... of the line where they end */
	bool any;		       /* has there been a scheduling event, or a block? */
	bool wakes;		       /* ... and a wake? */
};

static struct script_source *of(struct event_source *source)
{
	return (struct script_source *)source;
}

static int give(struct script_source *source, struct event *event)
{
	source->any |= event->kind != EVENT_TASK && event->kind != EVENT_GAP &&
		       event->kind != EVENT_CALL && event->kind != EVENT_RETURN;
	event->place = source->lines;
	source->wakes |= event->kind == EVENT_WAKE;
	return 1;
}

/* A stream may take its time. */
static size_t look(struct input *input, const void **bytes, size_t wanted)
{
	size_t length = input_peek(input, bytes, wanted);

	return length > wanted ? wanted : length;
}

static void look_ahead(struct script_source *source, struct event *event)
{
	size_t wanted = input_size(source->input) ? LOOK_BYTES : LOOK_AHEAD_STREAM;
	const void *bytes;
	size_t length;

	source->reading.looks_ahead = false;
	do {
		length = look(source->input, &bytes, wanted);
		if (source->layout->look_ahead(&source->reading, event, bytes, length))
			return;
		wanted *= 2;
	} while (length == wanted / 2 && wanted <= INPUT_PEEK_MAX);
}

/* What has been passed over since then. */
static void note(struct script_source *source, const struct quality *before)
{
	source->malformed += source->source.quality.malformed - before->malformed;
	source->fragments += source->source.quality.fragments - before->fragments;
}

static void finish(struct script_source *source)
{
	const struct quality before = source->source.quality;

	line_joiner_finish(source->joiner);
	note(source, &before);
	source->untold_at = source->lines;
}

/* The event of a line, if it has one; what it lacks is noted. */
static bool parse(struct script_source *source, struct event *event, char *line, size_t length)
{
	const struct quality before = source->source.quality;
	bool parsed = line_joiner_parse(source->joiner, event, line, length);

	note(source, &before);
	source->untold_at = source->lines - parsed; /* which was found by a line that is whole */
	return parsed;
}

/* Something has been passed over that is to be told. */
static bool tell(struct script_source *source, struct event *event)
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
static int at_end(struct script_source *source, struct event *event, struct err *err)
{
	const char *failure = input_error(source->input);

	finish(source);
	if (tell(source, event))
		return 1;
	if (failure)
		return err_set(err, "%s", failure);
	if (!source->any)
		return err_set(err, "%s: %s", input_name(source->input),
			       source->layout->complaint(&source->reading));
	source->source.quality.no_wakes = !source->wakes;
	return 0;
}

static int next(struct event_source *base, struct event *event, struct err *err)
{
	struct script_source *source = of(base);
	const struct line_layout *layout = source->layout;
	size_t length;
	char *line;

	if (tell(source, event))
		return 1;
	if (layout->more && layout->more(&source->reading, event))
		return give(source, event);
	while ((line = input_line(source->input, &length))) {
		source->lines++;
		if (parse(source, event, line, length)) {
			if (source->reading.looks_ahead)
				look_ahead(source, event);
			return give(source, event);
		}
		if (tell(source, event))
			return 1;
	}
	return at_end(source, event, err);
}

static void release(struct event_source *base)
{
	struct script_source *source = of(base);

	input_close(source->input);
	line_joiner_free(source->joiner);
	free(source->reading.state);
	free(source);
}

static const struct line_layout *choose(const char *bytes, size_t length)
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

	source->source.next = next;
	source->source.free = release;
	source->input = input;
	length = look(input, &bytes, input_size(input) ? LOOK_BYTES : LOOK_BYTES_STREAM);
	source->layout = choose(bytes, length);
	source->reading.quality = &source->source.quality;
	source->reading.blocks = &source->source.blocks;
	source->reading.state = xcalloc(1, source->layout->state_bytes + 1);
	source->joiner = line_joiner_new(source->layout, &source->reading);
	if (source->layout->begin)
		source->layout->begin(&source->reading, bytes, length);
	return &source->source;
}
