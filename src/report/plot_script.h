/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A gnuplot script: numbers and texts under names, blocks of data, and behind them the template
 * that draws them. What it says of others' data is data to gnuplot too, whatever a file is called.
 *
 *	script = plot_script_new();
 *	plot_script_number(script, "peak", 96.5);
 *	plot_script_begin(script, "points", "n throughput");
 *	plot_script_row(script, (double[]){1, 64.9}, 2);
 *	plot_script_end(script);
 *	plot_script_template(script, template);
 */
#ifndef PSCAL_REPORT_PLOT_SCRIPT_H
#define PSCAL_REPORT_PLOT_SCRIPT_H

#include <stddef.h>

struct plot_script;

struct plot_script *plot_script_new(void);
void plot_script_free(struct plot_script *script);

/* name = value; NaN and infinity are NaN, which gnuplot leaves out. */
void plot_script_number(struct plot_script *script, const char *name, double value);

/*
 * name = "text", each character of which is shown as it is, or as base/printable says; newlines stay.
 */
void plot_script_text(struct plot_script *script, const char *name, const char *text);

/* The same in lines of `width` characters at most, broken at blanks. */
void plot_script_paragraph(struct plot_script *script, const char *name, const char *text,
			   size_t width);

/* The same of a path: its last part, and of one that is too long for a title its end. */
void plot_script_file(struct plot_script *script, const char *name, const char *path);

/* A block of data, $name; `columns` says what is in it, to people. */
void plot_script_begin(struct plot_script *script, const char *name, const char *columns);
void plot_script_row(struct plot_script *script, const double *values, size_t count);
void plot_script_end(struct plot_script *script);

/* Commands, as they are. */
void plot_script_template(struct plot_script *script, const char *text);

/* All of it so far. Borrowed until something is added. */
const char *plot_script_get(struct plot_script *script);

#endif
