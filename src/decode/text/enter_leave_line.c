/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The textual traces of [Mosli Bouksiaa 2018], which hold only the functions that threads enter and
 * leave:
 *
 *	#timestamp #ThreadId #Event
 *	0.00175s   1       Enter function Foo(arg1=17)
 *	0.31054s   2       Leave function Baz(a=21, b=40) return value=91
 *
 * The last parentheses hold the arguments if all of them are NAME=VALUE, or if they are empty; else
 * they belong to the name of the function, as in "f(int)". Text in them may be quoted. Numbers are
 * kept, decimal or 0x..., at the place that their name had when the block first had it. Texts are
 * not kept: an event has the arguments before the first one that it lacks. The arguments of a Leave
 * are ignored.
 *
 * Threads have numbers from 1 on. Lines that begin with # are comments.
 */
#include "base/parse.h"
#include "decode/text/line_layout.h"
#include "decode/text/scan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- Arguments ----------------------------------------------------------------------------- */

/* Bytes of a line, which do not end in a NUL. */
struct piece {
	const char *at;
	size_t length;
};

struct enter_leave_line {
	uint64_t time_ns;
	int32_t tid;
	bool leave;
	struct piece name;
	struct piece arguments; /* the text between the parentheses; NULL: none */
	struct piece result;	/* the value that a Leave returns; NULL: none */
};

struct argument {
	struct piece name, value;
};

static struct piece trimmed(const char *begin, const char *end)
{
	while (begin < end && scan_is_blank(*begin))
		begin++;
	while (end > begin && scan_is_blank(end[-1]))
		end--;
	return (struct piece){begin, (size_t)(end - begin)};
}

/* Returns the end of the quoted text that begins at `at`, or `end` if it has none. */
static const char *skip_quoted(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\' && at + 1 < end)
			at++;
	return at < end ? at + 1 : end;
}

/* Returns the end of the argument that begins at `at`: a comma outside of all parentheses. */
static const char *end_of_argument(const char *at, const char *end)
{
	int depth = 0;

	while (at < end && (*at != ',' || depth)) {
		depth += *at == '(' || *at == '[' || *at == '{';
		depth -= depth && (*at == ')' || *at == ']' || *at == '}');
		at = *at == '"' ? skip_quoted(at, end) : at + 1;
	}
	return at;
}

static bool is_name(const struct piece *name)
{
	for (size_t i = 0; i < name->length; i++)
		if (!isalnum((unsigned char)name->at[i]) && name->at[i] != '_')
			return false;
	return name->length && !isdigit((unsigned char)*name->at);
}

/*
 * Takes the next NAME=VALUE from *arguments. Returns 1; 0 at the end; -1 if there is something
 * else, and then the rest is of no use.
 */
static int enter_leave_argument(struct argument *argument, struct piece *arguments)
{
	const char *end = arguments->at + arguments->length, *comma, *equals;

	while (arguments->at < end && scan_is_blank(*arguments->at)) {
		arguments->at++;
		arguments->length--;
	}
	if (!arguments->length)
		return 0;
	comma = end_of_argument(arguments->at, end);
	equals = memchr(arguments->at, '=', (size_t)(comma - arguments->at));
	if (!equals)
		return -1;
	argument->name = trimmed(arguments->at, equals);
	argument->value = trimmed(equals + 1, comma);
	if (!is_name(&argument->name))
		return -1;
	arguments->at = comma < end ? comma + 1 : end;
	arguments->length = (size_t)(end - arguments->at);
	return 1;
}

/* Returns true if the piece has only arguments, or nothing. */
static bool are_arguments(struct piece piece)
{
	struct argument argument;
	int rc;

	while ((rc = enter_leave_argument(&argument, &piece)) > 0)
		;
	return rc == 0;
}

/* Reads a finite number, decimal or 0x... Returns 0, or -1 if there is none. */
static int enter_leave_number(double *number, const struct piece *value)
{
	char text[64], *end;

	if (!value->length || value->length >= sizeof(text))
		return -1;
	memcpy(text, value->at, value->length);
	text[value->length] = '\0';
	if (text[0] != '0' || (text[1] | 0x20) != 'x')
		return parse_double(number, text);
	*number = (double)strtoull(text, &end, 16);
	return *end ? -1 : 0;
}

/* --- Lines --------------------------------------------------------------------------------- */

/* Returns the quotation mark that opens the text which ends before `at`. */
static const char *back_over_quoted(const char *at, const char *begin)
{
	for (at--; at > begin; at--)
		if (at[-1] == '"' && (at - 1 == begin || at[-2] != '\\'))
			return at - 1;
	return begin;
}

/* Returns the parenthesis that the one before `end` closes, or NULL if there is none. */
static const char *opening(const char *begin, const char *end)
{
	int depth = 0;

	for (const char *at = end; at > begin;) {
		if (at[-1] == '"') {
			at = back_over_quoted(at, begin);
			continue;
		}
		at--;
		depth += (*at == ')') - (*at == '(');
		if (!depth)
			return at;
	}
	return NULL;
}

/* Reads `NAME(ARGUMENTS)`: see above. */
static bool read_call(struct enter_leave_line *line, const char *begin, const char *end)
{
	struct piece call = trimmed(begin, end);
	const char *open = NULL;

	if (call.length && call.at[call.length - 1] == ')')
		open = opening(call.at, call.at + call.length);
	line->arguments = (struct piece){NULL, 0};
	if (open) {
		struct piece inside = {open + 1, call.length - (size_t)(open - call.at) - 2};

		if (are_arguments(inside)) {
			line->arguments = inside;
			call = trimmed(call.at, open);
		}
	}
	line->name = call;
	return call.length;
}

static const char return_value[] = " return value=";

/* Reads an Enter, which has no returned value: the words can only be in an argument. */
static bool read_enter(struct enter_leave_line *line, const char *at)
{
	const char *result = strstr(at, return_value);

	return read_call(line, at, at + strlen(at)) &&
	       (!result || (line->arguments.at && result > line->arguments.at));
}

/* Returns true if it is a returned value, and not the rest of another line, which has a call. */
static bool is_result(const struct piece *result)
{
	const char *end, *rest;

	if (!result->length)
		return true;
	end = result->at + result->length;
	rest = *result->at == '"' ? skip_quoted(result->at, end) : result->at + 1;
	return !memchr(rest, '(', (size_t)(end - rest));
}

static bool read_leave(struct enter_leave_line *line, const char *at)
{
	const char *end = at + strlen(at), *found = NULL;

	for (const char *next = strstr(at, return_value); next;
	     next = strstr(next + 1, return_value))
		found = next;
	if (found)
		line->result = trimmed(found + sizeof(return_value) - 1, end);
	return is_result(&line->result) && read_call(line, at, found ? found : end);
}

/* Reads the first columns. Returns the rest, or NULL. */
static const char *read_columns(struct enter_leave_line *line, const char *at)
{
	at = scan_seconds(at, &line->time_ns);
	if (!at)
		return NULL;
	at += *at == 's';
	if (!scan_is_blank(*at))
		return NULL;
	at = scan_number(scan_blanks(at), &line->tid);
	return at && line->tid > 0 && scan_is_blank(*at) ? scan_blanks(at) : NULL;
}

static bool enter_leave_line_read(struct enter_leave_line *line, const char *at)
{
	const char *rest;

	at = read_columns(line, at);
	if (!at)
		return false;
	line->result = (struct piece){NULL, 0};
	rest = scan_word(at, "Enter function ");
	line->leave = !rest;
	if (rest)
		return read_enter(line, rest);
	rest = scan_word(at, "Leave function ");
	return rest && read_leave(line, rest);
}

/* Returns true for two lines in one: the newline between them is damaged. */
static bool holds_another(const char *line)
{
	static const char *const words[] = {" Enter function ", " Leave function "};
	int count = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (const char *at = line; (at = strstr(at, words[i])); at++)
			count++;
	return count > 1;
}

/* Returns true for the line with the names of the columns, `length` bytes. */
static bool enter_leave_line_is_head(const char *text, size_t length)
{
	static const char *const words[] = {"#timestamp", "#ThreadId", "#Event"};
	const char *end = text + length;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t word = strlen(words[i]);

		while (text < end && scan_is_blank(*text))
			text++;
		if ((size_t)(end - text) < word || memcmp(text, words[i], word) != 0)
			return false;
		text += word;
	}
	return text == end || scan_is_blank(*text) || *text == '\n' || *text == '\r';
}

/* --- The trace ----------------------------------------------------------------------------- */

/* Returns the place of the argument with this name, or BLOCK_ARGUMENTS if no place is left. */
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

/* Makes the event of a line; LINE_OTHER if there are too many blocks. */
static enum line_kind make_event(struct blocks *blocks, struct event *event,
				 const struct enter_leave_line *line)
{
	int32_t block = blocks_number(blocks, line->name.at, line->name.length);

	if (block == BLOCK_NONE)
		return LINE_OTHER;
	*event = event_new(line->leave ? EVENT_LEAVE : EVENT_ENTER, line->time_ns);
	event->tid = line->tid;
	event->block = (uint32_t)block;
	if (!line->leave)
		read_arguments(blocks, event, line->arguments);
	else if (line->result.at && !enter_leave_number(&event->arguments[0], &line->result))
		event->count = 1;
	return LINE_EVENT;
}

static enum line_kind enter_leave_parse(struct line_reading *reading, struct event *event,
					const char *text, size_t length)
{
	const char *at = scan_blanks(text);
	struct enter_leave_line line;

	(void)length;
	if (!*at || *at == '#')
		return LINE_OTHER;
	return enter_leave_line_read(&line, at) && !holds_another(at)
		       ? make_event(reading->blocks, event, &line)
		       : LINE_MALFORMED;
}

static bool enter_leave_is(const char *bytes, size_t length)
{
	const char *end = memchr(bytes, '\n', length);

	return enter_leave_line_is_head(bytes, end ? (size_t)(end - bytes) : length);
}

static const char *enter_leave_complaint(const struct line_reading *reading)
{
	(void)reading;
	return "holds no line in which a thread enters or leaves a function, as '0.5s 1 Enter "
	       "function work(n=3)'";
}

const struct line_layout enter_leave_line_layout = {
	.is = enter_leave_is,
	.parse = enter_leave_parse,
	.complaint = enter_leave_complaint,
};
