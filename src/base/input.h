/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream of bytes to read: a file, or standard input. It is read forward in big pieces and can
 * be looked into before it is consumed, so that the kind of an input is told from its first bytes
 * even on a pipe.
 */
#ifndef PSCAL_BASE_INPUT_H
#define PSCAL_BASE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct input;

/* The most bytes that input_peek can be asked for, and that input_line gives of one line. */
enum { INPUT_PEEK_MAX = 1 << 20, INPUT_LINE_MAX = 1 << 16 };

/* "-" is standard input. A directory and an empty file are refused with a sentence. */
struct input *input_open(const char *path, struct err *err);
void input_close(struct input *input);

/* As the user would call it: the path, or "standard input". Borrowed. */
const char *input_name(const struct input *input);

/*
 * Sets *bytes to the next bytes without consuming them and returns how many there are: at least
 * `need` (at most INPUT_PEEK_MAX) unless the input ends before. Valid until the next call.
 */
size_t input_peek(struct input *input, const void **bytes, size_t need);

/* Consumes `count` bytes, seen or not. Returns how many there were. */
uint64_t input_skip(struct input *input, uint64_t count);

/*
 * The next line without its end (LF or CRLF), NUL-terminated, its length in *length; NULL at the
 * end. Belongs to the input until the next call and may be written to. What a line has beyond
 * INPUT_LINE_MAX bytes is dropped.
 */
char *input_line(struct input *input, size_t *length);

/*
 * Calls `watch` each time bytes have been read: how many so far, and the size of a regular file (0
 * otherwise). For showing how far one is.
 */
void input_watch(struct input *input, void (*watch)(void *context, uint64_t done, uint64_t size),
		 void *context);

/* How many bytes have been consumed, and the size of a regular file (0 otherwise). */
uint64_t input_offset(const struct input *input);
uint64_t input_size(const struct input *input);

/*
 * Reads `count` bytes at `offset` of a regular file without moving the stream. Returns 0, or -1
 * with a sentence, which lacks the name, when the file is shorter or cannot be read at an offset.
 */
int input_read_at(const struct input *input, void *bytes, size_t count, uint64_t offset,
		  struct err *err);

/* The sentence of a read error met so far, or NULL: an input that fails looks as if it ended. */
const char *input_error(const struct input *input);

#endif
