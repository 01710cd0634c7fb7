/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/plot_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/output_file.h"
#include "base/io/subprocess.h"
#include "report/report_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * The formats and their terminals of gnuplot. Each terminal sets font_size and dot, a size of
 * points that looks alike in all of them; templates multiply it. Text is shown unchanged, which
 * gnuplot calls noenhanced. `magic` is the beginning of a file.
 */
static const struct format {
	const char *ending, *terminal, *magic;
} formats[] = {
	{"svg",
	 "font_size = 14; dot = 0.6\n"
	 "set terminal svg size 1000,1000*height noenhanced font 'sans-serif,14' background "
	 "'#ffffff'\n",
	 "<?xml"},
	{"png",
	 "font_size = 12; dot = 1\n"
	 "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) {\n"
	 "\tset terminal pngcairo size 1250,1250*height noenhanced font 'Sans,12' fontscale 1.25 "
	 "linewidth 1.25\n"
	 "} else {\n"
	 "\tset terminal png truecolor size 1250,1250*height noenhanced font 'Sans,12'\n"
	 "}\n",
	 "\x89PNG"},
	{"pdf",
	 "font_size = 12; dot = 0.55\n"
	 "set terminal pdfcairo size 7,7*height noenhanced font 'Sans,12'\n",
	 "%PDF"},
};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]), LIMIT_S = 60 };

static const char *ending_of(const char *path)
{
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');

	return dot && dot > slash ? dot + 1 : "";
}

static bool is_script(const char *path)
{
	const char *ending = ending_of(path);

	return strcasecmp(ending, "gnuplot") == 0 || strcasecmp(ending, "gp") == 0;
}

static const struct format *format_of(const char *path)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (strcasecmp(ending_of(path), formats[i].ending) == 0)
			return &formats[i];
	return NULL;
}

int plot_check_path(const char *path, struct err *err)
{
	if (!*path)
		return err_set(err,
			       "the name of the picture is empty; name a .svg, .png or .pdf file");
	if (is_script(path) || format_of(path))
		return 0;
	return err_set(err,
		       "%s: unknown plot format; use .svg, .png or .pdf, or .gnuplot for the "
		       "script that draws it",
		       path);
}

/* --- gnuplot ------------------------------------------------------------------------------- */

/*
 * Sets the error to the last useful line of gnuplot: not empty, not a line with its caret, and not
 * a warning, of which there is one for each character that the locale lacks.
 */
static int set_complaint(struct err *err, const struct subprocess *gnuplot)
{
	char *text = gnuplot->errors, *line;
	const char *last = gnuplot->exit_status < 0 ? "it crashed" : "it gave no reason";

	while ((line = strsep(&text, "\n")))
		if (line[strspn(line, " \t^")] && strncmp(line, "gnuplot>", 8) != 0 &&
		    !strstr(line, "warning:"))
			last = line + strspn(line, " \t");
	return err_set(err, "gnuplot could not draw the plot: %s", last);
}

static int run_gnuplot(struct subprocess *gnuplot, const char *text, struct err *err)
{
	/* -d ignores the user's ~/.gnuplot. */
	static const char *const command[] = {"gnuplot", "-d", "-", NULL};
	int rc = subprocess_run(gnuplot, command, text, strlen(text),
				(struct subprocess_limits){.seconds = LIMIT_S}, err);

	if (gnuplot->missing)
		return err_set(err,
			       "gnuplot, which draws plots, is not installed: install it (Debian: "
			       "apt install gnuplot-nox)");
	return !rc && gnuplot->exit_status != 0 ? set_complaint(err, gnuplot) : rc;
}

static char *with_terminal(const char *terminal, double height, struct plot_script *script)
{
	return xasprintf("set encoding utf8\nheight = %g\n%s%s", height, terminal,
			 plot_script_get(script));
}

/* --- Files --------------------------------------------------------------------------------- */

int plot_write(const char *path, const char *bytes, size_t size, struct err *err)
{
	static const struct output_kind kind = {
		.mode = 0666, .keeps_mode = true, .keeps = report_keeps};
	struct output_file file;
	struct err ignored;
	size_t written;
	int rc;

	if (output_file_open(&file, path, &kind, err))
		return -1;
	rc = output_file_write(&file, bytes, size, &written, err);
	if (!rc)
		rc = output_file_publish(&file, OUTPUT_REPLACES, err);
	return output_file_close(&file, rc ? &ignored : err) ? -1 : rc;
}

static int save_script(struct plot_script *script, double height, const char *path, struct err *err)
{
	char *drawn = with_terminal(formats[0].terminal, height, script);
	char *text = xasprintf("# `gnuplot FILE >picture.svg` draws this; for other formats change "
			       "the terminal.\n%s",
			       drawn);
	int rc = plot_write(path, text, strlen(text), err);

	free(text);
	free(drawn);
	return rc;
}

static int save_picture(struct plot_script *script, double height, const struct format *format,
			const char *path, struct err *err)
{
	char *text = with_terminal(format->terminal, height, script);
	struct subprocess gnuplot;
	int rc = run_gnuplot(&gnuplot, text, err);

	if (!rc && strncmp(gnuplot.output, format->magic, strlen(format->magic)) != 0)
		rc = set_complaint(err, &gnuplot);
	if (!rc)
		rc = plot_write(path, gnuplot.output, gnuplot.output_size, err);
	subprocess_release(&gnuplot);
	free(text);
	return rc;
}

int plot_save(struct plot_script *script, double height, const char *path, struct err *err)
{
	const struct format *format = format_of(path);
	int rc;

	if (is_script(path))
		rc = save_script(script, height, path, err);
	else
		rc = format ? save_picture(script, height, format, path, err)
			    : plot_check_path(path, err);
	plot_script_free(script);
	return rc;
}

/* --- Characters ---------------------------------------------------------------------------- */

char *plot_with_characters(struct plot_script *script, int columns, int rows, struct err *err)
{
	char *terminal =
		xasprintf("set terminal dumb nofeed size %d,%d noenhanced mono\n", columns, rows);
	char *text = with_terminal(terminal, 1, script), *drawing = NULL;
	struct subprocess gnuplot;

	if (!run_gnuplot(&gnuplot, text, err)) {
		if (gnuplot.output[strspn(gnuplot.output, " \n")])
			drawing = xstrdup(gnuplot.output);
		else
			set_complaint(err, &gnuplot);
	}
	subprocess_release(&gnuplot);
	free(text);
	free(terminal);
	return drawing;
}

/* Limits the size: a smaller drawing shows nothing, and a larger one is hard to read. */
static int bounded(int size, int least, int most)
{
	return size < least ? least : size > most ? most : size;
}

/* Removes blanks that gnuplot adds to fill the width, and empty lines. */
static char *without_blanks(char *drawing)
{
	char *lines = xcalloc(strlen(drawing) + 2, 1), *end = lines;

	for (char *line; (line = strsep(&drawing, "\f\n"));) {
		size_t length = strlen(line);

		while (length && line[length - 1] == ' ')
			length--;
		if (!length)
			continue;
		memcpy(end, line, length);
		end += length;
		*end++ = '\n';
	}
	return lines;
}

int plot_print(struct report *report, struct plot_script *script, struct err *err)
{
	char *drawing = NULL, *lines;
	int columns, rows;
	bool is_text = report_shows(report, REPORT_TEXT);

	if (is_text) {
		report_size(report, &columns, &rows);
		drawing = plot_with_characters(script, bounded(columns, 40, 160),
					       bounded(rows - 1, 12, 40), err);
	}
	plot_script_free(script);
	if (!drawing)
		return is_text ? -1 : 0;
	lines = without_blanks(drawing);
	report_drawing(report, lines);
	free(lines);
	free(drawing);
	return 0;
}
