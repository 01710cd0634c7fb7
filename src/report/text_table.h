/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables for people: aligned by libsmartcols, or streamed in columns of fixed width. */
#ifndef PSCAL_REPORT_TEXT_TABLE_H
#define PSCAL_REPORT_TEXT_TABLE_H

#include <stdio.h>

#include "report/report.h"

struct text_table;

/* `table` must outlive what is returned. */
struct text_table *text_table_new(const struct table *table, FILE *out);
void text_table_row(struct text_table *text, const struct cell *cells);
/* Prints what is not printed yet and frees. */
void text_table_end(struct text_table *text);

#endif
