/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words and rows that the tables and the sentences of the report share. */
#ifndef PSCAL_REPORT_STRETCH_REPORT_STRETCH_PRIVATE_H
#define PSCAL_REPORT_STRETCH_REPORT_STRETCH_PRIVATE_H

#include "report/stretch/report_stretch.h"

/* --- report_stretch.c --- */

/* "matmul", "memcpy (libc.so.6)", "liblzma.so.5 (no symbols)", "level 3"; to be freed. */
char *stretch_view_name(const struct stretch_row *row);

/* The last column, which is what is told where there is room for one only. */
const struct stretch_column *stretch_view_last(const struct stretch_view *view);
const struct stretch_cell *stretch_view_cell(const struct stretch_view *view,
					     const struct stretch_row *row);

/* The rows that are shown, to be freed, and the verdict. */
void stretch_view_choose(struct stretch_view *view);

/* "3 functions", "1 task segment": rows by what the comparison is by. To be freed. */
char *stretch_view_count(const struct stretch_view *view, size_t count);

/* --- stretch_notes.c --- */

/* The verdict, and what changes its meaning. */
void stretch_say_verdict(struct report *report, const struct stretch_view *view);

/* Sentences on the limits of the numbers, and the next step. */
void stretch_notes(struct report *report, const struct stretch_view *view);

#endif
