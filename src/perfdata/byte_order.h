/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers in bytes that a machine of this byte order or of the other one has written. */
#ifndef PSCAL_PERFDATA_BYTE_ORDER_H
#define PSCAL_PERFDATA_BYTE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A number of a file whose byte order is `swapped`, not that of this machine. */
static inline uint16_t byte_order_u16(uint16_t number, bool swapped)
{
	return swapped ? __builtin_bswap16(number) : number;
}

static inline uint32_t byte_order_u32(uint32_t number, bool swapped)
{
	return swapped ? __builtin_bswap32(number) : number;
}

static inline uint64_t byte_order_u64(uint64_t number, bool swapped)
{
	return swapped ? __builtin_bswap64(number) : number;
}

/*
 * Turns the numbers in `bytes` to the other byte order, in place. `layout` says which they are, one
 * letter each: '2', '4' and '8' are numbers of so many bytes, '1' is a byte that stays, 'b' eight
 * bytes of one-bit fields, and '*' is 8 for all the rest. What is behind the layout, or less than
 * its next number, stays.
 */
void byte_order_swap(void *bytes, size_t length, const char *layout);

/* struct perf_event_attr, as a layout. */
#define BYTE_ORDER_ATTR "448888b44888844842244*"

/* The same for a section PERFDATA_EVENT_DESC; where it is damaged the rest stays. */
void byte_order_swap_event_desc(char *bytes, size_t length);

/*
 * Goes over the untrusted bytes of a section or a record, taking one thing after the other:
 *
 *	struct byte_cursor cursor = {.at = bytes, .left = length};
 *	count = byte_cursor_u32(&cursor);
 *	...
 *	if (cursor.short_of)
 *		it is damaged
 */
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
