/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/text_source.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "decode/text/line_layout.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Broken lines -------------------------------------------------------------------------- */

/*
 * Parses lines by their layout, and joins broken ones: each newline in the name of a thread breaks
 * every line that holds the name. A piece is kept until the next lines complete it, or show that
 * they do not; the lines around it are never lost.
 */

enum {
	/* The longest broken line: three names of 15 newlines, and the fields around them. */
	KEPT_MAX = 512,
	PIECES_MAX = 3 * (COMM_SIZE - 1) + 1,
	/* A name with its padding: the most text that a line may have before anything else. */
	NAME_MAX_WIDTH = 16,
};

/* The state that parsing a line changes, apart from the event. */
struct snapshot {
	void *state;
	struct quality quality;
};

struct line_joiner {
	const struct line_layout *layout;
	struct line_reading *reading;
	struct snapshot first;	/* the state before the first kept piece */
	struct snapshot before; /* the state before the last line */
	struct snapshot after;	/* the state after the last line */
	char text[KEPT_MAX + 1];
	size_t length;
	unsigned pieces; /* the number of pieces in `text`, with newlines between them */
	unsigned passed; /* the number of these that are of no use alone */
	bool headed;	 /* `text` has the beginning of an event */
};

/* Borrows both arguments. */
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

/* Counts the pieces that were not completed, as at the end of the text. */
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

/* Keeps or counts a line that could not be read: it may be the beginning of a broken one. */
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

/* Returns true if the pieces and `line` make an event. If not, nothing is changed. */
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

/* Handles a line behind a piece; `kind` and *event are those of the line alone. */
static bool joiner_parse_behind(struct line_joiner *joiner, enum line_kind kind,
				struct event *event, const char *line, size_t length)
{
	struct event joined;

	if ((joiner->headed && joiner->reading->headed) || !joiner_fits(joiner, length)) {
		joiner_drop(joiner);
		joiner_keep_or_count(joiner, kind, line, length);
		return kind == LINE_EVENT;
	}
	/* An event needs a head. */
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
 * Parses the next line, with a NUL at `length`. Returns true with its event, or with that of the
 * broken line that it completes. Counts malformed lines, and pieces, in the quality of the reading.
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

/* The bytes to look at before the first line, and later on demand; fewer of a stream. */
enum { LOOK_BYTES = 1 << 16, LOOK_BYTES_STREAM = 1 << 12, LOOK_AHEAD_STREAM = 1 << 14 };

/* Ignored lines, for the audit. */
struct passed_over {
	uint64_t malformed, fragments, unknown_events;
	uint64_t at; /* the line at which they end */
};

/*
 * A time AHEAD_NS after the last one, in a text with lines in order, is damaged if the next one is
 * not that late. The next time is among NEXT_MAX events, as some have none.
 */
enum { AHEAD_NS = 100000000, NEXT_MAX = 8 };

struct text_source {
	struct event_source source;
	uint64_t last_ns;	     /* the time of the last event with a time */
	struct event next[NEXT_MAX]; /* read, but not yet given out */
	size_t next_count;
	struct input *input;
	const struct line_layout *layout;
	struct line_reading reading;
	struct line_joiner *joiner; /* NULL: the layout has no broken lines */
	uint64_t lines;		    /* read so far */
	unsigned empty;		    /* the number of these that are empty, at the end */
	struct passed_over untold;
	bool any;   /* there was a scheduling event, or a block */
	bool wakes; /* there was a wake */
	bool ended; /* the layout ended before the input */
};

static struct text_source *text_of(struct event_source *source)
{
	return (struct text_source *)source;
}

static int text_give(struct text_source *source, struct event *event)
{
	source->any |= event->kind != EVENT_TASK && event->kind != EVENT_GAP &&
		       event->kind != EVENT_CALL && event->kind != EVENT_RETURN;
	event->place = source->lines;
	source->wakes |= event->kind == EVENT_WAKE;
	return 1;
}

/* Looks at the next bytes, for which a stream may take its time. */
static size_t text_look(struct input *input, const void **bytes, size_t wanted)
{
	size_t length = input_peek(input, bytes, wanted);

	return length > wanted ? wanted : length;
}

static void text_look_ahead(struct text_source *source, struct event *event)
{
	size_t wanted = source->input->size ? LOOK_BYTES : LOOK_AHEAD_STREAM;
	const void *bytes;
	size_t length;

	source->reading.looks_ahead = false;
	do {
		length = text_look(source->input, &bytes, wanted);
		if (source->layout->look_ahead(&source->reading, event, bytes, length))
			return;
		wanted *= 2;
	} while (length == wanted / 2 && wanted <= INPUT_PEEK_MAX);
}

/* Adds the lines ignored since `before`. */
static void text_note(struct text_source *source, const struct quality *before)
{
	const struct quality *now = &source->source.quality;

	source->untold.malformed += now->malformed - before->malformed;
	source->untold.fragments += now->fragments - before->fragments;
	source->untold.unknown_events += now->unknown_events - before->unknown_events;
}

/* Parses a line in a layout without broken ones. */
static bool text_parse_alone(struct text_source *source, struct event *event, const char *line,
			     size_t length)
{
	struct quality *quality = &source->source.quality;
	enum line_kind kind = LINE_MALFORMED; /* for a NUL within the line */

	if (strlen(line) == length)
		kind = source->layout->parse(&source->reading, event, line, length);
	quality->malformed += kind == LINE_MALFORMED;
	quality->unknown_events += kind == LINE_UNKNOWN;
	source->ended = kind == LINE_END;
	return kind == LINE_EVENT;
}

/* Returns true if there are more empty lines in a row than names make: events are missing. */
static bool text_has_hole(struct text_source *source, size_t length)
{
	source->empty = length ? 0 : source->empty + 1;
	return source->empty == PIECES_MAX;
}

/* Reads the event of a line, if any, and notes its faults. */
static bool text_parse(struct text_source *source, struct event *event, const char *line,
		       size_t length)
{
	const struct quality before = source->source.quality;
	bool parsed = source->joiner ? line_joiner_parse(source->joiner, event, line, length)
				     : text_parse_alone(source, event, line, length);

	source->source.quality.malformed += text_has_hole(source, length);
	text_note(source, &before);
	source->untold.at = source->lines - parsed; /* the whole line itself showed the fault */
	return parsed;
}

/* Gives an event_note() for an ignored line, if any is left. */
static bool text_tell(struct text_source *source, struct event *event)
{
	struct passed_over *untold = &source->untold;
	const struct {
		uint64_t *count;
		enum quality_fact fact;
	} facts[] = {{&untold->malformed, QUALITY_MALFORMED},
		     {&untold->fragments, QUALITY_FRAGMENTS},
		     {&untold->unknown_events, QUALITY_UNKNOWN_EVENTS}};

	for (size_t i = 0; source->source.audited && i < COUNT(facts); i++) {
		if (!*facts[i].count)
			continue;
		--*facts[i].count;
		*event = event_note(facts[i].fact, untold->at);
		return true;
	}
	return false;
}

/* Ends the text: only pieces of lines are left to report. */
static int text_at_end(struct text_source *source, struct event *event, struct err *err)
{
	const struct line_layout *layout = source->layout;
	const char *failure = source->input->error;
	const struct quality before = source->source.quality;

	if (source->joiner) {
		joiner_drop(source->joiner);
		text_note(source, &before);
		source->untold.at = source->lines;
	}
	if (text_tell(source, event))
		return 1;
	if (failure)
		return err_set(err, "%s", failure);
	if (layout->told ? !layout->told(&source->reading) : !source->any)
		return err_set(err, "%s: %s", source->input->name,
			       layout->complaint(&source->reading));
	source->source.quality.no_wakes = layout->has_wakes && !source->wakes;
	return 0;
}

static int text_read(struct text_source *source, struct event *event, struct err *err)
{
	const struct line_layout *layout = source->layout;
	uint64_t begin = source->input->offset;
	size_t length;
	char *line;

	if (text_tell(source, event))
		return 1;
	if (layout->more && layout->more(&source->reading, event))
		return text_give(source, event);
	while (!source->ended && (line = input_line(source->input, &length))) {
		bool is_whole = source->input->offset - begin != length;
		bool is_event;

		begin = source->input->offset;
		source->lines++;
		is_event = text_parse(source, event, line, length);
		/* A cut line may be readable, with only a part of its last number or name. */
		source->source.quality.truncated |= !is_whole && !source->ended && *line != '#';
		if (is_event) {
			if (source->reading.looks_ahead)
				text_look_ahead(source, event);
			return text_give(source, event);
		}
		if (text_tell(source, event))
			return 1;
	}
	return text_at_end(source, event, err);
}

/* Returns true if the time is later by more than events may be out of order. */
static bool is_ahead(uint64_t time_ns, uint64_t of_ns)
{
	return time_ns > of_ns && time_ns - of_ns > AHEAD_NS;
}

/* Reads on to an event with a time. *damaged: the time of the event before is damaged. */
static int text_look_behind(bool *damaged, struct text_source *source, uint64_t time_ns,
			    struct err *err)
{
	*damaged = false;
	for (size_t i = 0; i < NEXT_MAX; i++) {
		int rc = i < source->next_count ? 1 : text_read(source, &source->next[i], err);

		if (rc <= 0)
			return rc;
		if (i == source->next_count)
			source->next_count++;
		if (!source->next[i].time_ns)
			continue;
		*damaged = is_ahead(time_ns, source->next[i].time_ns) &&
			   source->next[i].time_ns >= source->last_ns;
		break;
	}
	return 0;
}

static struct event text_count_damaged(struct text_source *source, uint64_t place)
{
	source->source.quality.malformed++;
	return event_note(QUALITY_MALFORMED, place);
}

static int text_take(struct text_source *source, struct event *event, struct err *err)
{
	if (!source->next_count)
		return text_read(source, event, err);
	*event = source->next[0];
	memmove(source->next, source->next + 1, --source->next_count * sizeof(*event));
	return 1;
}

static int text_next(struct event_source *base, struct event *event, struct err *err)
{
	struct text_source *source = text_of(base);
	bool damaged;

	do {
		int rc = text_take(source, event, err);

		if (rc <= 0 || !event->time_ns)
			return rc;
		damaged = false;
		if (source->layout->in_order && source->last_ns &&
		    is_ahead(event->time_ns, source->last_ns) &&
		    text_look_behind(&damaged, source, event->time_ns, err))
			return -1;
		if (damaged)
			*event = text_count_damaged(source, event->place);
	} while (damaged && !source->source.audited);
	if (!damaged)
		source->last_ns = event->time_ns;
	return 1;
}

static void text_free(struct event_source *base)
{
	struct text_source *source = text_of(base);

	if (source->layout->release)
		source->layout->release(&source->reading);
	input_close(source->input);
	line_joiner_free(source->joiner);
	free(source->reading.state);
	free(source);
}

/* --- The layout of a text ------------------------------------------------------------------ */

/* The layouts that show in the first bytes; the first match counts. */
static const struct line_layout *const told_at_once[] = {
	&enter_leave_line_layout,
	&paje_line_layout,
	&timehist_line_layout,
};

/* Files given by mistake, each with a remedy. */
static const struct {
	const char *magic;
	size_t length;
	const char *name;
	const char *advice;
} foreign[] = {
	{"\x17\x08\x44tracing", 10, "a trace-cmd file", "give the output of 'trace-cmd report'"},
	{"\x7f"
	 "ELF",
	 4, "a program", "record it with: pscal record -- PROGRAM"},
	{"{", 1, "JSON", "give a perf.data file or the output of perf script"},
	{"[", 1, "JSON", "give a perf.data file or the output of perf script"},
};

/* Returns true for a line of perf script without the thread, "[000]", which is no JSON list. */
static bool begins_with_cpu(const char *bytes, size_t length)
{
	size_t digits = 1;

	while (digits < length && bytes[digits] >= '0' && bytes[digits] <= '9')
		digits++;
	return length > digits + 1 && bytes[0] == '[' && digits > 3 && bytes[digits] == ']' &&
	       bytes[digits + 1] == ' ';
}

static int refuse_foreign(const struct input *input, const char *bytes, size_t length,
			  struct err *err)
{
	for (size_t i = 0; i < COUNT(foreign); i++)
		if (length >= foreign[i].length &&
		    memcmp(bytes, foreign[i].magic, foreign[i].length) == 0 &&
		    !begins_with_cpu(bytes, length))
			return err_set(err, "%s: is %s, which cannot be read; %s", input->name,
				       foreign[i].name, foreign[i].advice);
	if (memchr(bytes, '\0', length))
		return err_set(err, "%s: is neither a perf.data file nor the text of perf script",
			       input->name);
	return 0;
}

static const struct line_layout *find_layout(const char *bytes, size_t length)
{
	for (size_t i = 0; i < COUNT(told_at_once); i++)
		if (told_at_once[i]->is(bytes, length))
			return told_at_once[i];
	return NULL;
}

/* Returns the number of bytes of comments at the beginning, as of perf script --header. */
static size_t comments_of(const char *bytes, size_t length)
{
	const char *at = bytes, *end = bytes + length;

	while (at < end && *at == '#') {
		const char *next = memchr(at, '\n', (size_t)(end - at));

		at = next ? next + 1 : end;
	}
	return (size_t)(at - bytes);
}

/* Looks at the first bytes; at more behind long comments, until there is a line behind them. */
static size_t look_first(struct input *input, const void **bytes)
{
	size_t wanted = input->size ? LOOK_BYTES : LOOK_BYTES_STREAM;

	for (;;) {
		size_t length = text_look(input, bytes, wanted);
		size_t comments = comments_of(*bytes, length);

		if (!comments || length < wanted || 2 * wanted > INPUT_PEEK_MAX ||
		    memchr((const char *)*bytes + comments, '\n', length - comments))
			return length;
		wanted *= 2;
	}
}

/*
 * Finds the target in the text of a recording of a command. The text has no header that names it,
 * but begins with the fork by which pscal started the command: that child is the target.
 */
static void find_launched(struct target_info *target, const char *bytes, size_t length)
{
	static const char fork[] = "sched:sched_process_fork: comm=pscal pid=",
			  child[] = " child_comm=pscal child_pid=";
	const char *end = bytes + length, *at;
	int32_t pid = 0;

	bytes += comments_of(bytes, length);
	at = memchr(bytes, '\n', (size_t)(end - bytes));
	if (!at)
		return;
	length = (size_t)(at - bytes);
	if (!memmem(bytes, length, fork, sizeof(fork) - 1))
		return;
	at = memmem(bytes, length, child, sizeof(child) - 1);
	if (!at)
		return;
	for (at += sizeof(child) - 1; at < bytes + length && isdigit((unsigned char)*at); at++) {
		if (pid > INT32_MAX / 10 - 1)
			return;
		pid = 10 * pid + (*at - '0');
	}
	if (!pid)
		return;
	target->roots = xcalloc(1, sizeof(*target->roots));
	target->roots[target->root_count++] = pid;
}

/* The layout of perf script takes any text; ftrace is recognised by more of the text. */
struct event_source *text_source_new(struct input *input, const char *first, size_t first_length,
				     struct err *err)
{
	const struct line_layout *layout = find_layout(first, first_length);
	struct text_source *source;
	const void *bytes;
	size_t length;

	if (!layout && refuse_foreign(input, first, first_length, err))
		return NULL;
	length = look_first(input, &bytes);
	if (!layout)
		layout = ftrace_line_layout.is(bytes, length) ? &ftrace_line_layout
							      : &script_line_layout;
	source = xcalloc(1, sizeof(*source));
	source->source.next = text_next;
	source->source.free = text_free;
	source->input = input;
	source->layout = layout;
	source->source.target.hides_interrupts = layout == &script_line_layout;
	source->reading.quality = &source->source.quality;
	source->reading.blocks = &source->source.blocks;
	source->reading.state = xcalloc(1, layout->state_bytes + 1);
	if (layout->joins)
		source->joiner = line_joiner_new(layout, &source->reading);
	if (layout->begin)
		layout->begin(&source->reading, bytes, length);
	if (layout == &script_line_layout)
		find_launched(&source->source.target, bytes, length);
	return &source->source;
}
