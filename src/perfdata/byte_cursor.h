/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Goes over the untrusted bytes of a section or a record, taking one thing after the other:
 *
 *	struct byte_cursor cursor = {.at = bytes, .left = length};
 *	count = byte_cursor_u32(&cursor);
 *	...
 *	if (cursor.short_of)
 *		it is damaged
 */
#ifndef PSCAL_PERFDATA_BYTE_CURSOR_H
#define PSCAL_PERFDATA_BYTE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "perfdata/byte_order.h"

struct byte_cursor {
	const char *at;
	size_t left;
	bool swapped;  /* numbers are of the other byte order */
	bool short_of; /* something was not there: instead of it there was NULL or 0 */
};

/* The next `count` bytes, in place; NULL when there are not so many. */
static inline const char *byte_cursor_take(struct byte_cursor *cursor, uint64_t count)
{
	const char *bytes = cursor->at;

	if (count > cursor->left) {
		cursor->short_of = true;
		return NULL;
	}
	cursor->at += count;
	cursor->left -= (size_t)count;
	return bytes;
}

static inline uint32_t byte_cursor_u32(struct byte_cursor *cursor)
{
	const char *bytes = byte_cursor_take(cursor, sizeof(uint32_t));
	uint32_t number = 0;

	if (bytes)
		memcpy(&number, bytes, sizeof(number));
	return byte_order_u32(number, cursor->swapped);
}

static inline uint64_t byte_cursor_u64(struct byte_cursor *cursor)
{
	const char *bytes = byte_cursor_take(cursor, sizeof(uint64_t));
	uint64_t number = 0;

	if (bytes)
		memcpy(&number, bytes, sizeof(number));
	return byte_order_u64(number, cursor->swapped);
}

/* Passes over `count` things of `size` bytes. */
static inline void byte_cursor_skip(struct byte_cursor *cursor, uint64_t count, size_t size)
{
	if (count > cursor->left / size)
		cursor->short_of = true;
	else
		byte_cursor_take(cursor, count * size);
}

/* A text up to its NUL; NULL when it has none. */
static inline const char *byte_cursor_text(struct byte_cursor *cursor)
{
	const char *end = memchr(cursor->at, '\0', cursor->left);

	if (!end) {
		cursor->short_of = true;
		return NULL;
	}
	return byte_cursor_take(cursor, (uint64_t)(end - cursor->at) + 1);
}

#endif
