/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unpacks data of gzip or zstd piece by piece, with memory that does not depend on its size. Files
 * of both kinds may be joined: one member (gzip) or frame (zstd) may follow another. Zeros behind
 * gzip data are padding and ignored.
 */
#ifndef PSCAL_BASE_IO_UNPACK_H
#define PSCAL_BASE_IO_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct unpack;

/* Returns whether more bytes, at most 10, must be read to know whether an input is packed. */
bool unpack_wants_more(const void *bytes, size_t count);

/*
 * Sets *unpack by the first bytes of an input, to NULL if it is not packed. Returns 0, or -1 with
 * an error, which lacks the name of the input, if the packer is not supported.
 */
int unpack_new(struct unpack **unpack, const void *bytes, size_t count, struct err *err);

/* Frees it; NULL is allowed. */
void unpack_free(struct unpack *unpack);

/* Packed bytes to read, and room for unpacked ones. A step advances both. */
struct unpack_span {
	const char *in;
	size_t in_count;
	char *out;
	size_t out_count;
};

/*
 * Unpacks until all bytes have been read or the room is full. In the latter case more output may
 * follow, even if all bytes have been read. Returns 0, or -1 with an error, which lacks the name of
 * the input.
 */
int unpack_run(struct unpack *unpack, struct unpack_span *span, struct err *err);

/* Checks that packed data ends with the bytes that were read. Returns 0, or -1 as above. */
int unpack_finish(const struct unpack *unpack, struct err *err);

#endif
