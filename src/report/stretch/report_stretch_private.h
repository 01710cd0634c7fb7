/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words and rows that the tables and the sentences of the report share. */
#ifndef PSCAL_REPORT_STRETCH_REPORT_STRETCH_PRIVATE_H
#define PSCAL_REPORT_STRETCH_REPORT_STRETCH_PRIVATE_H

#include "report/stretch/report_stretch.h"

/* --- report_stretch.c --- */

/*
 * Returns "matmul", "memcpy (libc.so.6)", "liblzma.so.5 (no symbols)", "level 3"; the caller frees
 * it.
 */
char *stretch_view_name(const struct stretch_row *row);

/* Return the last column, which is shown if only one fits, and the cell of a row in it. */
const struct stretch_column *stretch_view_last(const struct stretch_view *view);
const struct stretch_cell *stretch_view_cell(const struct stretch_view *view,
					     const struct stretch_row *row);

/* Sets the shown rows, which the caller frees, and the verdict. */
void stretch_view_choose(struct stretch_view *view);

/* Returns "3 functions", "1 segment": a number of rows. The caller frees it. */
char *stretch_view_count(const struct stretch_view *view, size_t count);

/* --- stretch_notes.c --- */

/* Adds the verdict and the alerts. */
void stretch_say_verdict(struct report *report, const struct stretch_view *view);

/* Adds sentences on the limits of the numbers, and the next step. */
void stretch_notes(struct report *report, const struct stretch_view *view);

#endif
