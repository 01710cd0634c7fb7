/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream of bytes to read: a file, or standard input. It is read forward in large blocks and can
 * be examined before it is consumed, so that the first bytes tell the kind of an input even on a
 * pipe. Input packed by gzip or zstd is unpacked: all bytes and offsets below are of unpacked data.
 */
#ifndef PSCAL_BASE_IO_INPUT_H
#define PSCAL_BASE_IO_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* The most bytes that input_peek can be asked for, and that input_line gives of one line. */
enum { INPUT_PEEK_MAX = 1 << 20, INPUT_LINE_MAX = 1 << 16 };

/*
 * The owners of files, pipes and devices that are read. Those that the process has open already are
 * read in any case: standard input, /dev/fd/N.
 */
enum input_owners {
	INPUT_OF_ANYONE,
	INPUT_OF_US, /* the user's own and those of root, see base/io/files.h */
};

/* The state of an input, which only its functions change. */
struct input {
	char *name;		  /* as the user would call it: the path, or "standard input" */
	enum input_owners owners; /* that it was opened for */
	bool is_file;		  /* a regular file, packed or not, and no pipe */
	uint64_t offset;	  /* how many bytes have been consumed */
	uint64_t size; /* how many there are, where they can be read at an offset; 0: not known */
	/* The sentence of a read error met so far, with the name and without it; NULL: there was none.
	   An input that fails looks as if it ended. */
	const char *error, *problem;
};

/*
 * "-" is standard input. Waits for the first bytes. A directory, an empty input and any other
 * compression are refused with a sentence.
 */
struct input *input_open(const char *path, enum input_owners owners, struct err *err);
void input_close(struct input *input);

/*
 * Another reader of an input whose size is known, from its beginning: of the same bytes, even if
 * the path has become another file. NULL with a sentence, which lacks the name.
 */
struct input *input_again(const struct input *input, struct err *err);

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
 * Reads `count` bytes at `offset` of an input whose size is known, without moving the stream.
 * Returns 0, or -1 with a sentence, which lacks the name, when it is shorter or cannot be read
 * there.
 */
int input_read_at(const struct input *input, void *bytes, size_t count, uint64_t offset,
		  struct err *err);

/*
 * Makes sure that the size is known and input_read_at works. For that, a pipe or packed input is
 * read to its end into a temporary file, unless it becomes 100 times as large as it is packed;
 * nothing of it may have been consumed. Returns 0, or -1 with a sentence, which lacks the name.
 */
int input_make_seekable(struct input *input, struct err *err);

/*
 * Calls `watch` each time bytes have been read, and every `idle_ms` while none come (0: not then).
 * It learns how many have been read so far, and how many there are in a regular file (0 otherwise);
 * of one that is packed, these are packed ones.
 */
void input_watch(struct input *input, unsigned idle_ms,
		 void (*watch)(void *context, uint64_t done, uint64_t size), void *context);

/* For the watcher: the input ends with what has been read. */
void input_stop(struct input *input);

#endif
