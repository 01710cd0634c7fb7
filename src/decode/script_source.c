/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/script_source.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/input.h"
#include "decode/ftrace_line.h"
#include "decode/line_layout.h"
#include "decode/script_line.h"

#include <stdlib.h>

enum { LOOK_BYTES = 4096 };

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
	uint64_t lines; /* read so far */
	bool any;	/* has there been a scheduling event? */
	bool wakes;	/* ... and a wake? */
};

static struct script_source *of(struct event_source *source)
{
	return (struct script_source *)source;
}

static int at_end(struct script_source *source, struct err *err)
{
	const char *failure = input_error(source->input);

	if (failure)
		return err_set(err, "%s", failure);
	if (!source->any)
		return err_set(err, "%s: %s", input_name(source->input),
			       source->layout->complaint(&source->reading));
	source->source.quality.no_wakes = !source->wakes;
	return 0;
}

static int give(struct script_source *source, struct event *event)
{
	source->any = true;
	event->place = source->lines;
	source->wakes |= event->kind == EVENT_WAKE;
	return 1;
}

static int next(struct event_source *base, struct event *event, struct err *err)
{
	struct script_source *source = of(base);
	const struct line_layout *layout = source->layout;
	size_t length;
	char *line;

	if (layout->more && layout->more(&source->reading, event))
		return give(source, event);
	while ((line = input_line(source->input, &length))) {
		source->lines++;
		switch (layout->parse(&source->reading, event, line, length)) {
		case LINE_EVENT:
			return give(source, event);
		case LINE_MALFORMED:
			base->quality.malformed++;
			break;
		case LINE_OTHER:
			break;
		}
	}
	return at_end(source, err);
}

static void release(struct event_source *base)
{
	struct script_source *source = of(base);

	input_close(source->input);
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
	length = input_peek(input, &bytes, LOOK_BYTES);
	source->layout = choose(bytes, length);
	source->reading.quality = &source->source.quality;
	source->reading.state = xcalloc(1, source->layout->state_bytes + 1);
	if (source->layout->begin)
		source->layout->begin(&source->reading, bytes, length);
	return &source->source;
}
