/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream of bytes to read: a file, or standard input. It is read forward in large blocks and can
 * be examined before it is consumed, so that the first bytes show the kind of an input even on a
 * pipe. Input packed by gzip or zstd is unpacked: all bytes and offsets below are of unpacked data.
 */
#ifndef PSCAL_BASE_IO_INPUT_H
#define PSCAL_BASE_IO_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* The most bytes that input_peek accepts, and that input_line returns of one line. */
enum { INPUT_PEEK_MAX = 1 << 20, INPUT_LINE_MAX = 1 << 16 };

/*
 * The owners of files, pipes and devices that are read. Those that the process has open already,
 * standard input and /dev/fd/N, are always read.
 */
enum input_owners {
	INPUT_OF_ANYONE,
	INPUT_OF_US, /* the user and root, see base/io/files.h */
};

/* The state of an input, which only the functions below change. */
struct input {
	char *name;		  /* as the user would call it: the path, or "standard input" */
	enum input_owners owners; /* as given to input_open */
	bool is_file;		  /* a regular file, packed or not */
	uint64_t offset;	  /* bytes consumed */
	uint64_t size; /* bytes of an input that can be read at an offset; 0: not known */
	/* The read error, with and without the name; NULL: none. A failed input seems to end. */
	const char *error, *problem;
};

/*
 * Opens a file, or standard input if `path` is "-", and waits for the first bytes. A directory, an
 * empty input and any other compression are errors.
 */
struct input *input_open(const char *path, enum input_owners owners, struct err *err);
void input_close(struct input *input);

/*
 * Opens another reader at the beginning of an input whose size is known: of the same bytes, even if
 * the path has become another file. Returns NULL with an error that lacks the name.
 */
struct input *input_again(const struct input *input, struct err *err);

/*
 * Sets *bytes to the next bytes without consuming them and returns their number: at least `need`
 * (at most INPUT_PEEK_MAX) unless the input ends before. Valid until the next call.
 */
size_t input_peek(struct input *input, const void **bytes, size_t need);

/* Consumes `count` bytes, seen or not. Returns their number, less at the end of the input. */
uint64_t input_skip(struct input *input, uint64_t count);

/*
 * Returns the next line without its end (LF or CRLF), NUL-terminated, its length in *length; NULL
 * at the end. It is valid until the next call and may be changed. Bytes of a line beyond
 * INPUT_LINE_MAX are dropped.
 */
char *input_line(struct input *input, size_t *length);

/*
 * Reads `count` bytes at `offset` of an input whose size is known, without moving the stream.
 * Returns 0, or -1 with an error, which lacks the name, if it is shorter or cannot be read there.
 */
int input_read_at(const struct input *input, void *bytes, size_t count, uint64_t offset,
		  struct err *err);

/*
 * Makes sure that the size is known and input_read_at works. It reads a pipe or packed input to its
 * end into a temporary file, unless it becomes 100 times as large as it is packed; nothing of the
 * input may have been consumed. Returns 0, or -1 with an error, which lacks the name.
 */
int input_make_seekable(struct input *input, struct err *err);

/*
 * Calls `watch` each time bytes have been read, and every `idle_ms` while none come (0: not then).
 * `done` is the number of bytes read so far, `size` that of a regular file (0 otherwise); both are
 * packed bytes if the input is packed.
 */
void input_watch(struct input *input, unsigned idle_ms,
		 void (*watch)(void *context, uint64_t done, uint64_t size), void *context);

/* Ends the input after the bytes read so far; for the watcher. */
void input_stop(struct input *input);

#endif
