/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/plot_script.h"

#include "base/alloc.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plot_script {
	FILE *out;
	char *text;
	size_t size;
};

struct plot_script *plot_script_new(void)
{
	struct plot_script *script = xcalloc(1, sizeof(*script));

	script->out = open_memstream(&script->text, &script->size);
	if (!script->out)
		abort(); /* there is no memory, and base/alloc has not noticed */
	return script;
}

void plot_script_free(struct plot_script *script)
{
	if (!script)
		return;
	fclose(script->out);
	free(script->text);
	free(script);
}

static void put_number(struct plot_script *script, double value)
{
	if (isfinite(value))
		fprintf(script->out, "%.10g", value);
	else
		fputs("NaN", script->out);
}

void plot_script_number(struct plot_script *script, const char *name, double value)
{
	fprintf(script->out, "%s = ", name);
	put_number(script, value);
	fputc('\n', script->out);
}

/* --- Text ---------------------------------------------------------------------------------- */

/*
 * The length of the character that `text` begins with, 0 if it is none: what the Unicode Standard
 * calls well-formed (table 3-7), less control characters.
 */
static size_t character_length(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf;
	size_t length = byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;

	if (byte[0] < 0x80)
		return byte[0] >= 0x20 && byte[0] != 0x7f;
	if (byte[0] < 0xc2 || byte[0] > 0xf4)
		return 0;
	if (byte[0] == 0xc2 || byte[0] == 0xe0) /* C1 controls; overlong */
		low = 0xa0;
	if (byte[0] == 0xf0)
		low = 0x90;
	if (byte[0] == 0xed) /* surrogates */
		high = 0x9f;
	if (byte[0] == 0xf4)
		high = 0x8f;
	for (size_t i = 1; i < length; i++) {
		if (byte[i] < low || byte[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

/* What means nothing in a string, to whatever pass of gnuplot. */
static bool is_plain(char character)
{
	return isalnum((unsigned char)character) || strchr(" _-.,:;()/+=<>%", character);
}

/*
 * As a number. A digit that follows would be taken for one of its digits: such a string is put
 * together from two.
 */
static void put_escaped(struct plot_script *script, char character, char next)
{
	fprintf(script->out, "\\%03o%s", (unsigned)character,
		isdigit((unsigned char)next) ? "\".\"" : "");
}

/*
 * gnuplot goes over a line for macros (@), for commands between backquotes and for strings, each
 * time with a view of its own of where quotes are. So none is in a string but those around it.
 */
static void put_text(struct plot_script *script, const char *text)
{
	fputc('"', script->out);
	while (*text) {
		size_t length = character_length(text);

		if (*text == '\n' || (length == 1 && !is_plain(*text)))
			put_escaped(script, *text, text[1]);
		else if (length)
			fwrite(text, 1, length, script->out);
		else
			put_escaped(script, '?', text[1]);
		text += length ? length : 1;
	}
	fputs("\"\n", script->out);
}

void plot_script_text(struct plot_script *script, const char *name, const char *text)
{
	fprintf(script->out, "%s = ", name);
	put_text(script, text);
}

static bool begins_character(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

void plot_script_paragraph(struct plot_script *script, const char *name, const char *text,
			   size_t width)
{
	char *copy = xstrdup(text), *blank = NULL;
	size_t column = 0, since_blank = 0;

	for (char *at = copy; *at; at++) {
		column += begins_character(*at);
		since_blank += begins_character(*at);
		if (*at == ' ') {
			blank = at;
			since_blank = 0;
		}
		if (column > width && blank) {
			*blank = '\n';
			blank = NULL;
			column = since_blank;
		}
	}
	plot_script_text(script, name, copy);
	free(copy);
}

void plot_script_file(struct plot_script *script, const char *name, const char *path)
{
	enum { LONGEST = 60 };
	const char *slash = strrchr(path, '/'), *end;
	char *shortened = NULL;

	path = slash && slash[1] ? slash + 1 : path;
	if (strlen(path) > LONGEST) {
		for (end = path + strlen(path) - LONGEST; !begins_character(*end);)
			end++;
		shortened = xasprintf("…%s", end);
	}
	plot_script_text(script, name, shortened ? shortened : path);
	free(shortened);
}

/* --- Data ---------------------------------------------------------------------------------- */

void plot_script_begin(struct plot_script *script, const char *name, const char *columns)
{
	fprintf(script->out, "$%s << END\n# %s\n", name, columns);
}

void plot_script_row(struct plot_script *script, const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc(' ', script->out);
		put_number(script, values[i]);
	}
	fputc('\n', script->out);
}

void plot_script_end(struct plot_script *script)
{
	fputs("END\n", script->out);
}

void plot_script_template(struct plot_script *script, const char *text)
{
	fputs(text, script->out);
}

const char *plot_script_get(struct plot_script *script)
{
	fflush(script->out);
	return script->text;
}
