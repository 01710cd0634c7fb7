/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small steps over a line of text, which ends in a NUL. */
#ifndef PSCAL_DECODE_TEXT_SCAN_H
#define PSCAL_DECODE_TEXT_SCAN_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool scan_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline const char *scan_blanks(const char *at)
{
	while (scan_is_blank(*at))
		at++;
	return at;
}

/* Steps back over blanks, no further than `begin`. */
static inline const char *scan_back_blanks(const char *at, const char *begin)
{
	while (at > begin && scan_is_blank(at[-1]))
		at--;
	return at;
}

static inline const char *scan_back_digits(const char *at, const char *begin)
{
	while (at > begin && isdigit((unsigned char)at[-1]))
		at--;
	return at;
}

/* Reads a number that fits into an int32_t; NULL if there is none. -1 is perf's "not known". */
static inline const char *scan_number(const char *at, int32_t *value)
{
	int64_t sum = 0;

	if (at[0] == '-' && at[1] == '1' && !isdigit((unsigned char)at[2])) {
		*value = -1;
		return at + 2;
	}
	if (!isdigit((unsigned char)*at))
		return NULL;
	for (; isdigit((unsigned char)*at); at++) {
		sum = sum * 10 + (*at - '0');
		if (sum > INT32_MAX)
			return NULL;
	}
	*value = (int32_t)sum;
	return at;
}

/* Reads a number; NULL if there is none, or if it is too large. */
static inline const char *scan_unsigned(const char *at, uint64_t *value)
{
	uint64_t sum = 0;

	if (!isdigit((unsigned char)*at))
		return NULL;
	for (; isdigit((unsigned char)*at); at++)
		if (__builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(*at - '0'), &sum))
			return NULL;
	*value = sum;
	return at;
}

/* Reads seconds, `1.5`, to nine decimals; NULL if there are none. */
static inline const char *scan_seconds(const char *at, uint64_t *time_ns)
{
	uint64_t seconds, unit = 100000000;

	at = scan_unsigned(at, &seconds);
	if (!at || __builtin_mul_overflow(seconds, UINT64_C(1000000000), time_ns))
		return NULL;
	if (*at == '.')
		for (at++; isdigit((unsigned char)*at); at++, unit /= 10)
			if (__builtin_add_overflow(*time_ns, unit * (uint64_t)(*at - '0'), time_ns))
				return NULL;
	return at;
}

/*
 * Reads `1.5`, times 10^9: at most 10 digits before the point and 1 to 9 behind it, which are
 * counted in *digits. Returns NULL if it is something else.
 */
static inline const char *scan_decimal(const char *at, uint64_t *value, size_t *digits)
{
	const char *begin = at;
	uint64_t whole = 0, fraction = 0;

	for (; isdigit((unsigned char)*at) && at - begin < 10; at++)
		whole = whole * 10 + (uint64_t)(*at - '0');
	if (at == begin || *at != '.')
		return NULL;
	begin = ++at;
	for (; isdigit((unsigned char)*at) && at - begin < 9; at++)
		fraction = fraction * 10 + (uint64_t)(*at - '0');
	*digits = (size_t)(at - begin);
	for (size_t i = *digits; i < 9; i++)
		fraction *= 10;
	*value = whole * 1000000000 + fraction;
	return *digits && !isdigit((unsigned char)*at) ? at : NULL;
}

static inline const char *scan_word(const char *at, const char *word)
{
	size_t length = strlen(word);

	return strncmp(at, word, length) == 0 ? at + length : NULL;
}

/* The characters in names of scheduling events. */
#define SCAN_NAME "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/*
 * Returns true if another event begins in `at`, as `1.000686: sched_waking:`, with or without a
 * period before the name. This is longer than the name of a thread, which may have any contents.
 */
static inline bool scan_begins_anew(const char *at)
{
	for (const char *dot = strchr(at, '.'); dot; dot = strchr(dot + 1, '.')) {
		size_t digits = strspn(dot + 1, "0123456789");
		const char *name = dot + 1 + digits, *end;

		if (digits < 6 || *name != ':' || !scan_is_blank(name[1]))
			continue;
		name = scan_blanks(name + 1);
		end = name + strspn(name, "0123456789");
		if (scan_is_blank(*end))
			name = scan_blanks(end);
		end = name + strcspn(name, " \t");
		if (end - dot > 15 && (end[-1] == ':' || scan_word(name, "PERF_RECORD_")))
			return true;
	}
	return false;
}

/* The first lines of a text, one after the other, each with a NUL at its end. */
struct scan_lines {
	const char *at; /* the rest of the text */
	size_t left;
	size_t length; /* the length of `line` */
	char line[1024];
};

/* Gives the next line. Lines cut off, or longer than any line of use, are skipped. */
static inline bool scan_lines_next(struct scan_lines *lines)
{
	const char *end;

	while ((end = memchr(lines->at, '\n', lines->left))) {
		const char *begin = lines->at;

		lines->length = (size_t)(end - begin);
		lines->left -= lines->length + 1;
		lines->at = end + 1;
		if (lines->length >= sizeof(lines->line))
			continue;
		memcpy(lines->line, begin, lines->length);
		lines->line[lines->length] = '\0';
		return true;
	}
	return false;
}

#endif
