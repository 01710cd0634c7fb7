/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/input.h"

#include "base/alloc.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CAPACITY = 2 * INPUT_PEEK_MAX };

struct input {
	char *path;
	int fd;
	bool owns_fd;
	bool ended;
	bool cut; /* the line given last was too long and its rest is still to come */
	uint64_t size;
	uint64_t consumed;
	size_t begin, end; /* what is buffered and not consumed: bytes[begin..end) */
	struct err error;
	void (*watch)(void *context, uint64_t done, uint64_t size);
	void *watch_context;
	char bytes[CAPACITY + 1]; /* one more for the NUL of a last line */
};

struct input *input_open(const char *path, struct err *err)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct input *input;
	struct stat status;

	if (fd < 0 || fstat(fd, &status)) {
		err_set(err, "%s: cannot open: %m", path);
		goto fail;
	}
	if (S_ISDIR(status.st_mode)) {
		err_set(err, "%s: is a directory, not a file", path);
		goto fail;
	}
	if (S_ISREG(status.st_mode) && status.st_size == 0) {
		err_set(err, "%s: is empty", standard ? "standard input" : path);
		goto fail;
	}
	input = xcalloc(1, sizeof(*input));
	input->path = xstrdup(standard ? "standard input" : path);
	input->fd = fd;
	input->owns_fd = !standard;
	input->size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
	return input;
fail:
	if (fd >= 0 && !standard)
		close(fd);
	return NULL;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	if (input->owns_fd)
		close(input->fd);
	free(input->path);
	free(input);
}

const char *input_name(const struct input *input)
{
	return input->path;
}

uint64_t input_offset(const struct input *input)
{
	return input->consumed;
}

uint64_t input_size(const struct input *input)
{
	return input->size;
}

void input_watch(struct input *input, void (*watch)(void *context, uint64_t done, uint64_t size),
		 void *context)
{
	input->watch = watch;
	input->watch_context = context;
}

const char *input_error(const struct input *input)
{
	return *input->error.text ? input->error.text : NULL;
}

/* Reads once, behind what is buffered. Returns false when nothing more will come. */
static bool fill(struct input *input)
{
	ssize_t got;

	if (input->ended)
		return false;
	if (input->begin) {
		memmove(input->bytes, input->bytes + input->begin, input->end - input->begin);
		input->end -= input->begin;
		input->begin = 0;
	}
	do
		got = read(input->fd, input->bytes + input->end, CAPACITY - input->end);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		err_set(&input->error, "%s: cannot read: %m", input->path);
	if (got <= 0)
		input->ended = true;
	else
		input->end += (size_t)got;
	if (input->watch)
		input->watch(input->watch_context, input->consumed + input->end - input->begin,
			     input->size);
	return got > 0;
}

size_t input_peek(struct input *input, const void **bytes, size_t need)
{
	while (input->end - input->begin < need && fill(input))
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
		if (left && !fill(input))
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
		input->cut = !newline && fill(input);
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
		if (newline || seen > INPUT_LINE_MAX || !fill(input))
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

int input_read_at(const struct input *input, void *bytes, size_t count, uint64_t offset,
		  struct err *err)
{
	char *to = bytes;

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
