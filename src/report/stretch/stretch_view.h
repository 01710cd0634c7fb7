/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of a comparison of serial with parallel runs that are reported, and their words. */
#ifndef PSCAL_REPORT_STRETCH_STRETCH_VIEW_H
#define PSCAL_REPORT_STRETCH_STRETCH_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "stats/stretch/stretch.h"

/* All is borrowed but what stretch_view_init makes. */
struct stretch_view {
	const struct stretch *stretch;
	const char *const *paths;	  /* of the recordings */
	double min_share;		  /* rows with less on all sides are left out */
	size_t limit;			  /* and so are those after so many */
	const struct sampled_loss *parts; /* of the last column over time; or NULL */
	size_t part_count;
	const size_t *shown; /* counters of the base that text has of each block */
	size_t shown_count;
	/* Made: */
	const struct stretch_row **rows; /* that are shown */
	size_t row_count;
	size_t below, beyond; /* left out by the share, and by the limit */
};

/* Chooses the rows. To be released. */
void stretch_view_init(struct stretch_view *view);
void stretch_view_release(struct stretch_view *view);

/* "matmul", "memcpy (libc.so.6)", "liblzma.so.5 (no symbols)", "level 3"; to be freed. */
char *stretch_view_name(const struct stretch_row *row);

/* "triad.c:12", "fib.c:12-20", to be freed; NULL: not known. */
char *stretch_view_place(const struct stretch_row *row);

/* Of tasks, how often a block was run in a run of the column, on average. */
int64_t stretch_view_times(const struct stretch_view *view, const struct stretch_row *row,
			   size_t column);

/* The last column, which is what is told where there is room for one only. */
const struct stretch_column *stretch_view_last(const struct stretch_view *view);
const struct stretch_cell *stretch_view_cell(const struct stretch_view *view,
					     const struct stretch_row *row);

/* How many counters there are of each block. */
size_t stretch_view_counters(const struct stretch_view *view);

/* "function", ... as it is typed. */
const char *stretch_by_name(enum stretch_by by);

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

/*
 * Where the time of the cores went, and which block is stretched most, in a few sentences. To be
 * freed.
 */
char *stretch_view_verdict(const struct stretch_view *view);

#endif
