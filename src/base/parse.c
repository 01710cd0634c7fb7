/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/parse.h"

#include "base/alloc.h"
#include "base/err.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Reads digits with at most one point, as most numbers are. The digits as a whole number and the
 * power of ten are exact as doubles, so that one division rounds correctly.
 */
static bool parse_short_decimal(double *value, const char *text)
{
	static const double powers[] = {1,   1e1, 1e2,	1e3,  1e4,  1e5,  1e6,	1e7,
					1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	const char *point = NULL, *digit = text;
	uint64_t whole = 0;

	for (; *digit; digit++) {
		if (*digit == '.' && !point)
			point = digit;
		else if (*digit >= '0' && *digit <= '9')
			whole = whole * 10 + (uint64_t)(*digit - '0');
		else
			return false;
		if (digit - text == 15) /* 15 digits are below 2^53 */
			return false;
	}
	if (digit - text <= (point != NULL))
		return false;
	*value = (double)whole / powers[point ? digit - point - 1 : 0];
	return true;
}

int parse_double(double *value, const char *text)
{
	char *end;

	if (parse_short_decimal(value, text))
		return 0;
	if (!isdigit((unsigned char)*text) && !strchr("+-.", *text))
		return -1;
	if (strpbrk(text, "xXnN")) /* no hexadecimal numbers, inf and nan */
		return -1;
	*value = strtod(text, &end);
	return end == text || *end || !isfinite(*value) ? -1 : 0;
}

int parse_share(double *share, const char *text)
{
	size_t length = strlen(text);
	char number[64];

	if (!length || text[length - 1] != '%')
		return parse_double(share, text);
	if (length > sizeof(number))
		return -1;
	memcpy(number, text, length - 1);
	number[length - 1] = '\0';
	if (parse_double(share, number))
		return -1;
	*share /= 100;
	return 0;
}

int parse_u64(uint64_t *value, const char *text, uint64_t max)
{
	uint64_t sum = 0;

	if (!*text)
		return -1;
	for (; *text; text++) {
		uint64_t digit = (uint64_t)(*text - '0');

		if (!isdigit((unsigned char)*text) || digit > max || sum > (max - digit) / 10)
			return -1;
		sum = sum * 10 + digit;
	}
	*value = sum;
	return 0;
}

struct unit {
	const char *suffix;
	double scale;
};

/* Reads a number that is not negative and ends in one of the units. Returns 0 or -1. */
static int parse_with_unit(double *value, const char *text, const struct unit *units, size_t count)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < count; i++) {
		size_t suffix = strlen(units[i].suffix);
		char number[64];

		if (length < suffix || strcmp(text + length - suffix, units[i].suffix) != 0)
			continue;
		if (length - suffix >= sizeof(number))
			break;
		memcpy(number, text, length - suffix);
		number[length - suffix] = '\0';
		if (parse_double(value, number) || *value < 0)
			break;
		*value *= units[i].scale;
		return 0;
	}
	return -1;
}

int parse_seconds(double *seconds, const char *text, struct err *err)
{
	static const struct unit units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1},
					    {"min", 60},  {"m", 60},	{"h", 3600},  {"", 1}};

	if (parse_with_unit(seconds, text, units, sizeof(units) / sizeof(units[0])))
		return err_set(err, "'%s' is not a time; try 250ms, 10s or 2m", text);
	return 0;
}

int parse_size(uint64_t *bytes, const char *text, struct err *err)
{
	static const struct unit units[] = {{"K", 0x1p10}, {"M", 0x1p20}, {"G", 0x1p30},
					    {"T", 0x1p40}, {"B", 1},	  {"", 1}};
	double value;

	if (parse_with_unit(&value, text, units, sizeof(units) / sizeof(units[0])) ||
	    value >= 0x1p63)
		return err_set(err, "'%s' is not a size; try 500M or 2G", text);
	*bytes = (uint64_t)value;
	return 0;
}

static int add_range(uint64_t **list, size_t *count, size_t *capacity, uint64_t from, uint64_t to)
{
	if (to < from || to - from >= PARSE_LIST_MAX - *count)
		return -1;
	array_reserve(list, capacity, *count + (size_t)(to - from) + 1);
	for (uint64_t n = from; n <= to; n++)
		(*list)[(*count)++] = n;
	return 0;
}

static int parse_range(char *part, uint64_t *from, uint64_t *to, uint64_t min, uint64_t max)
{
	char *dash = strchr(part, '-');

	if (dash)
		*dash = '\0';
	if (parse_u64(from, part, max) || *from < min)
		return -1;
	*to = *from;
	return dash ? parse_u64(to, dash + 1, max) : 0;
}

int parse_list(uint64_t **list, size_t *count, const char *text, uint64_t min, uint64_t max,
	       struct err *err)
{
	char *copy = xstrdup(text);
	char *rest = copy;
	size_t capacity = 0;
	int rc = 0;

	*list = NULL;
	*count = 0;
	for (char *part; !rc && (part = strsep(&rest, ","));) {
		uint64_t from, to;

		if (parse_range(part, &from, &to, min, max) ||
		    add_range(list, count, &capacity, from, to))
			rc = err_set(err,
				     "'%s' is not a list like 1,2,4-16 of numbers from %" PRIu64
				     " to %" PRIu64,
				     text, min, max);
	}
	free(copy);
	if (rc) {
		free(*list);
		*list = NULL;
	}
	return rc;
}

int parse_doubles(double **list, size_t *count, const char *text, struct err *err)
{
	char *copy = xstrdup(text);
	char *rest = copy;
	size_t capacity = 0;
	int rc = 0;

	*list = NULL;
	*count = 0;
	for (char *part; !rc && (part = strsep(&rest, ","));) {
		array_reserve(list, &capacity, *count + 1);
		if (parse_double(&(*list)[(*count)++], part))
			rc = err_set(err, "'%s' is not a list of numbers like 1,2.5,40", text);
	}
	free(copy);
	if (rc) {
		free(*list);
		*list = NULL;
	}
	return rc;
}
