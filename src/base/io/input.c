/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/input.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/files.h"
#include "base/io/unpack.h"

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
	STEP = 1 << 18,	      /* bytes to read at once: what is read stays in the cache of a core */
	SMALL_REST = 1 << 14, /* bytes that may be moved for it at each step */
	GROWTH_MAX = 100,     /* times that unpacked bytes may be more than packed ones ... */
	GROWTH_FREE = 1 << 26 /* ... where they are more than these */
};

struct input {
	char *path;
	int fd;
	bool owns_fd;
	enum input_owners owners;
	bool is_file;
	bool ended;	    /* nothing more can be read */
	bool stopped;	    /* ... because nobody wants it */
	bool cut;	    /* the line given last was too long and its rest is still to come */
	uint64_t file_size; /* of a regular file, else 0 */
	uint64_t received;  /* bytes that have been read of it */
	uint64_t consumed;
	size_t begin, end;		 /* what is buffered and not consumed: bytes[begin..end) */
	struct unpack *unpack;		 /* NULL: it is not packed; else: */
	char *packed;			 /* what has been read ... */
	size_t packed_begin, packed_end; /* ... and not been unpacked */
	struct err problem;		 /* without the name, */
	struct err error;		 /* and with it */
	unsigned idle_ms;
	void (*watch)(void *context, uint64_t done, uint64_t size);
	void *watch_context;
	char bytes[CAPACITY + 1]; /* one more for the NUL of a last line */
};

const char *input_name(const struct input *input)
{
	return input->path;
}

enum input_owners input_owners(const struct input *input)
{
	return input->owners;
}

bool input_is_file(const struct input *input)
{
	return input->is_file;
}

uint64_t input_offset(const struct input *input)
{
	return input->consumed;
}

uint64_t input_size(const struct input *input)
{
	return input->unpack ? 0 : input->file_size;
}

void input_watch(struct input *input, unsigned idle_ms,
		 void (*watch)(void *context, uint64_t done, uint64_t size), void *context)
{
	input->idle_ms = idle_ms;
	input->watch = watch;
	input->watch_context = context;
}

void input_stop(struct input *input)
{
	input->ended = input->stopped = true;
}

const char *input_error(const struct input *input)
{
	return *input->error.text ? input->error.text : NULL;
}

const char *input_problem(const struct input *input)
{
	return *input->problem.text ? input->problem.text : NULL;
}

/* --- Reading ------------------------------------------------------------------------------- */

/* What is in input->problem ends the input. */
static size_t fail(struct input *input)
{
	input->ended = true;
	input->error = input->problem;
	err_wrap(&input->error, "%s", input->path);
	return 0;
}

static void tell_watcher(const struct input *input)
{
	if (input->watch)
		input->watch(input->watch_context, input->received, input->file_size);
}

/* Until there is something to read, or the end. */
static void wait_for_bytes(const struct input *input)
{
	struct pollfd pollfd = {.fd = input->fd, .events = POLLIN};
	int rc = 0;

	while (!input->ended && rc == 0) {
		rc = poll(&pollfd, 1, (int)input->idle_ms);
		if (rc == 0)
			tell_watcher(input);
		else if (rc < 0 && errno == EINTR)
			rc = 0;
	}
}

/* Reads once. Returns 0 when nothing more will come. */
static size_t receive(struct input *input, char *to, size_t room)
{
	ssize_t got;

	if (input->idle_ms)
		wait_for_bytes(input);
	if (input->ended)
		return 0;
	do
		got = read(input->fd, to, room);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		err_set(&input->problem, "cannot read: %m");
		return fail(input);
	}
	if (got == 0) {
		input->ended = true;
		return 0;
	}
	input->received += (size_t)got;
	tell_watcher(input);
	return (size_t)got;
}

/* Unpacks something. Returns 0 when nothing more will come. */
static size_t receive_packed(struct input *input, char *to, size_t room)
{
	struct unpack_span span = {.out = to, .out_count = room};

	while (!input_error(input)) {
		span.in = input->packed + input->packed_begin;
		span.in_count = input->packed_end - input->packed_begin;
		if (unpack_run(input->unpack, &span, &input->problem))
			fail(input);
		input->packed_begin = input->packed_end - span.in_count;
		if (span.out_count < room)
			return room - span.out_count;
		if (input_error(input))
			break;
		input->packed_begin = 0;
		input->packed_end = receive(input, input->packed, STEP);
		if (!input->packed_end && (input->stopped || input_error(input)))
			break;
		if (!input->packed_end)
			return unpack_finish(input->unpack, &input->problem) ? fail(input) : 0;
	}
	return 0;
}

/* Reads once, behind what is buffered. Returns false when nothing more will come. */
static bool fill_buffer(struct input *input)
{
	size_t rest = input->end - input->begin, got;
	char *to;

	if (rest <= SMALL_REST || CAPACITY - input->end < STEP) {
		memmove(input->bytes, input->bytes + input->begin, rest);
		input->begin = 0;
		input->end = rest;
	}
	to = input->bytes + input->end;
	got = input->unpack ? receive_packed(input, to, STEP) : receive(input, to, STEP);
	input->end += got;
	return got > 0;
}

/* --- Files --------------------------------------------------------------------------------- */

/* Has the user opened the pipe or the device, as standard input is? For /dev/stdin and /dev/fd/N. */
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
		       "reads it all the same",
		       path, status->st_uid);
}

/* Is it open, and no directory? Returns 0, or -1 with a sentence. */
static int look_at_file(const char *path, int fd, struct stat *status, struct err *err)
{
	if (fd < 0 || fstat(fd, status))
		return err_set(err, "%s: cannot open: %m", path);
	if (S_ISDIR(status->st_mode))
		return err_set(err, "%s: is a directory, not a file", path);
	return 0;
}

/* A FIFO has been opened without waiting for its writer, so that it could be looked at. */
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
 * A FIFO is not waited for before its owner is known. Returns a descriptor that is closed on exec,
 * or -1 with a sentence.
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

/* What has been read so far is packed. */
static void begin_unpacking(struct input *input)
{
	input->packed = xcalloc(STEP, 1);
	input->packed_end = input->end;
	memcpy(input->packed, input->bytes, input->end);
	input->end = 0;
	fill_buffer(input);
}

/* Looks what it is. The sentence lacks the name. */
static int begin_input(struct input *input, struct err *err)
{
	while (unpack_wants_more(input->bytes, input->end) && fill_buffer(input))
		;
	if (unpack_new(&input->unpack, input->bytes, input->end, err))
		return -1;
	if (input->unpack)
		begin_unpacking(input);
	if (input->end)
		return 0;
	if (input_error(input))
		*err = input->problem;
	else
		err_set(err, "is empty");
	return -1;
}

static struct input *input_new(const char *path, int fd, const struct stat *status)
{
	bool standard = strcmp(path, "-") == 0;
	struct input *input = xcalloc(1, sizeof(*input));

	input->path = xstrdup(standard ? "standard input" : path);
	input->fd = fd;
	input->owns_fd = !standard;
	input->is_file = S_ISREG(status->st_mode);
	input->file_size = input->is_file ? (uint64_t)status->st_size : 0;
	return input;
}

struct input *input_open(const char *path, struct err *err)
{
	return input_open_of(path, INPUT_OF_ANYONE, err);
}

struct input *input_open_of(const char *path, enum input_owners owners, struct err *err)
{
	bool standard = strcmp(path, "-") == 0;
	struct input *input;
	struct stat status;
	int fd = standard ? STDIN_FILENO : open_file(path, owners, &status, err);

	if (standard && look_at_file(path, fd, &status, err))
		return NULL;
	if (fd < 0)
		return NULL;
	input = input_new(path, fd, &status);
	input->owners = owners;
	if (begin_input(input, err)) {
		err_wrap(err, "%s", input->path);
		input_close(input);
		return NULL;
	}
	return input;
}

struct input *input_again(const struct input *input, struct err *err)
{
	struct input *again;
	char *path;
	int fd;

	if (!input_size(input)) {
		err_set(err, "cannot be read twice");
		return NULL;
	}
	path = xasprintf("/proc/self/fd/%d", input->fd); /* with a place in the file of its own */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (fd < 0) {
		err_set(err, "cannot be read twice: %m");
		return NULL;
	}
	again = xcalloc(1, sizeof(*again));
	again->path = xstrdup(input->path);
	again->fd = fd;
	again->owns_fd = true;
	again->owners = input->owners;
	again->is_file = input->is_file;
	again->file_size = input->file_size;
	return again;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	if (input->owns_fd)
		close(input->fd);
	unpack_free(input->unpack);
	free(input->packed);
	free(input->path);
	free(input);
}

/* --- Looking and consuming ----------------------------------------------------------------- */

size_t input_peek(struct input *input, const void **bytes, size_t need)
{
	while (input->end - input->begin < need && fill_buffer(input))
		;
	*bytes = input->bytes + input->begin;
	return input->end - input->begin;
}

uint64_t input_skip(struct input *input, uint64_t count)
{
	uint64_t left = count;

	while (left) {
		size_t step = input->end - input->begin;

		if (step > left)
			step = (size_t)left;
		input->begin += step;
		input->consumed += step;
		left -= step;
		if (left && !fill_buffer(input))
			break;
	}
	return count - left;
}

/* Drops what is left of a line that was too long. */
static void skip_rest_of_line(struct input *input)
{
	while (input->cut) {
		char *bytes = input->bytes + input->begin;
		size_t count = input->end - input->begin;
		char *newline = memchr(bytes, '\n', count);

		input_skip(input, newline ? (size_t)(newline - bytes) + 1 : count);
		input->cut = !newline && fill_buffer(input);
	}
}

char *input_line(struct input *input, size_t *length)
{
	size_t seen = 0;
	char *line, *newline;

	skip_rest_of_line(input);
	for (;;) {
		line = input->bytes + input->begin;
		newline = memchr(line + seen, '\n', input->end - input->begin - seen);
		seen = input->end - input->begin;
		if (newline || seen > INPUT_LINE_MAX || !fill_buffer(input))
			break;
	}
	line = input->bytes + input->begin;
	if (!seen)
		return NULL;
	*length = newline ? (size_t)(newline - line) : seen;
	input->cut = *length > INPUT_LINE_MAX;
	if (input->cut)
		*length = INPUT_LINE_MAX;
	input_skip(input, newline || input->cut ? *length + 1 : *length);
	if (*length && line[*length - 1] == '\r')
		--*length;
	line[*length] = '\0';
	return line;
}

/* --- At an offset -------------------------------------------------------------------------- */

int input_read_at(const struct input *input, void *bytes, size_t count, uint64_t offset,
		  struct err *err)
{
	char *to = bytes;

	if (!input_size(input))
		return err_set(err, "cannot be read at an offset");
	while (count) {
		ssize_t got = pread(input->fd, to, count, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set(err, "cannot read: %m");
		if (got == 0)
			return err_set(err, "ends before its own table of contents says");
		to += got;
		offset += (uint64_t)got;
		count -= (size_t)got;
	}
	return 0;
}

/* A file that was made to fill a disk is small when it is packed. */
static int check_growth(const struct input *input, uint64_t size, struct err *err)
{
	if (!input->unpack || size < GROWTH_FREE || size / GROWTH_MAX < input->received)
		return 0;
	return err_set(err,
		       "unpacks to more than %d times its size, as no recording does; if it is "
		       "one, unpack it before",
		       GROWTH_MAX);
}

/* All that is there and comes. */
static int spool(struct input *input, int fd, uint64_t *size, struct err *err)
{
	*size = 0;
	do {
		size_t count = input->end - input->begin;

		if (scratch_file_write(fd, input->bytes + input->begin, count, err))
			return -1;
		*size += count;
		if (check_growth(input, *size, err))
			return -1;
		input->begin = input->end = 0;
	} while (fill_buffer(input));
	if (!input_error(input))
		return 0;
	*err = input->problem;
	return -1;
}

/* From now on the input is the file. */
static void replace(struct input *input, int fd, uint64_t size)
{
	if (input->owns_fd)
		close(input->fd);
	input->fd = fd;
	input->owns_fd = true;
	unpack_free(input->unpack);
	input->unpack = NULL;
	input->file_size = size;
	input->received = 0;
	input->ended = false;
}

int input_make_seekable(struct input *input, struct err *err)
{
	uint64_t size;
	int fd;

	if (input_size(input))
		return 0;
	assert(!input->consumed);
	fd = scratch_file_open(err);
	if (fd < 0)
		return -1;
	if (spool(input, fd, &size, err))
		goto fail;
	if (lseek(fd, 0, SEEK_SET)) {
		err_set(err, "cannot be read again from a temporary file: %m");
		goto fail;
	}
	replace(input, fd, size);
	return 0;
fail:
	close(fd);
	return -1;
}
