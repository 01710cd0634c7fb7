/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pictures by gnuplot: into a file, as a picture or as the script that draws it, or with
 * characters. gnuplot opens no file and reads no settings of the user; pscal writes the file when
 * the picture is complete.
 *
 * A script is named numbers and texts, blocks of data, and behind them the template that draws
 * them. Untrusted texts are only data to gnuplot, whatever they contain.
 *
 *	script = plot_script_new();
 *	plot_script_number(script, "peak", 96.5);
 *	plot_script_begin(script, "points", "n throughput");
 *	plot_script_row(script, (double[]){1, 64.9}, 2);
 *	plot_script_template(script, template);
 *	return plot_save(script, .8, path, err);
 */
#ifndef PSCAL_REPORT_PLOT_H
#define PSCAL_REPORT_PLOT_H

#include <stddef.h>

struct err;
struct plot_script;
struct report;

/* Returns -1 with an error if no format has the ending of the name. */
int plot_check_path(const char *path, struct err *err);

struct plot_script *plot_script_new(void);

/* Adds "name = value"; NaN and infinity become NaN, which gnuplot leaves out. */
void plot_script_number(struct plot_script *script, const char *name, double value);

/*
 * Adds 'name = "text"'. Each character is shown as it is, or as base/printable replaces it;
 * newlines stay.
 */
void plot_script_text(struct plot_script *script, const char *name, const char *text);

/* The same in lines of at most `width` characters, broken at blanks. */
void plot_script_paragraph(struct plot_script *script, const char *name, const char *text,
			   size_t width);

/* The same for the last part of a path, or its end if it is too long for a title. */
void plot_script_file(struct plot_script *script, const char *name, const char *path);

/* Begins a block of data, $name, of the following rows; `columns` describes them for people. */
void plot_script_begin(struct plot_script *script, const char *name, const char *columns);
void plot_script_row(struct plot_script *script, const double *values, size_t count);

/* Adds commands unchanged. */
void plot_script_template(struct plot_script *script, const char *text);

/*
 * Draws the script, and frees it, into the file `path`, in the format of the ending of its name;
 * .gnuplot and .gp are the script itself. The picture is `height` times as high as it is wide.
 * Returns 0, or -1 with an error.
 */
int plot_save(struct plot_script *script, double height, const char *path, struct err *err);

/*
 * Draws the script, and frees it, with characters into a text report, as large as that may be, up
 * to 160 by 40. Does nothing in other formats. Returns 0, or -1 with an error.
 */
int plot_print(struct report *report, struct plot_script *script, struct err *err);

/* Writes a picture of another program into the file `path`. Returns 0, or -1 with an error. */
int plot_write(const char *path, const char *bytes, size_t size, struct err *err);

#endif
