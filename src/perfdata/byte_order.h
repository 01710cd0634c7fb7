/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers written by a machine of either byte order: single ones, those of a section read in order,
 * and those in the payload of a tracepoint.
 */
#ifndef PSCAL_PERFDATA_BYTE_ORDER_H
#define PSCAL_PERFDATA_BYTE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Return a number of a file; `swapped`: it is in the other byte order than this machine's. */
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
	bool swapped;  /* numbers are in the other byte order */
	bool short_of; /* a read went beyond the end and returned NULL or 0 */
};

/* Returns the next `count` bytes, in place; NULL if fewer are left. */
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

/* Skips `count` items of `size` bytes. */
static inline void byte_cursor_skip(struct byte_cursor *cursor, uint64_t count, size_t size)
{
	if (count > cursor->left / size)
		cursor->short_of = true;
	else
		byte_cursor_take(cursor, count * size);
}

/* Returns a text up to its NUL; NULL: it has none. */
static inline const char *byte_cursor_text(struct byte_cursor *cursor)
{
	const char *end = memchr(cursor->at, '\0', cursor->left);

	if (!end) {
		cursor->short_of = true;
		return NULL;
	}
	return byte_cursor_take(cursor, (uint64_t)(end - cursor->at) + 1);
}

/* --- Payloads of tracepoints --------------------------------------------------------------- */

struct tep_event;

/* The place of a field of a tracepoint in its payloads. */
struct payload_field {
	unsigned offset, size; /* size 0: the event has no such field */
	bool is_array;
	bool is_signed;
	bool dynamic;  /* __data_loc: the field holds offset and length of the data */
	bool relative; /* __rel_loc: likewise, with the offset counted from the end of the field */
};

/* Finds a field. Raises *needed to the length of a payload that has it. `name` may be NULL. */
struct payload_field payload_field_find(struct tep_event *event, const char *name, size_t *needed);

/* Returns a number of `size` bytes; `swapped`: it is in the other byte order. */
static inline uint64_t payload_load(const char *at, unsigned size, bool swapped)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (size) {
	case 1:
		return (unsigned char)*at;
	case 2:
		memcpy(&two, at, sizeof(two));
		return byte_order_u16(two, swapped);
	case 4:
		memcpy(&four, at, sizeof(four));
		return byte_order_u32(four, swapped);
	case 8:
		memcpy(&eight, at, sizeof(eight));
		return byte_order_u64(eight, swapped);
	default:
		return 0;
	}
}

/* Returns the number in a field, sign-extended if the field is signed. */
static inline uint64_t payload_field_number(const struct payload_field *field, const char *payload,
					    bool swapped)
{
	uint64_t value = payload_load(payload + field->offset, field->size, swapped);
	unsigned spare = 64 - 8 * field->size;

	if (!field->is_signed || field->size >= 8 || !field->size)
		return value;
	return (uint64_t)((int64_t)(value << spare) >> spare);
}

/*
 * Decodes the place of a dynamic field: *offset and *size in the payload of `length` bytes. False:
 * it exceeds the payload.
 */
static inline bool payload_field_place(const struct payload_field *field, const char *payload,
				       size_t length, bool swapped, size_t *offset, size_t *size)
{
	uint32_t place = (uint32_t)payload_load(payload + field->offset, sizeof(place), swapped);

	*offset = (place & 0xffff) + (field->relative ? field->offset + sizeof(place) : 0);
	*size = place >> 16;
	return *offset <= length && *size <= length - *offset;
}

#endif
