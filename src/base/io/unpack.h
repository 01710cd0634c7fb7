/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unpacks what gzip or zstd has packed, piece by piece as it comes, with memory that does not
 * depend on how much there is. Files of both kinds may be joined: what follows the end of one
 * member (gzip) or frame (zstd) is the next one. Padding with zeros behind gzip data is none of it.
 */
#ifndef PSCAL_BASE_IO_UNPACK_H
#define PSCAL_BASE_IO_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct unpack;

/* Must more be read to tell whether an input is packed, and by what? Never beyond 10 bytes. */
bool unpack_wants_more(const void *bytes, size_t count);

/*
 * Sets *unpack by the first bytes of an input, to NULL when it is not packed. Returns -1 with a
 * sentence, which lacks the name of the input, when it is packed by something else.
 */
int unpack_new(struct unpack **unpack, const void *bytes, size_t count, struct err *err);

/* NULL is fine. */
void unpack_free(struct unpack *unpack);

/* Packed bytes to take, and room for unpacked ones. What is left of both afterwards. */
struct unpack_span {
	const char *in;
	size_t in_count;
	char *out;
	size_t out_count;
};

/*
 * Goes on until the bytes have been taken or the room is used up. After the latter something may be
 * left to be given out, even if all bytes have been taken. Returns 0, or -1 with a sentence, which
 * lacks the name of the input.
 */
int unpack_run(struct unpack *unpack, struct unpack_span *span, struct err *err);

/* All bytes have been taken: is that the end? 0, or -1 with a sentence, as above. */
int unpack_finish(const struct unpack *unpack, struct err *err);

#endif
