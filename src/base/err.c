/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"

#include "base/printable.h"

#include <stdarg.h>
#include <string.h>

static const char hint_mark[] = "; ";
enum { MARK_LENGTH = sizeof(hint_mark) - 1 };

/* Returns the last mark of a format; NULL: it has none, or `room` bytes or more before it. */
static const char *find_mark(const char *format, size_t room)
{
	const char *mark = NULL;

	for (const char *at = format; (at = strstr(at, hint_mark)); at += MARK_LENGTH)
		mark = at;
	return mark && (size_t)(mark - format) < room ? mark : NULL;
}

/* Returns the offset of the remedy. Only a mark of the format counts: names may have others. */
static size_t find_hint(const char *format, va_list args)
{
	char before[sizeof(((struct err *)NULL)->text)], ignored[1];
	const char *mark = find_mark(format, sizeof(before));
	int length;

	if (!mark)
		return 0;
	memcpy(before, format, (size_t)(mark - format));
	before[mark - format] = '\0';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* `before` is the beginning of a literal */
	length = vsnprintf(ignored, sizeof(ignored), before, args);
#pragma GCC diagnostic pop
	return length < 0 ? 0 : (size_t)length + MARK_LENGTH;
}

/* Removes a remedy that was cut off. */
static void check_hint(struct err *err)
{
	if (err->hint >= strlen(err->text))
		err->hint = 0;
}

int err_set(struct err *err, const char *format, ...)
{
	va_list args, again;

	va_start(args, format);
	va_copy(again, args);
	err->hint = find_hint(format, again);
	va_end(again);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	check_hint(err);
	return -1;
}

int err_set_sentence(struct err *err, const char *sentence)
{
	const char *mark = find_mark(sentence, sizeof(err->text));

	err_set(err, "%s", sentence);
	err->hint = mark ? (size_t)(mark - sentence) + MARK_LENGTH : 0;
	check_hint(err);
	return -1;
}

int err_wrap(struct err *err, const char *format, ...)
{
	struct err inner = *err;
	size_t used;
	va_list args;

	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", inner.text);
	err->hint = inner.hint ? inner.hint + used + strlen(": ") : 0;
	check_hint(err);
	return -1;
}

void err_say(FILE *out, const char *prefix, const struct err *err)
{
	size_t length = strlen(err->text);

	if (!printable_wraps(out) || !err->hint) {
		printable_say(out, "%s: %s", prefix, err->text);
		return;
	}
	length = err->hint - MARK_LENGTH;
	printable_say(out, "%s: %.*s", prefix, (int)length, err->text);
	printable_say(out, "hint: %s", err->text + err->hint);
}
