/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers from whole strings: "12x", "", " 12" and too large numbers are refused. */
#ifndef PSCAL_BASE_PARSE_H
#define PSCAL_BASE_PARSE_H

#include <stddef.h>
#include <stdint.h>

struct err;

/* Reads a finite number in C notation with a decimal point, in any locale. Returns 0 or -1. */
int parse_double(double *value, const char *text);

/* Reads a share, "0.5" or "50%". Returns 0 or -1. */
int parse_share(double *share, const char *text);

/* Reads decimal digits, a number of at most `max`. Returns 0 or -1. */
int parse_u64(uint64_t *value, const char *text, uint64_t max);

/*
 * Reads seconds: "2", "0.5", "250ms", "10us", "5m" or "5min", "1h". Returns 0, or -1 with an error.
 */
int parse_seconds(double *seconds, const char *text, struct err *err);

/*
 * Reads bytes: "4096", "500M", "1.5G"; K to T are powers of 1024. Returns 0, or -1 with an error.
 */
int parse_size(uint64_t *bytes, const char *text, struct err *err);

/*
 * Reads a list of numbers and ranges, "1,2,4-16", in the order given. Each number is from `min` to
 * `max`, and there are at most PARSE_LIST_MAX. Returns 0, or -1 with an error. The caller frees
 * *list.
 */
enum { PARSE_LIST_MAX = 65536 };
int parse_list(uint64_t **list, size_t *count, const char *text, uint64_t min, uint64_t max,
	       struct err *err);

/* Reads doubles, "1,2.5,40". Returns 0, or -1 with an error. The caller frees *list. */
int parse_doubles(double **list, size_t *count, const char *text, struct err *err);

#endif
