/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts and bytes, read as the command fit reads a file.
 */
#ifndef PSCAL_TESTS_STATS_SERIES_READING_H
#define PSCAL_TESTS_STATS_SERIES_READING_H

#include <stddef.h>

struct err;
struct series;
struct series_request;

/* Returns 0 or -1. The caller releases the series in both cases. A NULL request has no options. */
int reading_bytes(struct series *series, const void *bytes, size_t length,
		  const struct series_request *request, struct err *err);
int reading_text(struct series *series, const char *text, const struct series_request *request,
		 struct err *err);

#endif
