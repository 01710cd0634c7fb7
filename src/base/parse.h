/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole strings to numbers: "12x", "", " 12" and what does not fit are refused, never half read.
 */
#ifndef PSCAL_BASE_PARSE_H
#define PSCAL_BASE_PARSE_H

#include <stddef.h>
#include <stdint.h>

struct err;

/* A finite number in C notation with a decimal point, whatever the locale. 0 or -1. */
int parse_double(double *value, const char *text);

/* "0.5" or "50%". 0 or -1. */
int parse_share(double *share, const char *text);

/* Decimal digits only, at most `max`. 0 or -1. */
int parse_u64(uint64_t *value, const char *text, uint64_t max);

/* A number of seconds: "2", "0.5", "250ms", "10us", "5m" or "5min", "1h". Returns 0, or -1 with a sentence. */
int parse_seconds(double *seconds, const char *text, struct err *err);

/*
 * A number of bytes: "4096", "500M", "1.5G"; K, M, G and T are powers of 1024. Returns 0, or -1
 * with a sentence.
 */
int parse_size(uint64_t *bytes, const char *text, struct err *err);

/*
 * "1,2,4-16": numbers and ranges, each from `min` to `max`, kept in the order given. At most
 * PARSE_LIST_MAX numbers. Returns 0, or -1 with a sentence. The caller frees *list.
 */
enum { PARSE_LIST_MAX = 65536 };
int parse_list(uint64_t **list, size_t *count, const char *text, uint64_t min, uint64_t max,
	       struct err *err);

/* "1,2.5,40": numbers as parse_double takes them. The caller frees *list. */
int parse_doubles(double **list, size_t *count, const char *text, struct err *err);

#endif
