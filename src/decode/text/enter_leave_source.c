/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/enter_leave_source.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "decode/text/enter_leave_line.h"

#include <stdlib.h>
#include <string.h>

struct enter_leave {
	struct event_source source;
	struct input *input;
	uint64_t lines;
	bool any;
	bool untold; /* the last line was malformed, and is to be told who audits */
};

static struct enter_leave *of(struct event_source *source)
{
	return (struct enter_leave *)source;
}

/* The place of an argument of this name; BLOCK_ARGUMENTS: there is none left for it. */
static size_t place_of(struct blocks *blocks, uint32_t block, const struct piece *name)
{
	size_t i;

	for (i = 0; i < BLOCK_ARGUMENTS; i++) {
		const char *other = blocks_argument(blocks, block, i);

		if (!other)
			break;
		if (strncmp(other, name->at, name->length) == 0 && !other[name->length])
			return i;
	}
	if (i < BLOCK_ARGUMENTS)
		blocks_name_argument(blocks, block, i, name->at, name->length);
	return i;
}

static void read_arguments(struct blocks *blocks, struct event *event, struct piece arguments)
{
	struct argument argument;
	unsigned known = 0;
	double number;

	while (arguments.at && enter_leave_argument(&argument, &arguments) > 0) {
		size_t place;

		if (enter_leave_number(&number, &argument.value))
			continue;
		place = place_of(blocks, event->block, &argument.name);
		if (place == BLOCK_ARGUMENTS)
			continue;
		event->arguments[place] = number;
		known |= 1U << place;
	}
	while (event->count < BLOCK_ARGUMENTS && known & 1U << event->count)
		event->count++;
}

/* False: there are too many blocks. */
static bool make_event(struct enter_leave *reader, struct event *event,
		       const struct enter_leave_line *line)
{
	struct blocks *blocks = &reader->source.blocks;
	int32_t block = blocks_number(blocks, line->name.at, line->name.length);

	if (block == BLOCK_NONE)
		return false;
	*event = event_new(line->leave ? EVENT_LEAVE : EVENT_ENTER, line->time_ns);
	event->tid = line->tid;
	event->block = (uint32_t)block;
	event->place = reader->lines;
	if (!line->leave)
		read_arguments(blocks, event, line->arguments);
	else if (line->result.at && !enter_leave_number(&event->arguments[0], &line->result))
		event->count = 1;
	return true;
}

static bool read_line(struct enter_leave *reader, struct event *event, const char *text,
		      size_t length)
{
	struct enter_leave_line line;
	int rc = strlen(text) == length ? enter_leave_line_parse(&line, text) : -1;

	if (rc > 0)
		return make_event(reader, event, &line);
	reader->source.quality.malformed += rc < 0;
	reader->untold = rc < 0 && reader->source.audited;
	return false;
}

static bool tell(struct enter_leave *reader, struct event *event)
{
	if (!reader->untold)
		return false;
	reader->untold = false;
	*event = event_note(QUALITY_MALFORMED, reader->lines);
	return true;
}

static int next(struct event_source *base, struct event *event, struct err *err)
{
	struct enter_leave *reader = of(base);
	const char *failure;
	size_t length;
	char *text;

	while ((text = input_line(reader->input, &length))) {
		reader->lines++;
		if (read_line(reader, event, text, length)) {
			reader->any = true;
			return 1;
		}
		if (tell(reader, event))
			return 1;
	}
	failure = input_error(reader->input);
	if (failure)
		return err_set(err, "%s", failure);
	if (!reader->any)
		return err_set(err,
			       "%s: holds no line that says what a thread enters or leaves, as "
			       "'0.5s 1 Enter function work(n=3)'",
			       input_name(reader->input));
	return 0;
}

static void release(struct event_source *base)
{
	input_close(of(base)->input);
	free(of(base));
}

bool enter_leave_source_is(const char *bytes, size_t length)
{
	const char *end = memchr(bytes, '\n', length);

	return enter_leave_line_is_head(bytes, end ? (size_t)(end - bytes) : length);
}

struct event_source *enter_leave_source_new(struct input *input)
{
	struct enter_leave *reader = xcalloc(1, sizeof(*reader));

	reader->source.next = next;
	reader->source.free = release;
	reader->input = input;
	return &reader->source;
}
