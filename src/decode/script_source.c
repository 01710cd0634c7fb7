/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/script_source.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/input.h"
#include "decode/script_line.h"

#include <stdlib.h>

struct script_source {
	struct event_source source;
	struct input *input;
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
		return err_set(err,
			       "%s: holds no scheduling events that can be read; print them with "
			       "'perf script --ns -F comm,pid,tid,cpu,time,event,trace'",
			       input_name(source->input));
	source->source.quality.no_wakes = !source->wakes;
	return 0;
}

static int next(struct event_source *base, struct event *event, struct err *err)
{
	struct script_source *source = of(base);
	size_t length;
	char *line;

	while ((line = input_line(source->input, &length))) {
		source->lines++;
		switch (script_line_parse(event, line, length)) {
		case SCRIPT_LINE_EVENT:
			source->any = true;
			event->place = source->lines;
			source->wakes |= event->kind == EVENT_WAKE;
			return 1;
		case SCRIPT_LINE_MALFORMED:
			source->source.quality.malformed++;
			break;
		case SCRIPT_LINE_OTHER:
			break;
		}
	}
	return at_end(source, err);
}

static void release(struct event_source *base)
{
	struct script_source *source = of(base);

	input_close(source->input);
	free(source);
}

struct event_source *script_source_new(struct input *input)
{
	struct script_source *source = xcalloc(1, sizeof(*source));

	source->source.next = next;
	source->source.free = release;
	source->input = input;
	return &source->source;
}
