/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/timehist_source.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "decode/text/scan.h"
#include "decode/text/timehist_line.h"
#include "decode/text/timehist_rows.h"

#include <stdlib.h>
#include <string.h>

struct timehist {
	struct event_source source;
	struct input *input;
	struct timehist_columns columns;
	struct timehist_rows *rows;
	uint64_t lines;
	uint64_t untold; /* what the last line has added to the malformed ones, for who audits */
	bool finished;
};

static struct timehist *of(struct event_source *source)
{
	return (struct timehist *)source;
}

/* Returns false where the rows end. */
static bool take_line(struct timehist *timehist, const char *line)
{
	struct timehist_row row;

	switch (timehist_line_parse(&timehist->columns, &row, line)) {
	case TIMEHIST_RAN:
		timehist_rows_ran(timehist->rows, &row, timehist->lines);
		break;
	case TIMEHIST_WOKE:
		timehist_rows_woke(timehist->rows, &row, timehist->lines);
		break;
	case TIMEHIST_LOST:
		timehist_rows_lost(timehist->rows, &row, timehist->lines);
		break;
	case TIMEHIST_MALFORMED:
		timehist->source.quality.malformed++;
		break;
	case TIMEHIST_SUMMARY:
		return false;
	case TIMEHIST_HEAD:
	case TIMEHIST_OTHER:
		break;
	}
	return true;
}

/* The end of the input, or of its rows. */
static int finish(struct timehist *timehist, struct err *err)
{
	const char *failure = input_error(timehist->input);

	if (failure)
		return err_set(err, "%s", failure);
	timehist->finished = true;
	if (timehist_rows_finish(timehist->rows))
		return 0;
	return err_set(err,
		       "%s: is text of perf sched timehist without the times that threads ran; "
		       "print it with 'perf sched timehist -w -n --state', without -s and -I",
		       input_name(timehist->input));
}

/* Returns false at the end. */
static bool read_line(struct timehist *timehist)
{
	size_t length;
	const char *line = input_line(timehist->input, &length);

	if (!line)
		return false;
	timehist->lines++;
	if (strlen(line) == length)
		return take_line(timehist, line);
	timehist->source.quality.malformed++;
	return true;
}

/* The same; what is passed over is noted. */
static bool read_noting(struct timehist *timehist)
{
	uint64_t malformed = timehist->source.quality.malformed;
	bool more = read_line(timehist);

	if (timehist->source.audited)
		timehist->untold += timehist->source.quality.malformed - malformed;
	return more;
}

static bool tell(struct timehist *timehist, struct event *event)
{
	if (!timehist->untold)
		return false;
	timehist->untold--;
	*event = event_note(QUALITY_MALFORMED, timehist->lines);
	return true;
}

static int next(struct event_source *base, struct event *event, struct err *err)
{
	struct timehist *timehist = of(base);

	while (!tell(timehist, event) && !timehist_rows_pop(timehist->rows, event)) {
		if (timehist->finished)
			return 0;
		if (!read_noting(timehist) && finish(timehist, err))
			return -1;
	}
	return 1;
}

static void release(struct event_source *base)
{
	struct timehist *timehist = of(base);

	timehist_rows_free(timehist->rows);
	input_close(timehist->input);
	free(timehist);
}

bool timehist_source_is(const char *bytes, size_t length)
{
	struct scan_lines lines = {.at = bytes, .left = length};

	while (scan_lines_next(&lines)) {
		struct timehist_columns columns = {0};
		struct timehist_row row;

		if (timehist_line_parse(&columns, &row, lines.line) < TIMEHIST_OTHER)
			return true;
	}
	return false;
}

struct event_source *timehist_source_new(struct input *input)
{
	struct timehist *timehist = xcalloc(1, sizeof(*timehist));

	timehist->source.next = next;
	timehist->source.free = release;
	timehist->input = input;
	timehist->rows = timehist_rows_new(&timehist->source.quality);
	return &timehist->source;
}
