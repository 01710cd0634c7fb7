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

/* Where P x T went, as rows have it. */
enum stretch_part {
	STRETCH_SERIAL_WORK,
	STRETCH_STRETCH,
	STRETCH_OVERHEADS,
	STRETCH_DELAY,
	STRETCH_NO_WORK,
	STRETCH_PARTS
};

/* "serial work", ... */
const char *stretch_part_name(enum stretch_part part);

/* Seconds; all NAN where the loss is not known. */
void stretch_view_loss(double seconds[STRETCH_PARTS], const struct stretch_view *view,
		       const struct stretch_column *column);

/* --- stretch_notes.c --- */

/* Where the time of the cores went, and which block is stretched most, in a few sentences. */
void stretch_note_verdict(struct report *report, const struct stretch_view *view);

/* Sentences on the limits of the numbers. */
void stretch_notes(struct report *report, const struct stretch_view *view);

#endif
