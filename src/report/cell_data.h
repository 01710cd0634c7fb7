/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values as programs read them: unrounded, in JSON and in CSV, and always valid there whatever names
 * are in them.
 */
#ifndef PSCAL_REPORT_CELL_DATA_H
#define PSCAL_REPORT_CELL_DATA_H

#include <jansson.h>
#include <stdio.h>

#include "report/report.h"

json_t *cell_json(const struct cell *cell);
void cell_json_set(json_t *object, const char *key, const struct cell *cell);

/* Prints it on one line, with nothing in it that a terminal obeys, and frees it. */
void cell_json_put(FILE *out, json_t *value);

/* As RFC 4180 has them. */
void cell_csv_put(FILE *out, const struct cell *cell);
void cell_csv_text(FILE *out, const char *text);

#endif
