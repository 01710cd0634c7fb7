/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text traces, and checks for the reader of each layout. */
#ifndef PSCAL_TESTS_DECODE_OPEN_TEXT_H
#define PSCAL_TESTS_DECODE_OPEN_TEXT_H

#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/event_source.h"
#include "decode/trace_input.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* The source of a file that holds this text, of any layout. */
static inline struct event_source *open_text(const char *text, size_t length)
{
	struct err err = {.text = ""};
	struct event_source *source =
		trace_input_read(input_open(file_with(text, length), INPUT_OF_ANYONE, &err), &err);

	if (!source)
		fail_msg("%s", err.text);
	return source;
}

/* The first bytes of a file, and whether they are of this layout. */
struct first_lines {
	const char *bytes;
	bool is;
};

static inline void assert_told_from_first_lines(bool (*is)(const char *bytes, size_t length),
						const struct first_lines *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(cases[i].bytes);
		char *bytes = malloc(length ? length : 1); /* the sanitizer watches its end */

		memcpy(bytes, cases[i].bytes, length);
		if (is(bytes, length) != cases[i].is)
			fail_msg("is%s one: '%s'", cases[i].is ? "" : " not", cases[i].bytes);
		free(bytes);
	}
}

/* The first event is an error with these words. */
static inline void assert_text_refused(const char *text, size_t length, const char *words)
{
	struct event_source *source = open_text(text, length);
	struct err err = {.text = ""};
	struct event event;

	assert_int_equal(event_source_next(source, &event, &err), -1);
	if (!strstr(err.text, words))
		fail_msg("said: %s", err.text);
	event_source_free(source);
}

/* The content of an event in any text; `note` is for events that only an audit shows. */
struct text_event {
	enum event_kind kind;
	uint64_t time_ns, place;
	enum quality_fact note;
};

/* The text has exactly these events; returns the source, which the caller frees. */
static inline struct event_source *assert_text_events(const char *text, size_t length,
						      const struct text_event *want, size_t count,
						      bool audited)
{
	struct event_source *source = open_text(text, length);
	struct event event;
	struct err err;

	source->audited = audited;
	for (size_t i = 0; i < count; i++) {
		if (!audited && want[i].kind == EVENT_NOTE)
			continue;
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.kind, want[i].kind);
		assert_int_equal(event.time_ns, want[i].time_ns);
		assert_int_equal(event.place, want[i].place);
		if (event.kind == EVENT_NOTE)
			assert_int_equal(event.note, want[i].note);
	}
	assert_int_equal(event_source_next(source, &event, &err), 0);
	return source;
}

#endif
