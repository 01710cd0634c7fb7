/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/byte_order.h"

#include <stdint.h>
#include <string.h>

/* Compilers put the first one-bit field at the low end of a byte here, at its high end there. */
static void reverse_bits(unsigned char *byte)
{
	unsigned from = *byte, bits = 0;

	for (unsigned i = 0; i < 8; i++)
		bits |= (from >> i & 1) << (7 - i);
	*byte = (unsigned char)bits;
}

static void swap_number(unsigned char *at, size_t width)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (width) {
	case sizeof(two):
		memcpy(&two, at, sizeof(two));
		two = __builtin_bswap16(two);
		memcpy(at, &two, sizeof(two));
		break;
	case sizeof(four):
		memcpy(&four, at, sizeof(four));
		four = __builtin_bswap32(four);
		memcpy(at, &four, sizeof(four));
		break;
	case sizeof(eight):
		memcpy(&eight, at, sizeof(eight));
		eight = __builtin_bswap64(eight);
		memcpy(at, &eight, sizeof(eight));
		break;
	default: /* a byte */
		break;
	}
}

void byte_order_swap(void *bytes, size_t length, const char *layout)
{
	unsigned char *at = bytes;

	while (*layout) {
		bool bits = *layout == 'b';
		size_t width = bits || *layout == '*' ? 8 : (size_t)(*layout - '0');

		if (length < width)
			return;
		for (size_t i = 0; bits && i < width; i++)
			reverse_bits(&at[i]);
		if (!bits)
			swap_number(at, width);
		at += width;
		length -= width;
		if (*layout != '*')
			layout++;
	}
}

/*
 * u32 events, u32 size of an attr, and for each event: attr, u32 ids, u32 size and a name, u64 each
 * id.
 */
void byte_order_swap_event_desc(char *bytes, size_t length)
{
	uint32_t head[2], counts[2];
	size_t at = sizeof(head);

	if (length < sizeof(head))
		return;
	byte_order_swap(bytes, length, "44");
	memcpy(head, bytes, sizeof(head));
	while (head[0]--) {
		size_t ids_at;

		if (head[1] > length - at || length - at - head[1] < sizeof(counts))
			return;
		byte_order_swap(bytes + at, head[1], BYTE_ORDER_ATTR);
		at += head[1];
		byte_order_swap(bytes + at, sizeof(counts), "44");
		memcpy(counts, bytes + at, sizeof(counts));
		at += sizeof(counts);
		ids_at = at + counts[1];
		if (ids_at > length || counts[0] > (length - ids_at) / 8)
			return;
		at = ids_at + 8 * (size_t)counts[0];
		byte_order_swap(bytes + ids_at, at - ids_at, "*");
	}
}
