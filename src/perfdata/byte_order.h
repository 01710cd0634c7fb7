/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as a machine of the other byte order has written them. */
#ifndef PSCAL_PERFDATA_BYTE_ORDER_H
#define PSCAL_PERFDATA_BYTE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
