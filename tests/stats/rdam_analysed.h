/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of rdam: results for events that are drawn or listed. */
#ifndef PSCAL_TESTS_STATS_RDAM_ANALYSED_H
#define PSCAL_TESTS_STATS_RDAM_ANALYSED_H

#include "support.h"

#include "base/err.h"
#include "decode/timeline/timeline.h"
#include "draw/block_drawing.h"
#include "stats/rdam/rdam.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double US = 1e-6;

struct analysed {
	struct event_source *source;
	struct rdam_trace trace;
	struct rdam rdam;
	bool has_strangers; /* only threads that the first thread creates are the target */
};

static inline void analyse(struct analysed *of, const struct rdam_options *options)
{
	static const int32_t root[] = {DRAWING_TID};
	struct selection selection = {.pids = root, .pid_count = of->has_strangers};
	struct err err = {.text = ""};

	if (rdam_trace_read(&of->trace, of->source, &selection, &err) ||
	    rdam_init(&of->rdam, &of->trace, options, &err))
		fail_msg("%s", err.text);
}

static inline void release(struct analysed *of)
{
	rdam_release(&of->rdam);
	rdam_trace_release(&of->trace);
	event_source_free(of->source);
}

static inline const struct rdam_row *row_of(const struct rdam *rdam, const char *name)
{
	for (size_t i = 0; i < rdam->row_count; i++)
		if (strcmp(rdam->rows[i].name, name) == 0)
			return &rdam->rows[i];
	fail_msg("there is no row '%s'", name);
	return NULL;
}

static inline void assert_names(const struct rdam *rdam, const char *want)
{
	char text[2048] = "";
	size_t length = 0;

	for (size_t i = 0; i < rdam->row_count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s*%d",
					   i ? ", " : "", rdam->rows[i].name,
					   (int)rdam->rows[i].occurrences);
	assert_string_equal(text, want);
}

/* Events of one thread, at times in microseconds: "0 A 10 a", with one argument "5 B=7". */
static inline struct event_source *listed(const char *text)
{
	struct event events[512];
	size_t count = 0;
	struct event_source *source;
	char letter;
	double time_us;
	int used;

	while (sscanf(text, "%lf %c%n", &time_us, &letter, &used) == 2) {
		struct event event = event_new(isupper(letter) ? EVENT_ENTER : EVENT_LEAVE,
					       1000 + (uint64_t)(1000 * time_us));

		text += used;
		event.tid = 100;
		event.block = (uint32_t)(toupper(letter) - 'A');
		if (*text == '=') {
			event.arguments[0] = strtod(text + 1, (char **)(uintptr_t)&text);
			event.count = 1;
		}
		assert_true(count < sizeof(events) / sizeof(events[0]));
		events[count++] = event;
	}
	source = array_source(events, count);
	for (letter = 'A'; letter <= 'Z'; letter++)
		blocks_number(&source->blocks, &letter, 1);
	return source;
}

#endif
