/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Binary values into a stream, in the byte order of the machine. Whether they arrived is asked of
 * the stream once, at the end.
 */
#ifndef PSCAL_PERFDATA_PUT_H
#define PSCAL_PERFDATA_PUT_H

#include <stdint.h>
#include <stdio.h>

static inline void put_bytes(FILE *out, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, out);
}

static inline void put_u8(FILE *out, uint8_t value)
{
	put_bytes(out, &value, sizeof(value));
}

static inline void put_u32(FILE *out, uint32_t value)
{
	put_bytes(out, &value, sizeof(value));
}

static inline void put_u64(FILE *out, uint64_t value)
{
	put_bytes(out, &value, sizeof(value));
}

#endif
