/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a field of a tracepoint lies in its payloads, and what is there: numbers, names, arrays. */
#ifndef PSCAL_DECODE_KERNEL_PAYLOAD_FIELD_H
#define PSCAL_DECODE_KERNEL_PAYLOAD_FIELD_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "decode/event/event.h"
#include "perfdata/byte_order.h"

struct tep_event;

struct payload_field {
	unsigned offset, size; /* size 0: the event has no such field */
	bool is_signed;
	bool dynamic;  /* __data_loc: the place holds offset and length of what is meant */
	bool relative; /* __rel_loc: the same, and the offset counts from behind the field */
};

/* Finds the field, and how long a payload is that has it: *needed grows. `name` may be NULL. */
struct payload_field payload_field_find(struct tep_event *event, const char *name, size_t *needed);

/* A number of this size at this place; `swapped`: it is in the other byte order. */
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
		return swapped ? __builtin_bswap16(two) : two;
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

/* The number in a field; the sign of a smaller one goes on. */
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
 * What the place in a dynamic field stands for: *offset and *size in the payload of `length` bytes.
 * False: it is not all there.
 */
static inline bool payload_field_place(const struct payload_field *field, const char *payload,
				       size_t length, bool swapped, size_t *offset, size_t *size)
{
	uint32_t place = (uint32_t)payload_load(payload + field->offset, sizeof(place), swapped);

	*offset = (place & 0xffff) + (field->relative ? field->offset + sizeof(place) : 0);
	*size = place >> 16;
	return *offset <= length && *size <= length - *offset;
}

/* --- Names --------------------------------------------------------------------------------- */

/* A name of any length at this place, with a NUL behind it. */
static inline void payload_copy_name(char comm[COMM_SIZE], const char *name, size_t size)
{
	enum { HALF = COMM_SIZE / 2 };
	uint64_t end = 0;

	if (size >= COMM_SIZE) {
		memcpy(comm, name, COMM_SIZE);
		comm[COMM_SIZE - 1] = '\0';
	} else if (size > HALF) { /* two loads instead of a loop */
		memcpy(&end, name + size - HALF, HALF);
		end = htole64(le64toh(end) >> 8 * (COMM_SIZE - size));
		memcpy(comm, name, HALF);
		memcpy(comm + HALF, &end, HALF);
	} else {
		memset(comm, 0, COMM_SIZE);
		memcpy(comm, name, size);
	}
}

/* The name of a thread in a field; `comm` stays as it is where the event has no such field. */
static inline void payload_field_name(const struct payload_field *field, char comm[COMM_SIZE],
				      const char *payload, size_t length, bool swapped)
{
	size_t offset = field->offset, size = field->size;

	if (field->dynamic && !payload_field_place(field, payload, length, swapped, &offset, &size))
		return;
	if (size || field->dynamic)
		payload_copy_name(comm, payload + offset, size);
}

#endif
