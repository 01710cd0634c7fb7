/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports inside a larger document, and values for the rest of that document. */
#ifndef PSCAL_REPORT_REPORT_EMBED_H
#define PSCAL_REPORT_REPORT_EMBED_H

#include <stdio.h>

#include "report/report.h"

/* Like report_open(), but into `out`, which the caller closes after report_finish(). */
struct report *report_into(FILE *out, enum report_format format);

/* Writes a row as a JSON object with a member for each column. */
void report_put_object(FILE *out, const struct column *columns, size_t count, const void *row);

/* Writes a JSON string in quotes: UTF-8, with U+FFFD for invalid bytes. */
void report_put_json(FILE *out, const char *text);

/* Writes a JSON number; null if not finite. */
void report_put_number(FILE *out, double number);

/*
 * Writes text of an HTML element or attribute; a character that is not printable (printable.h) is
 * "\x1b".
 */
void report_put_html(FILE *out, const char *text);

#endif
