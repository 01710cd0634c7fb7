/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/enter_leave_line.h"

#include "base/parse.h"
#include "decode/event/scan.h"

#include <stdlib.h>

/* --- Arguments ----------------------------------------------------------------------------- */

static struct piece trimmed(const char *begin, const char *end)
{
	while (begin < end && scan_is_blank(*begin))
		begin++;
	while (end > begin && scan_is_blank(end[-1]))
		end--;
	return (struct piece){begin, (size_t)(end - begin)};
}

/* Behind the closing quotation mark of a text that begins at `at`; `end` if it has none. */
static const char *skip_quoted(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\' && at + 1 < end)
			at++;
	return at < end ? at + 1 : end;
}

/* Where the argument that begins at `at` ends: at a comma that is in no parentheses. */
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

int enter_leave_argument(struct argument *argument, struct piece *arguments)
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

/* Are there only arguments in it, or nothing? */
static bool are_arguments(struct piece piece)
{
	struct argument argument;
	int rc;

	while ((rc = enter_leave_argument(&argument, &piece)) > 0)
		;
	return rc == 0;
}

int enter_leave_number(double *number, const struct piece *value)
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

/* Back to the quotation mark that opens the text which ends before `at`. */
static const char *back_over_quoted(const char *at, const char *begin)
{
	for (at--; at > begin; at--)
		if (at[-1] == '"' && (at - 1 == begin || at[-2] != '\\'))
			return at - 1;
	return begin;
}

/* The parenthesis that the one before `end` closes; NULL: none does. */
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

/* `NAME(ARGUMENTS)`: see the head of enter_leave_source.h. */
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

static bool read_leave(struct enter_leave_line *line, const char *at)
{
	static const char word[] = " return value=";
	const char *end = at + strlen(at), *found = NULL;

	for (const char *next = strstr(at, word); next; next = strstr(next + 1, word))
		found = next;
	if (found)
		line->result = trimmed(found + sizeof(word) - 1, end);
	return read_call(line, at, found ? found : end);
}

/* The first columns. Returns what follows, or NULL. */
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

int enter_leave_line_parse(struct enter_leave_line *line, const char *text)
{
	const char *at = scan_blanks(text), *rest;

	if (!*at || *at == '#')
		return 0;
	at = read_columns(line, at);
	if (!at)
		return -1;
	line->result = (struct piece){NULL, 0};
	rest = scan_word(at, "Enter function ");
	line->leave = !rest;
	if (rest)
		return read_call(line, rest, rest + strlen(rest)) ? 1 : -1;
	rest = scan_word(at, "Leave function ");
	return rest && read_leave(line, rest) ? 1 : -1;
}

bool enter_leave_line_is_head(const char *text, size_t length)
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
