/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/plot_private.h"

#include "base/alloc.h"
#include "base/printable.h"

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
	bool in_block; /* in a block of data */
};

struct plot_script *plot_script_new(void)
{
	struct plot_script *script = xcalloc(1, sizeof(*script));

	script->out = open_memstream(&script->text, &script->size);
	if (!script->out)
		abort(); /* out of memory, which base/alloc has not noticed */
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

/* Ends a block of data, before anything else follows. */
static void end_block(struct plot_script *script)
{
	if (script->in_block)
		fputs("END\n", script->out);
	script->in_block = false;
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
	end_block(script);
	fprintf(script->out, "%s = ", name);
	put_number(script, value);
	fputc('\n', script->out);
}

/* --- Text ---------------------------------------------------------------------------------- */

/* Returns whether the character has no special meaning in a string to any pass of gnuplot. */
static bool is_plain(char character)
{
	return isalnum((unsigned char)character) || strchr(" _-.,:;()/+=<>%", character);
}

/*
 * Writes a character as an octal escape. A digit that follows would become part of the escape: then
 * the string is closed, and another one is appended.
 */
static void put_escaped(struct plot_script *script, char character, char next)
{
	fprintf(script->out, "\\%03o%s", (unsigned)(unsigned char)character,
		isdigit((unsigned char)next) ? "\".\"" : "");
}

/*
 * Writes a string without quotes, backquotes and @. gnuplot searches a line for macros (@), for
 * commands between backquotes and for strings, and each of these passes finds quotes in another
 * way. So a string has none of these characters.
 */
static void put_line(struct plot_script *script, const char *line, size_t length)
{
	char *text = printable(PRINTABLE_TEXT, line, length);

	for (const char *at = text; *at; at++) {
		if ((unsigned char)*at < 0x80 && !is_plain(*at))
			put_escaped(script, *at, at[1]);
		else
			fputc(*at, script->out);
	}
	free(text);
}

static void put_text(struct plot_script *script, const char *text)
{
	fputc('"', script->out);
	for (size_t length; *text; text += length) {
		length = strcspn(text, "\n");
		put_line(script, text, length);
		if (text[length])
			put_escaped(script, '\n', text[++length]);
	}
	fputs("\"\n", script->out);
}

void plot_script_text(struct plot_script *script, const char *name, const char *text)
{
	end_block(script);
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
	end_block(script);
	script->in_block = true;
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

void plot_script_template(struct plot_script *script, const char *text)
{
	end_block(script);
	fputs(text, script->out);
}

const char *plot_script_get(struct plot_script *script)
{
	end_block(script);
	fflush(script->out);
	return script->text;
}
