/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Draws a script with gnuplot: into a file, as a picture or as the script itself, or with
 * characters.
 *
 * gnuplot opens no file and reads no settings of the user; a file is written here, and only when
 * the whole picture is there.
 */
#ifndef PSCAL_REPORT_PLOT_H
#define PSCAL_REPORT_PLOT_H

#include "report/plot_script.h"

struct err;
struct report;

/* Returns -1 with a sentence where no format has the ending of the name. */
int plot_check_path(const char *path, struct err *err);

/*
 * Draws the script into the file `path`, in the format that the ending of its name tells; .gnuplot
 * and .gp are the script. The picture is `height` times as high as it is wide. Returns 0, or -1
 * with a sentence.
 */
int plot_save(struct plot_script *script, double height, const char *path, struct err *err);

/* Writes a picture of another program into the file `path`. Returns 0, or -1 with a sentence. */
int plot_write(const char *path, const char *bytes, size_t size, struct err *err);

/* The drawing in lines of `columns` characters. NULL with a sentence. The caller frees. */
char *plot_with_characters(struct plot_script *script, int columns, int rows, struct err *err);

/*
 * The drawing with characters in a report that is text, as large as the report may be, up to 160 by
 * 40; a report in another format passes over it. Returns 0, or -1 with a sentence.
 */
int plot_print(struct report *report, struct plot_script *script, struct err *err);

#endif
