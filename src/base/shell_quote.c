/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/shell_quote.h"

#include "base/alloc.h"
#include "base/printable.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Braces alone are no brace expansion: that needs a comma or two dots. */
static bool is_plain(const char *word)
{
	if (strchr(word, '{') && strstr(word, ".."))
		return false;
	for (; *word; word++)
		if (!isalnum((unsigned char)*word) && !strchr("_@%+=:./-{}", *word))
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
