/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/input.h"

#include "base/alloc.h"
#include "base/err.h"
#include "support.h"

#define ZLIB_CONST
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct input *open_bytes(const void *bytes, size_t length)
{
	struct err err = {.text = ""};
	struct input *input = input_open(file_with(bytes, length), INPUT_OF_ANYONE, &err);

	if (!input)
		fail_msg("%s", err.text);
	return input;
}

/* Bytes that depend on their offset. */
static unsigned char *ramp(size_t length)
{
	unsigned char *bytes = xcalloc(length, 1);

	for (size_t i = 0; i < length; i++)
		bytes[i] = (unsigned char)(i * 7 + i / 251);
	return bytes;
}

static void a_peek_sees_as_much_as_it_asks_for_and_consumes_nothing(void **state)
{
	enum { LENGTH = 3 * INPUT_PEEK_MAX + 17, STEP = 65535 };
	unsigned char *bytes = ramp(LENGTH);
	struct input *input = open_bytes(bytes, LENGTH);
	const void *seen;
	size_t at = 0;

	(void)state;
	while (at + STEP <= LENGTH) {
		size_t have = input_peek(input, &seen, STEP);

		assert_true(have >= STEP);
		assert_memory_equal(seen, bytes + at, STEP);
		assert_int_equal(input->offset, at);
		assert_int_equal(input_skip(input, STEP), STEP);
		at += STEP;
	}
	assert_int_equal(input_peek(input, &seen, INPUT_PEEK_MAX), LENGTH - at);
	assert_memory_equal(seen, bytes + at, LENGTH - at);
	assert_int_equal(input_skip(input, UINT64_MAX), LENGTH - at);
	assert_int_equal(input_peek(input, &seen, 1), 0);
	assert_int_equal(input->offset, LENGTH);
	assert_null(input->error);
	input_close(input);
	free(bytes);
}

static void the_largest_peek_works_from_any_place(void **state)
{
	enum { LENGTH = 3 * INPUT_PEEK_MAX };
	static const size_t places[] = {
		0, 1, 4095, INPUT_PEEK_MAX - 1, INPUT_PEEK_MAX, 2 * INPUT_PEEK_MAX - 1};
	unsigned char *bytes = ramp(LENGTH);

	(void)state;
	for (size_t i = 0; i < COUNT(places); i++) {
		struct input *input = open_bytes(bytes, LENGTH);
		const void *seen;

		input_peek(input, &seen, 1);
		assert_int_equal(input_skip(input, places[i]), places[i]);
		assert_true(input_peek(input, &seen, INPUT_PEEK_MAX) >= INPUT_PEEK_MAX);
		assert_memory_equal(seen, bytes + places[i], INPUT_PEEK_MAX);
		input_close(input);
	}
	free(bytes);
}

static void lines_end_in_lf_or_crlf_or_with_the_input(void **state)
{
	static const struct {
		const char *text;
		size_t count;
		const char *lines[5];
	} cases[] = {
		{"a\nbc\n", 2, {"a", "bc"}},
		{"a\nbc", 2, {"a", "bc"}},
		{"a\r\nbc\r\n", 2, {"a", "bc"}},
		{"a\r\nbc\r", 2, {"a", "bc"}},
		{"\n\n", 2, {"", ""}},
		{"\r\n\n\r\n", 3, {"", "", ""}},
		{"a\rb\n", 1, {"a\rb"}},
		{"a\r\r\n", 1, {"a\r"}},
		{"x", 1, {"x"}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct input *input = open_bytes(cases[i].text, strlen(cases[i].text));
		size_t length;

		for (size_t k = 0; k < cases[i].count; k++) {
			const char *line = input_line(input, &length);

			assert_non_null(line);
			assert_string_equal(line, cases[i].lines[k]);
			assert_int_equal(length, strlen(cases[i].lines[k]));
		}
		assert_null(input_line(input, &length));
		assert_null(input_line(input, &length));
		input_close(input);
	}
}

static void a_nul_is_a_byte_of_a_line_like_any_other(void **state)
{
	struct input *input = open_bytes("a\0b\nc", 5);
	size_t length;
	const char *line = input_line(input, &length);

	(void)state;
	assert_int_equal(length, 3);
	assert_memory_equal(line, "a\0b", 4);
	input_close(input);
}

static void lines_cross_the_ends_of_buffers(void **state)
{
	enum { LINES = 200000 };
	char *text = xcalloc(LINES, 24), *at = text;
	struct input *input;
	char want[32];

	(void)state;
	for (int i = 0; i < LINES; i++)
		at += sprintf(at, "line %d of many\n", i);
	input = open_bytes(text, (size_t)(at - text));
	for (int i = 0; i < LINES; i++) {
		size_t length;
		const char *line = input_line(input, &length);

		snprintf(want, sizeof(want), "line %d of many", i);
		assert_non_null(line);
		assert_string_equal(line, want);
	}
	assert_int_equal(input->offset, at - text);
	input_close(input);
	free(text);
}

static void the_part_of_a_line_beyond_its_limit_is_dropped(void **state)
{
	static const size_t lengths[] = {
		INPUT_LINE_MAX - 1, INPUT_LINE_MAX,	    INPUT_LINE_MAX + 1,
		INPUT_LINE_MAX + 2, 2 * INPUT_LINE_MAX,	    2 * INPUT_PEEK_MAX - 1,
		2 * INPUT_PEEK_MAX, 2 * INPUT_PEEK_MAX + 1, 5 * INPUT_PEEK_MAX + 3};

	(void)state;
	for (size_t i = 0; i < COUNT(lengths); i++) {
		size_t total = 6 + lengths[i] + 6, length;
		size_t kept = lengths[i] < INPUT_LINE_MAX ? lengths[i] : INPUT_LINE_MAX;
		char *text = xcalloc(total, 1);
		struct input *input;
		const char *line;

		memcpy(text, "first\n", 6);
		memset(text + 6, 'x', lengths[i]);
		memcpy(text + 6 + lengths[i], "\nlast\n", 6);
		input = open_bytes(text, total);
		assert_string_equal(input_line(input, &length), "first");
		line = input_line(input, &length);
		assert_int_equal(length, kept);
		assert_memory_equal(line, text + 6, kept);
		assert_int_equal(line[kept], '\0');
		assert_string_equal(input_line(input, &length), "last");
		assert_null(input_line(input, &length));
		input_close(input);
		free(text);
	}
}

static void an_endless_line_ends_with_the_input(void **state)
{
	enum { LENGTH = 4 * INPUT_PEEK_MAX };
	char *text = xcalloc(LENGTH, 1);
	struct input *input;
	size_t length;

	(void)state;
	memset(text, 'x', LENGTH);
	input = open_bytes(text, LENGTH);
	assert_non_null(input_line(input, &length));
	assert_int_equal(length, INPUT_LINE_MAX);
	assert_null(input_line(input, &length));
	input_close(input);
	free(text);
}

/* --- Pipes --------------------------------------------------------------------------------- */

struct writer {
	int fd;
	const unsigned char *bytes;
	size_t length, step;
};

static void *write_in_steps(void *data)
{
	struct writer *writer = data;

	for (size_t at = 0; at < writer->length; at += writer->step) {
		size_t left = writer->length - at;
		size_t step = left < writer->step ? left : writer->step;

		if (write(writer->fd, writer->bytes + at, step) != (ssize_t)step)
			break;
	}
	close(writer->fd);
	return NULL;
}

static void a_pipe_is_read_in_pieces_of_any_size(void **state)
{
	static const size_t steps[] = {1, 3, 4096, 70000};
	enum { LENGTH = 40000 };
	unsigned char *bytes = ramp(LENGTH);

	(void)state;
	for (size_t i = 0; i < COUNT(steps); i++) {
		struct writer writer = {.bytes = bytes, .length = LENGTH, .step = steps[i]};
		struct err err = {.text = ""};
		struct input *input;
		const void *seen;
		pthread_t thread;
		char path[32];
		int ends[2];

		assert_int_equal(pipe(ends), 0);
		writer.fd = ends[1];
		assert_int_equal(pthread_create(&thread, NULL, write_in_steps, &writer), 0);
		snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
		input = input_open(path, INPUT_OF_ANYONE, &err);
		assert_non_null(input);
		assert_int_equal(input->size, 0);
		assert_true(input_peek(input, &seen, 1000) >= 1000);
		assert_memory_equal(seen, bytes, 1000);
		assert_int_equal(input_skip(input, 30000), 30000);
		assert_true(input_peek(input, &seen, INPUT_PEEK_MAX) == LENGTH - 30000);
		assert_memory_equal(seen, bytes + 30000, LENGTH - 30000);
		assert_int_equal(pthread_join(thread, NULL), 0);
		input_close(input);
		close(ends[0]);
	}
	free(bytes);
}

static void minus_is_standard_input_and_stays_open(void **state)
{
	struct err err = {.text = ""};
	struct input *input;
	int ends[2], saved = dup(STDIN_FILENO);
	size_t length;
	char letter;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "one\ntwo\n", 8), 8);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	input = input_open("-", INPUT_OF_ANYONE, &err);
	assert_non_null(input);
	assert_string_equal(input->name, "standard input");
	assert_string_equal(input_line(input, &length), "one");
	input_close(input);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(read(STDIN_FILENO, &letter, 1), 1);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(ends[0]);
	close(ends[1]);
}

/* --- Refusals ------------------------------------------------------------------------------ */

static void a_path_that_is_no_input_is_refused_with_a_sentence(void **state)
{
	static const struct {
		const char *path, *why;
	} cases[] = {
		{"/nonexistent/file", "/nonexistent/file: cannot open: No such file or directory"},
		{"/tmp", "/tmp: is a directory, not a file"},
		{"", "the name of the input is empty; name a file"},
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_null(input_open(cases[i].path, INPUT_OF_ANYONE, &err));
		assert_string_equal(err.text, cases[i].why);
	}
	assert_null(input_open(file_with("", 0), INPUT_OF_ANYONE, &err));
	assert_non_null(strstr(err.text, ": is empty"));
}

static void an_input_that_cannot_be_read_is_refused_with_a_sentence(void **state)
{
	struct err err = {.text = ""};
	int ends[2], saved = dup(STDIN_FILENO);

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[1], STDIN_FILENO), STDIN_FILENO); /* open for writing only */
	assert_null(input_open("-", INPUT_OF_ANYONE, &err));
	assert_string_equal(err.text, "standard input: cannot read: Bad file descriptor");
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(ends[0]);
	close(ends[1]);
}

/* The kernel gives files of /proc the size 0, but they can have content. */
static void a_file_is_empty_when_nothing_can_be_read_from_it(void **state)
{
	struct err err = {.text = ""};
	struct input *input = input_open("/proc/self/stat", INPUT_OF_ANYONE, &err);
	size_t length;

	(void)state;
	assert_non_null(input);
	assert_int_equal(input->size, 0);
	assert_int_equal(strtol(input_line(input, &length), NULL, 10), getpid());
	input_close(input);
}

static void reading_at_an_offset_does_not_move_the_stream(void **state)
{
	struct input *input = open_bytes("0123456789", 10);
	struct err err = {.text = ""};
	char bytes[10];
	size_t length;

	(void)state;
	assert_int_equal(input->size, 10);
	assert_int_equal(input_read_at(input, bytes, 3, 7, &err), 0);
	assert_memory_equal(bytes, "789", 3);
	assert_int_equal(input_read_at(input, bytes, 0, 99, &err), 0);
	assert_int_equal(input->offset, 0);
	assert_string_equal(input_line(input, &length), "0123456789");
	input_close(input);
}

static void reading_beyond_the_end_is_refused(void **state)
{
	static const struct {
		size_t count;
		uint64_t offset;
		const char *why;
	} cases[] = {
		{4, 7, "is shorter than"},
		{1, 10, "is shorter than"},
		{1, UINT64_C(1) << 40, "is shorter than"},
		{1, UINT64_MAX, "is shorter than"},
		{1, UINT64_C(1) << 63, "is shorter than"},
	};
	struct input *input = open_bytes("0123456789", 10);
	char bytes[10];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = {.text = ""};

		assert_int_equal(input_read_at(input, bytes, cases[i].count, cases[i].offset, &err),
				 -1);
		assert_non_null(strstr(err.text, cases[i].why));
	}
	input_close(input);
}

/* --- Packed -------------------------------------------------------------------------------- */

/* A member of gzip, which the caller frees. Level 0 stores the bytes as they are. */
static char *gzipped(const void *bytes, size_t length, int level, size_t *packed_length)
{
	z_stream stream = {.next_in = bytes, .avail_in = (unsigned)length};
	char *packed;

	assert_int_equal(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, 0), Z_OK);
	*packed_length = deflateBound(&stream, length);
	packed = xcalloc(*packed_length, 1);
	stream.next_out = (Bytef *)packed;
	stream.avail_out = (unsigned)*packed_length;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	*packed_length = stream.total_out;
	deflateEnd(&stream);
	return packed;
}

static void a_packed_file_reads_as_the_file_that_was_packed(void **state)
{
	enum { LENGTH = 3 * INPUT_PEEK_MAX + 17 };
	static const int levels[] = {0, 1, 9};
	unsigned char *bytes = ramp(LENGTH);

	(void)state;
	for (size_t i = 0; i < COUNT(levels); i++) {
		size_t length;
		char *packed = gzipped(bytes, LENGTH, levels[i], &length);
		struct input *input = open_bytes(packed, length);
		const void *seen;

		assert_true(input->is_file);
		assert_int_equal(input->size, 0);
		assert_true(input_peek(input, &seen, INPUT_PEEK_MAX) >= INPUT_PEEK_MAX);
		assert_memory_equal(seen, bytes, INPUT_PEEK_MAX);
		assert_int_equal(input_skip(input, LENGTH - 1000), LENGTH - 1000);
		assert_int_equal(input->offset, LENGTH - 1000);
		assert_int_equal(input_peek(input, &seen, 2000), 1000);
		assert_memory_equal(seen, bytes + LENGTH - 1000, 1000);
		assert_null(input->error);
		input_close(input);
		free(packed);
	}
	free(bytes);
}

static void packed_data_that_ends_early_ends_the_input_with_an_error(void **state)
{
	enum { LENGTH = 2 * INPUT_PEEK_MAX };
	unsigned char *bytes = ramp(LENGTH);
	size_t length;
	char *packed = gzipped(bytes, LENGTH, 0, &length);
	struct input *input = open_bytes(packed, length - 1);
	uint64_t got = input_skip(input, LENGTH);

	(void)state;
	assert_int_equal(got, LENGTH);
	assert_int_equal(input_skip(input, 1), 0);
	assert_non_null(strstr(input->error, ": its gzip data ends too early, after "));
	assert_ptr_equal(strstr(input->error, input->name), input->error);
	input_close(input);
	free(packed);
	free(bytes);
}

static void a_packed_empty_file_is_empty(void **state)
{
	size_t length;
	char *packed = gzipped("", 0, 6, &length);
	struct err err = {.text = ""};

	(void)state;
	assert_null(input_open(file_with(packed, length), INPUT_OF_ANYONE, &err));
	assert_non_null(strstr(err.text, ": is empty"));
	free(packed);
}

/* --- Made seekable ------------------------------------------------------------------------- */

/* Another reader gets all bytes, and does not move the first one. */
static void check_again(const struct input *input, const unsigned char *bytes, size_t length)
{
	uint64_t offset = input->offset;
	struct err err = {.text = ""};
	struct input *again = input_again(input, &err);
	const void *seen;

	assert_non_null(again);
	assert_string_equal(again->name, input->name);
	assert_int_equal(input_skip(again, length - 100), length - 100);
	assert_int_equal(input_peek(again, &seen, 200), 100);
	assert_memory_equal(seen, bytes + length - 100, 100);
	assert_int_equal(input->offset, offset);
	input_close(again);
}

static void check_seekable(struct input *input, const unsigned char *bytes, size_t length)
{
	unsigned char *all = xcalloc(length, 1);
	struct err err = {.text = ""};
	const void *seen;

	if (input_make_seekable(input, &err))
		fail_msg("%s", err.text);
	assert_int_equal(input->size, length);
	assert_int_equal(input->offset, 0);
	assert_int_equal(input_read_at(input, all, length, 0, &err), 0);
	assert_memory_equal(all, bytes, length);
	check_again(input, bytes, length);
	assert_int_equal(input_skip(input, length - 100), length - 100);
	check_again(input, bytes, length);
	assert_int_equal(input_peek(input, &seen, 200), 100);
	assert_memory_equal(seen, bytes + length - 100, 100);
	assert_null(input->error);
	free(all);
}

static void a_packed_file_and_a_plain_one_can_be_made_seekable(void **state)
{
	enum { LENGTH = 3 * INPUT_PEEK_MAX + 17 };
	unsigned char *bytes = ramp(LENGTH);
	size_t length;
	char *packed = gzipped(bytes, LENGTH, 1, &length);
	struct input *input = open_bytes(packed, length);
	struct err err = {.text = ""};
	char byte;

	(void)state;
	assert_int_equal(input_read_at(input, &byte, 1, 0, &err), -1);
	assert_null(input_again(input, &err));
	check_seekable(input, bytes, LENGTH);
	input_close(input);
	input = open_bytes(bytes, LENGTH);
	check_seekable(input, bytes, LENGTH);
	input_close(input);
	free(packed);
	free(bytes);
}

static void a_pipe_can_be_made_seekable_after_a_peek(void **state)
{
	enum { LENGTH = 300000 };
	unsigned char *bytes = ramp(LENGTH);
	struct writer writer = {.bytes = bytes, .length = LENGTH, .step = 5000};
	struct err err = {.text = ""};
	struct input *input;
	const void *seen;
	pthread_t thread;
	char path[32];
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	writer.fd = ends[1];
	assert_int_equal(pthread_create(&thread, NULL, write_in_steps, &writer), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	input = input_open(path, INPUT_OF_ANYONE, &err);
	assert_non_null(input);
	assert_false(input->is_file);
	assert_true(input_peek(input, &seen, 4096) >= 4096);
	check_seekable(input, bytes, LENGTH);
	assert_int_equal(pthread_join(thread, NULL), 0);
	input_close(input);
	close(ends[0]);
	free(bytes);
}

static void a_temporary_file_without_room_is_an_error_with_a_sentence(void **state)
{
	size_t length;
	char *packed = gzipped("0123456789", 10, 1, &length);
	struct input *input = open_bytes(packed, length);
	struct err err = {.text = ""};

	(void)state;
	setenv("TMPDIR", "/nonexistent", 1);
	assert_int_equal(input_make_seekable(input, &err), -1);
	unsetenv("TMPDIR");
	assert_string_equal(err.text, "cannot be kept in a temporary file in /nonexistent: No such "
				      "file or directory; set TMPDIR to a directory with room "
				      "for it");
	input_close(input);
	free(packed);
}

/* --- Watched ------------------------------------------------------------------------------- */

struct watched {
	uint64_t calls, done, size;
};

static void watch(void *context, uint64_t done, uint64_t size)
{
	struct watched *watched = context;

	assert_true(done > watched->done);
	watched->calls++;
	watched->done = done;
	watched->size = size;
}

static void a_watcher_learns_how_much_has_been_read(void **state)
{
	enum { LENGTH = 5 * INPUT_PEEK_MAX };
	unsigned char *bytes = ramp(LENGTH);
	struct input *input = open_bytes(bytes, LENGTH);
	struct watched watched = {0};

	(void)state;
	input_watch(input, 0, watch, &watched);
	assert_int_equal(input_skip(input, LENGTH), LENGTH);
	assert_true(watched.calls > 1);
	assert_int_equal(watched.done, LENGTH);
	assert_int_equal(watched.size, LENGTH);
	input_close(input);
	free(bytes);
}

static void a_watcher_of_a_packed_file_learns_the_packed_bytes(void **state)
{
	enum { LENGTH = 3 * INPUT_PEEK_MAX };
	unsigned char *bytes = ramp(LENGTH);
	size_t length;
	char *packed = gzipped(bytes, LENGTH, 0, &length);
	struct input *input = open_bytes(packed, length);
	struct watched watched = {0};

	(void)state;
	input_watch(input, 0, watch, &watched);
	assert_int_equal(input_skip(input, LENGTH), LENGTH);
	assert_true(watched.calls > 1);
	assert_int_equal(watched.done, length);
	assert_int_equal(watched.size, length);
	input_close(input);
	free(packed);
	free(bytes);
}

struct waiting {
	struct input *input;
	int calls, fd;
};

/* Writes something at the third call without new bytes, and stops the input at the sixth. */
static void wait_and_give_up(void *context, uint64_t done, uint64_t size)
{
	struct waiting *waiting = context;

	assert_int_equal(done, waiting->calls < 3 ? 10 : 15);
	assert_int_equal(size, 0);
	if (++waiting->calls == 3)
		assert_int_equal(write(waiting->fd, "later", 5), 5);
	if (waiting->calls == 6)
		input_stop(waiting->input);
}

static void a_watcher_is_called_while_no_byte_comes_and_can_end_the_input(void **state)
{
	struct waiting waiting = {0};
	struct err err = {.text = ""};
	const void *seen;
	char path[32];
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "0123456789", 10), 10);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	waiting.input = input_open(path, INPUT_OF_ANYONE, &err);
	waiting.fd = ends[1];
	assert_non_null(waiting.input);
	input_watch(waiting.input, 1, wait_and_give_up, &waiting);
	assert_int_equal(input_peek(waiting.input, &seen, 16), 15);
	assert_memory_equal(seen, "0123456789later", 15);
	assert_int_equal(waiting.calls, 6);
	assert_int_equal(input_skip(waiting.input, 99), 15);
	assert_null(waiting.input->error);
	input_close(waiting.input);
	close(ends[0]);
	close(ends[1]);
}

static void a_file_of_another_user_is_read_on_demand_only(void **state)
{
	static const struct {
		uid_t owner;
		enum input_owners owners;
		bool is_read;
	} cases[] = {
		{0, INPUT_OF_US, true},
		{0, INPUT_OF_ANYONE, true},
		{65534, INPUT_OF_US, false},
		{65534, INPUT_OF_ANYONE, true},
	};
	const char *path = file_with("bytes", 5);
	struct err err = {.text = ""};
	struct input *input;

	(void)state;
	if (geteuid() != 0)
		skip();
	unsetenv("SUDO_UID");
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(chown(path, cases[i].owner, (gid_t)-1), 0);
		input = input_open(path, cases[i].owners, &err);
		assert_int_equal(input != NULL, cases[i].is_read);
		if (input)
			assert_int_equal(input->owners, cases[i].owners);
		else
			assert_non_null(strstr(err.text, "belongs to another user (65534)"));
		input_close(input);
	}
	/* A file that the shell has opened is read. */
	assert_int_equal(dup2(open(path, O_RDONLY), STDIN_FILENO), STDIN_FILENO);
	input = input_open("/dev/stdin", INPUT_OF_US, &err);
	assert_non_null(input);
	input_close(input);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_peek_sees_as_much_as_it_asks_for_and_consumes_nothing),
	cmocka_unit_test(the_largest_peek_works_from_any_place),
	cmocka_unit_test(lines_end_in_lf_or_crlf_or_with_the_input),
	cmocka_unit_test(a_nul_is_a_byte_of_a_line_like_any_other),
	cmocka_unit_test(lines_cross_the_ends_of_buffers),
	cmocka_unit_test(the_part_of_a_line_beyond_its_limit_is_dropped),
	cmocka_unit_test(an_endless_line_ends_with_the_input),
	cmocka_unit_test(a_pipe_is_read_in_pieces_of_any_size),
	cmocka_unit_test(minus_is_standard_input_and_stays_open),
	cmocka_unit_test(a_path_that_is_no_input_is_refused_with_a_sentence),
	cmocka_unit_test(an_input_that_cannot_be_read_is_refused_with_a_sentence),
	cmocka_unit_test(a_file_is_empty_when_nothing_can_be_read_from_it),
	cmocka_unit_test(reading_at_an_offset_does_not_move_the_stream),
	cmocka_unit_test(reading_beyond_the_end_is_refused),
	cmocka_unit_test(a_packed_file_reads_as_the_file_that_was_packed),
	cmocka_unit_test(packed_data_that_ends_early_ends_the_input_with_an_error),
	cmocka_unit_test(a_packed_empty_file_is_empty),
	cmocka_unit_test(a_packed_file_and_a_plain_one_can_be_made_seekable),
	cmocka_unit_test(a_pipe_can_be_made_seekable_after_a_peek),
	cmocka_unit_test(a_temporary_file_without_room_is_an_error_with_a_sentence),
	cmocka_unit_test(a_file_of_another_user_is_read_on_demand_only),
	cmocka_unit_test(a_watcher_learns_how_much_has_been_read),
	cmocka_unit_test(a_watcher_of_a_packed_file_learns_the_packed_bytes),
	cmocka_unit_test(a_watcher_is_called_while_no_byte_comes_and_can_end_the_input),
};

TEST_FILE(tests);
