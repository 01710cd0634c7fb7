/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/input.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/files.h"
#include "base/io/unpack.h"
#include "base/names.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CAPACITY = 2 * INPUT_PEEK_MAX,
	CAPACITY_SMALL = 1 << 16, /* of an input until it is full */
	STEP = 1 << 18,	      /* bytes to read at once, so that they stay in the cache of a core */
	SMALL_REST = 1 << 14, /* bytes that may be moved at each step to make room */
	GROWTH_MAX = 100,     /* largest unpacked size, in packed sizes ... */
	GROWTH_FREE = 1 << 26 /* ... if it is larger than this */
};

/* An input with its private state. */
struct stream {
	struct input input;
	int fd;
	bool owns_fd;
	bool ended;	       /* nothing more can be read */
	bool stopped;	       /* ... as it is not wanted */
	bool cut;	       /* the last line was too long, and its rest is not read yet */
	uint64_t file_size;    /* of a regular file, else 0 */
	uint64_t received;     /* bytes read */
	size_t begin, end;     /* bytes[begin..end) are buffered and not consumed */
	struct unpack *unpack; /* NULL: it is not packed; else: */
	char *packed;	       /* bytes read ... */
	size_t packed_begin, packed_end; /* ... and not unpacked */
	struct err problem;		 /* the error without the name ... */
	struct err error;		 /* ... and with it */
	unsigned idle_ms;
	void (*watch)(void *context, uint64_t done, uint64_t size);
	void *watch_context;
	char *bytes;	 /* one more than `capacity` for the NUL of a last line */
	size_t capacity; /* at least STEP free bytes, or CAPACITY_SMALL */
};

void input_watch(struct input *input, unsigned idle_ms,
		 void (*watch)(void *context, uint64_t done, uint64_t size), void *context)
{
	struct stream *stream = (struct stream *)input;

	stream->idle_ms = idle_ms;
	stream->watch = watch;
	stream->watch_context = context;
}

void input_stop(struct input *input)
{
	struct stream *stream = (struct stream *)input;

	stream->ended = stream->stopped = true;
}

/* --- Reading ------------------------------------------------------------------------------- */

/* Ends the input with the error in stream->problem. */
static size_t fail(struct stream *stream)
{
	stream->ended = true;
	stream->error = stream->problem;
	err_wrap(&stream->error, "%s", stream->input.name);
	stream->input.problem = stream->problem.text;
	stream->input.error = stream->error.text;
	return 0;
}

static void tell_watcher(const struct stream *stream)
{
	if (stream->watch)
		stream->watch(stream->watch_context, stream->received, stream->file_size);
}

/* Waits until there is something to read, or the end. */
static void wait_for_bytes(const struct stream *stream)
{
	struct pollfd pollfd = {.fd = stream->fd, .events = POLLIN};
	int rc = 0;

	while (!stream->ended && rc == 0) {
		rc = poll(&pollfd, 1, (int)stream->idle_ms);
		if (rc == 0)
			tell_watcher(stream);
		else if (rc < 0 && errno == EINTR)
			rc = 0;
	}
}

/* Reads once. Returns the number of bytes; 0: nothing more will come. */
static size_t receive(struct stream *stream, char *to, size_t room)
{
	ssize_t got;

	if (stream->idle_ms)
		wait_for_bytes(stream);
	if (stream->ended)
		return 0;
	do
		got = read(stream->fd, to, room);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		err_set(&stream->problem, "cannot read: %m");
		return fail(stream);
	}
	if (got == 0) {
		stream->ended = true;
		return 0;
	}
	stream->received += (size_t)got;
	tell_watcher(stream);
	return (size_t)got;
}

/* Unpacks some bytes. Returns their number; 0: nothing more will come. */
static size_t receive_packed(struct stream *stream, char *to, size_t room)
{
	struct unpack_span span = {.out = to, .out_count = room};

	while (!stream->input.error) {
		span.in = stream->packed + stream->packed_begin;
		span.in_count = stream->packed_end - stream->packed_begin;
		if (unpack_run(stream->unpack, &span, &stream->problem))
			fail(stream);
		stream->packed_begin = stream->packed_end - span.in_count;
		if (span.out_count < room)
			return room - span.out_count;
		if (stream->input.error)
			break;
		stream->packed_begin = 0;
		stream->packed_end = receive(stream, stream->packed, STEP);
		if (!stream->packed_end && (stream->stopped || stream->input.error))
			break;
		if (!stream->packed_end)
			return unpack_finish(stream->unpack, &stream->problem) ? fail(stream) : 0;
	}
	return 0;
}

static void set_capacity(struct stream *stream, size_t capacity)
{
	stream->bytes = xreallocarray(stream->bytes, capacity + 1, 1);
	stream->capacity = capacity;
}

/* Reads once, behind the buffered bytes. Returns false if nothing more will come. */
static bool fill_buffer(struct stream *stream)
{
	size_t rest = stream->end - stream->begin, room, got;
	char *to;

	if (rest <= SMALL_REST || stream->capacity - stream->end < STEP) {
		memmove(stream->bytes, stream->bytes + stream->begin, rest);
		stream->begin = 0;
		stream->end = rest;
	}
	to = stream->bytes + stream->end;
	room = stream->capacity - stream->end < STEP ? stream->capacity - stream->end : STEP;
	got = stream->unpack ? receive_packed(stream, to, room) : receive(stream, to, room);
	stream->end += got;
	if (stream->end == stream->capacity && stream->capacity < CAPACITY)
		set_capacity(stream, CAPACITY);
	return got > 0;
}

/* --- Files --------------------------------------------------------------------------------- */

/* Returns whether the user has opened the pipe or device, as /dev/stdin and /dev/fd/N. */
static bool is_open_elsewhere(int fd, const struct stat *status)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *entry;
	bool found = false;

	while (all && !found && (entry = readdir(all))) {
		struct stat other;
		int number = atoi(entry->d_name);

		found = *entry->d_name != '.' && number != fd && fstat(number, &other) == 0 &&
			other.st_dev == status->st_dev && other.st_ino == status->st_ino;
	}
	if (all)
		closedir(all);
	return found;
}

static int check_owner(const char *path, int fd, const struct stat *status,
		       enum input_owners owners, struct err *err)
{
	if (owners == INPUT_OF_ANYONE || file_owner_is_own(status->st_uid) ||
	    is_open_elsewhere(fd, status))
		return 0;
	return err_set(err,
		       "%s: belongs to another user (%u), and neither to you nor to root; --force "
		       "reads it anyway",
		       path, status->st_uid);
}

/* Writes the error for a missing file, which names similar files. */
static int refuse_missing(const char *path, struct err *err)
{
	struct nearest nearest;
	char *list;

	nearest_files(&nearest, path);
	if (!nearest.count)
		return *path ? err_set(err, "%s: cannot open: %s", path, strerror(ENOENT))
			     : err_set(err, "the name of the input is empty; name a file");
	list = nearest_list(&nearest);
	err_set(err, "%s: cannot open: %s; there is %s", path, strerror(ENOENT), list);
	free(list);
	return -1;
}

/* Checks that a file is open and no directory. Returns 0, or -1 with an error. */
static int look_at_file(const char *path, int fd, struct stat *status, struct err *err)
{
	if (fd < 0 && errno == ENOENT)
		return refuse_missing(path, err);
	if (fd < 0 || fstat(fd, status))
		return err_set(err, "%s: cannot open: %m", path);
	if (S_ISDIR(status->st_mode))
		return err_set(err, "%s: is a directory, not a file", path);
	return 0;
}

/* Makes reads block again, and waits for the writer of a FIFO, which was opened without that. */
static int begin_to_wait(const char *path, int fd, const struct stat *status, struct err *err)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) ||
	    (S_ISFIFO(status->st_mode) && poll(&pollfd, 1, -1) < 0))
		return err_set(err, "%s: cannot open: %m", path);
	return 0;
}

/*
 * Opens a file. It waits for a FIFO only when its owner is known. Returns a descriptor that is
 * closed on exec, or -1 with an error.
 */
static int open_file(const char *path, enum input_owners owners, struct stat *status,
		     struct err *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (!look_at_file(path, fd, status, err) && !check_owner(path, fd, status, owners, err) &&
	    !begin_to_wait(path, fd, status, err))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* --- Opening ------------------------------------------------------------------------------- */

/* Begins to unpack the input; the bytes read so far are packed. */
static void begin_unpacking(struct stream *stream)
{
	stream->packed = xcalloc(STEP, 1);
	stream->packed_end = stream->end;
	memcpy(stream->packed, stream->bytes, stream->end);
	stream->end = 0;
	fill_buffer(stream);
}

/* Finds out whether the input is packed. Returns 0, or -1 with an error that lacks the name. */
static int begin_input(struct stream *stream, struct err *err)
{
	while (unpack_wants_more(stream->bytes, stream->end) && fill_buffer(stream))
		;
	if (unpack_new(&stream->unpack, stream->bytes, stream->end, err))
		return -1;
	if (stream->unpack)
		begin_unpacking(stream);
	else
		stream->input.size = stream->file_size;
	if (stream->end)
		return 0;
	if (stream->input.error)
		*err = stream->problem;
	else
		err_set(err, "is empty");
	return -1;
}

static struct stream *stream_new(const char *name, int fd, const struct stat *status)
{
	struct stream *stream = xcalloc(1, sizeof(*stream));

	set_capacity(stream, CAPACITY_SMALL);
	stream->input.name = xstrdup(name);
	stream->fd = fd;
	stream->owns_fd = fd != STDIN_FILENO;
	stream->input.is_file = S_ISREG(status->st_mode);
	stream->file_size = stream->input.is_file ? (uint64_t)status->st_size : 0;
	return stream;
}

struct input *input_open(const char *path, enum input_owners owners, struct err *err)
{
	bool standard = strcmp(path, "-") == 0;
	struct stream *stream;
	struct stat status;
	int fd = standard ? STDIN_FILENO : open_file(path, owners, &status, err);

	if (standard && look_at_file(path, fd, &status, err))
		return NULL;
	if (fd < 0)
		return NULL;
	stream = stream_new(standard ? "standard input" : path, fd, &status);
	stream->input.owners = owners;
	if (begin_input(stream, err)) {
		err_wrap(err, "%s", stream->input.name);
		input_close(&stream->input);
		return NULL;
	}
	return &stream->input;
}

struct input *input_again(const struct input *input, struct err *err)
{
	const struct stream *stream = (const struct stream *)input;
	struct stream *again;
	char *path;
	int fd;

	if (!input->size) {
		err_set(err, "cannot be read twice");
		return NULL;
	}
	path = xasprintf("/proc/self/fd/%d", stream->fd); /* a new open file with its own offset */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (fd < 0) {
		err_set(err, "cannot be read twice: %m");
		return NULL;
	}
	again = xcalloc(1, sizeof(*again));
	set_capacity(again, CAPACITY_SMALL);
	again->input.name = xstrdup(input->name);
	again->fd = fd;
	again->owns_fd = true;
	again->input.owners = input->owners;
	again->input.is_file = input->is_file;
	again->input.size = again->file_size = stream->file_size;
	return &again->input;
}

void input_close(struct input *input)
{
	struct stream *stream = (struct stream *)input;

	if (!stream)
		return;
	if (stream->owns_fd)
		close(stream->fd);
	unpack_free(stream->unpack);
	free(stream->packed);
	free(stream->bytes);
	free(stream->input.name);
	free(stream);
}

/* --- Looking and consuming ----------------------------------------------------------------- */

size_t input_peek(struct input *input, const void **bytes, size_t need)
{
	struct stream *stream = (struct stream *)input;

	while (stream->end - stream->begin < need && fill_buffer(stream))
		;
	*bytes = stream->bytes + stream->begin;
	return stream->end - stream->begin;
}

uint64_t input_skip(struct input *input, uint64_t count)
{
	struct stream *stream = (struct stream *)input;
	uint64_t left = count;

	while (left) {
		size_t step = stream->end - stream->begin;

		if (step > left)
			step = (size_t)left;
		stream->begin += step;
		input->offset += step;
		left -= step;
		if (left && !fill_buffer(stream))
			break;
	}
	return count - left;
}

/* Drops the rest of a line that was too long. */
static void skip_rest_of_line(struct stream *stream)
{
	while (stream->cut) {
		char *bytes = stream->bytes + stream->begin;
		size_t count = stream->end - stream->begin;
		char *newline = memchr(bytes, '\n', count);

		input_skip(&stream->input, newline ? (size_t)(newline - bytes) + 1 : count);
		stream->cut = !newline && fill_buffer(stream);
	}
}

char *input_line(struct input *input, size_t *length)
{
	struct stream *stream = (struct stream *)input;
	size_t seen = 0;
	char *line, *newline;

	skip_rest_of_line(stream);
	for (;;) {
		line = stream->bytes + stream->begin;
		newline = memchr(line + seen, '\n', stream->end - stream->begin - seen);
		seen = stream->end - stream->begin;
		if (newline || seen > INPUT_LINE_MAX || !fill_buffer(stream))
			break;
	}
	line = stream->bytes + stream->begin;
	if (!seen)
		return NULL;
	*length = newline ? (size_t)(newline - line) : seen;
	stream->cut = *length > INPUT_LINE_MAX;
	if (stream->cut)
		*length = INPUT_LINE_MAX;
	input_skip(input, newline || stream->cut ? *length + 1 : *length);
	if (*length && line[*length - 1] == '\r')
		--*length;
	line[*length] = '\0';
	return line;
}

/* --- At an offset -------------------------------------------------------------------------- */

int input_read_at(const struct input *input, void *bytes, size_t count, uint64_t offset,
		  struct err *err)
{
	const struct stream *stream = (const struct stream *)input;
	char *to = bytes;

	if (!input->size)
		return err_set(err, "cannot be read at an offset");
	while (count) {
		ssize_t got = offset > INT64_MAX ? 0 : pread(stream->fd, to, count, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set(err, "cannot read: %m");
		if (got == 0)
			return err_set(err, "is shorter than its table of contents says");
		to += got;
		offset += (uint64_t)got;
		count -= (size_t)got;
	}
	return 0;
}

/* Refuses input that grows too much: a file made to fill the disk is small when it is packed. */
static int check_growth(const struct stream *stream, uint64_t size, struct err *err)
{
	if (!stream->unpack || size < GROWTH_FREE || size / GROWTH_MAX < stream->received)
		return 0;
	return err_set(err,
		       "unpacks to more than %d times its size, and no recording does; if it is "
		       "one, unpack it first",
		       GROWTH_MAX);
}

/* Writes the buffered bytes and the rest of the input to a file. */
static int spool(struct stream *stream, int fd, uint64_t *size, struct err *err)
{
	*size = 0;
	do {
		size_t count = stream->end - stream->begin;

		if (scratch_file_write(fd, stream->bytes + stream->begin, count, err))
			return -1;
		*size += count;
		if (check_growth(stream, *size, err))
			return -1;
		stream->begin = stream->end = 0;
	} while (fill_buffer(stream));
	if (!stream->input.error)
		return 0;
	*err = stream->problem;
	return -1;
}

/* Replaces the input by the file. */
static void replace(struct stream *stream, int fd, uint64_t size)
{
	if (stream->owns_fd)
		close(stream->fd);
	stream->fd = fd;
	stream->owns_fd = true;
	unpack_free(stream->unpack);
	stream->unpack = NULL;
	stream->input.size = stream->file_size = size;
	stream->received = 0;
	stream->ended = false;
}

int input_make_seekable(struct input *input, struct err *err)
{
	struct stream *stream = (struct stream *)input;
	uint64_t size;
	int fd;

	if (input->size)
		return 0;
	assert(!input->offset);
	fd = scratch_file_open(err);
	if (fd < 0)
		return -1;
	if (spool(stream, fd, &size, err))
		goto fail;
	if (lseek(fd, 0, SEEK_SET)) {
		err_set(err, "cannot be read again from a temporary file: %m");
		goto fail;
	}
	replace(stream, fd, size);
	return 0;
fail:
	close(fd);
	return -1;
}
