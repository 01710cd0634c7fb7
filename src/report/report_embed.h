/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports inside a larger document, and values for the rest of that document. */
#ifndef PSCAL_REPORT_REPORT_EMBED_H
#define PSCAL_REPORT_REPORT_EMBED_H

#include <stdio.h>

#include "report/report.h"

/* As report_open() into `out`, which the caller closes behind report_finish(). */
struct report *report_into(FILE *out, enum report_format format);

/* A row as an object of JSON, with the members that the columns say. */
void report_put_object(FILE *out, const struct column *columns, size_t count, const void *row);

/* A string of JSON, in quotes: UTF-8, with U+FFFD for bytes that are none. */
void report_put_json(FILE *out, const char *text);

/* A number of JSON; what is not finite is null. */
void report_put_number(FILE *out, double number);

/* Text of an element or an attribute of HTML; what is not shown as it is (printable.h) is "\x1b". */
void report_put_html(FILE *out, const char *text);

#endif
