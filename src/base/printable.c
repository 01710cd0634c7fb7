/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/printable.h"

#include "base/alloc.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

/* Braces alone are no brace expansion: that needs a comma or two dots. */
static bool is_plain(const char *word)
{
	if (strchr(word, '{') && (strchr(word, ',') || strstr(word, "..")))
		return false;
	for (; *word; word++)
		if (!isalnum((unsigned char)*word) && !strchr("_@%+=:,./-{}", *word))
			return false;
	return true;
}

static void put_dollar_quoted(FILE *out, const char *word)
{
	fputs("$'", out);
	for (size_t length = strlen(word), bytes; length; word += bytes, length -= bytes) {
		bytes = printable_character(word, length);
		if (!bytes)
			fprintf(out, "\\%03o", (unsigned)(unsigned char)*word);
		else
			fprintf(out, strchr("'\\", *word) ? "\\%.*s" : "%.*s", (int)bytes, word);
		bytes += !bytes;
	}
	putc('\'', out);
}

static void put_quoted(FILE *out, const char *word)
{
	putc('\'', out);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (const char[]){*word, '\0'}, out);
	putc('\'', out);
}

char *shell_quote(const char *const *words)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return xstrdup("");
	for (size_t i = 0; words[i]; i++) {
		if (i)
			putc(' ', out);
		if (!printable_is(PRINTABLE_DATA, words[i], PRINTABLE_WHOLE))
			put_dollar_quoted(out, words[i]);
		else if (*words[i] && is_plain(words[i]))
			fputs(words[i], out);
		else
			put_quoted(out, words[i]);
	}
	fclose(out);
	return text;
}

/* Returns the length of the character that begins with this byte, and its bits in the byte. */
static size_t begin_character(uint32_t *code, unsigned char byte)
{
	if (byte < 0x80) {
		*code = byte;
		return 1;
	}
	if (byte < 0xc2 || byte > 0xf4)
		return 0;
	*code = byte < 0xe0 ? byte & 0x1fu : byte < 0xf0 ? byte & 0xfu : byte & 7u;
	return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/*
 * UTF-8 is well-formed as in table 3-7 of the Unicode Standard: the shortest form, no surrogates.
 */
size_t printable_decode(uint32_t *code, const char *text, size_t length)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t got;
	size_t bytes = length ? begin_character(&got, (unsigned char)*text) : 0;

	if (!bytes)
		return 0;
	for (size_t i = 1; i < bytes; i++) {
		if (i >= length || ((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
		got = got << 6 | ((unsigned char)text[i] & 0x3fu);
	}
	if (got < least[bytes] || got > 0x10ffff || (got >= 0xd800 && got <= 0xdfff))
		return 0;
	if (code)
		*code = got;
	return bytes;
}

static bool is_shown(uint32_t code)
{
	static const struct {
		uint32_t from, to;
	} hidden[] = {{0, 0x1f},	{0x7f, 0x9f},	  {0x61c, 0x61c},
		      {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (code >= hidden[i].from && code <= hidden[i].to)
			return false;
	return true;
}

size_t printable_character(const char *text, size_t length)
{
	uint32_t code;
	size_t bytes = printable_decode(&code, text, length);

	return bytes && is_shown(code) ? bytes : 0;
}

/* --- One character ------------------------------------------------------------------------- */

enum { LONGEST = 4 * 4 + 1 }; /* "\xNN" for each byte of a character */

/* Returns whether the first character of `text` stays as it is; it has `bytes` bytes. */
static bool stays(enum printable_as as, const char *text, size_t length, size_t bytes)
{
	switch (as) {
	case PRINTABLE_TEXT:
		return printable_character(text, length) &&
		       !(length > 1 && text[0] == '\\' && text[1] == 'x');
	case PRINTABLE_LINES:
		return *text == '\n' || *text == '\t' || printable_character(text, length);
	case PRINTABLE_UTF8:
		return bytes;
	case PRINTABLE_DATA:
		break;
	}
	return printable_character(text, length);
}

/* Converts the first character of `text` for display in `out`. Returns its bytes in `text`. */
static size_t take_character(char out[LONGEST], enum printable_as as, const char *text,
			     size_t length)
{
	size_t bytes = printable_decode(NULL, text, length), used = 0;
	bool same = stays(as, text, length, bytes);

	bytes += !bytes;
	if (same)
		snprintf(out, LONGEST, "%.*s", (int)bytes, text);
	else if (as != PRINTABLE_TEXT)
		snprintf(out, LONGEST, "\xef\xbf\xbd");
	for (size_t i = 0; !same && as == PRINTABLE_TEXT && i < bytes; i++)
		used += (size_t)snprintf(out + used, LONGEST - used, "\\x%02x",
					 (unsigned)(unsigned char)text[i]);
	return bytes;
}

/*
 * Returns whether no byte of the eight is a control character, a backslash or beyond ASCII. A carry
 * from one byte to the next happens only where the answer is no already.
 */
static bool are_plain(const char eight[8])
{
	const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
	uint64_t bytes, apart;

	memcpy(&bytes, eight, sizeof(bytes));
	apart = bytes ^ ones * '\\';
	return !((bytes | (bytes + ones) | (bytes - ones * ' ') | ((apart - ones) & ~apart)) &
		 highs);
}

/*
 * Returns the number of bytes that are the same in all formats. Most names consist of such bytes.
 */
static size_t plain_length(const char *text, size_t length)
{
	size_t plain = 0;

	while (length - plain >= 8 && are_plain(text + plain))
		plain += 8;
	while (plain < length && text[plain] >= ' ' && text[plain] < 0x7f && text[plain] != '\\')
		plain++;
	return plain;
}

static size_t whole(const char *text, size_t length)
{
	return length == PRINTABLE_WHOLE ? strlen(text) : length;
}

bool printable_is(enum printable_as as, const char *text, size_t length)
{
	size_t bytes = 0;

	for (length = whole(text, length); length; text += bytes, length -= bytes) {
		bytes = plain_length(text, length);
		if (bytes)
			continue;
		bytes = printable_decode(NULL, text, length);
		if (!stays(as, text, length, bytes))
			return false;
	}
	return true;
}

/* --- Texts ---------------------------------------------------------------------------------- */

static void put_characters(FILE *out, enum printable_as as, const char *text, size_t length)
{
	char shown[LONGEST];

	while (length) {
		size_t bytes = take_character(shown, as, text, length);

		fputs(shown, out);
		text += bytes;
		length -= bytes;
	}
}

char *printable(enum printable_as as, const char *text, size_t length)
{
	char *shown = NULL;
	size_t size;
	FILE *out;

	length = whole(text, length);
	if (printable_is(as, text, length))
		return xasprintf("%.*s", (int)length, text);
	out = open_memstream(&shown, &size);
	if (!out)
		return xstrdup("");
	put_characters(out, as, text, length);
	fclose(out);
	return shown;
}

char *printable_copy(char *out, size_t size, enum printable_as as, const char *text)
{
	size_t length = strlen(text), used = plain_length(text, length);
	char shown[LONGEST];

	used = used < size ? used : size - !!size;
	memcpy(out, text, used);
	text += used;
	length -= used;
	while (length) {
		size_t bytes = take_character(shown, as, text, length), more = strlen(shown);

		if (used + more >= size)
			break;
		memcpy(out + used, shown, more);
		used += more;
		text += bytes;
		length -= bytes;
	}
	if (size)
		out[used] = '\0';
	return out;
}

void printable_put(FILE *out, enum printable_as as, const char *text)
{
	size_t length = strlen(text);

	if (printable_is(as, text, length))
		fputs(text, out);
	else
		put_characters(out, as, text, length);
}

/* Returns the columns of the terminal that `out` writes to; 0: it is no terminal. */
static size_t terminal_columns(FILE *out)
{
	struct winsize size;

	return ioctl(fileno(out), TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

bool printable_wraps(FILE *out)
{
	return terminal_columns(out) > 0;
}

/* Returns the bytes of the first word. A text in quotes is one word, so that it can be copied. */
static size_t word_length(const char *text, size_t longest)
{
	size_t length = strcspn(text, " ");
	const char *end = *text == '\'' ? strchr(text + 1, '\'') : NULL;

	if (end && (size_t)(end - text) < longest)
		length = (size_t)(end - text) + strcspn(end, " ");
	return length;
}

enum { INDENT = 2, NARROWEST = 20 };

/* Replaces a blank by a newline and blanks wherever a line is full. The caller frees the result. */
static char *wrap(const char *text, size_t columns)
{
	char *out = xcalloc(strlen(text) + 1, INDENT + 1), *end = out;
	size_t used = 0;

	columns = columns < NARROWEST ? NARROWEST : columns;
	while (*text) {
		size_t length = word_length(text, columns / 2), shown;

		memcpy(end, text, length);
		end[length] = '\0';
		shown = printable_length(end);
		if (used && used + 1 + shown > columns) {
			memmove(end + INDENT, end, length + 1);
			memset(end, ' ', INDENT);
			end[-1] = '\n';
			end += INDENT;
			used = INDENT;
		} else {
			used += used > 0;
		}
		end += length;
		used += shown;
		text += length;
		if (*text == ' ')
			*end++ = *text++;
	}
	*end = '\0';
	return out;
}

void printable_say(FILE *out, const char *format, ...)
{
	char *sentence = NULL, *shown;
	size_t columns;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&sentence, format, args);
	va_end(args);
	if (length < 0)
		return;
	shown = printable(PRINTABLE_TEXT, sentence, (size_t)length);
	columns = terminal_columns(out);
	if (columns) {
		free(sentence);
		sentence = shown;
		shown = wrap(sentence, columns);
	}
	fprintf(out, "%s\n", shown); /* in one piece, as others write there too */
	free(shown);
	free(sentence);
}

char *printable_mend(char *text)
{
	size_t length = strlen(text), bytes;

	for (char *at = text; length; at += bytes, length -= bytes) {
		bytes = printable_character(at, length);
		if (!bytes) {
			*at = '?';
			bytes = 1;
		}
	}
	return text;
}

size_t printable_length(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}
