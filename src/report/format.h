/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values as people read them: with a unit, and short. */
#ifndef PSCAL_REPORT_FORMAT_H
#define PSCAL_REPORT_FORMAT_H

#include <stddef.h>

#include "report/report.h"

enum { FORMAT_BAR_WIDTH = 30 };

/* Writes `cell` as text into `out` and returns `out`. What does not exist is "-". */
const char *format_cell(char *out, size_t size, const struct cell *cell, enum unit unit);

#endif
