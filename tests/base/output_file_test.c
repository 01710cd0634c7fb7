/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/output_file.h"

#include "base/err.h"
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct output_kind usual = {.mode = 0666, .keeps_mode = true};

static int enter(void **state)
{
	static char root[32];

	strcpy(root, "/tmp/output_file_test.XXXXXX");
	*state = root;
	umask(022);
	return !mkdtemp(root) || chdir(root);
}

static int leave(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", (const char *)*state);
	return chdir("/") || system(command);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void holds(const char *path, const char *text)
{
	char bytes[64] = {0};
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	assert_int_equal(fread(bytes, 1, sizeof(bytes) - 1, file), strlen(text));
	assert_string_equal(bytes, text);
	fclose(file);
}

static size_t entries(void)
{
	DIR *directory = opendir(".");
	size_t count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count - 2; /* . and .. */
}

static void begin(struct output_file *file, const char *path, const struct output_kind *kind)
{
	struct err err = {""};
	size_t written;

	if (output_file_open(file, path, kind, &err))
		fail_msg("%s", err.text);
	assert_int_equal(output_file_write(file, "new", 3, &written, &err), 0);
	assert_int_equal(written, 3);
}

static void end(struct output_file *file, enum output_publish how)
{
	struct err err = {""};

	if (output_file_publish(file, how, &err))
		fail_msg("%s", err.text);
	assert_int_equal(output_file_close(file, &err), 0);
}

static void until_it_is_published_nothing_changes(void **state)
{
	struct output_file file;
	struct err err = {""};

	(void)state;
	put("there", "old");
	begin(&file, "there", &usual);
	holds("there", "old");
	output_file_close(&file, &err);
	holds("there", "old");
	assert_int_equal(entries(), 1);
	begin(&file, "there", &usual);
	end(&file, OUTPUT_REPLACES);
	holds("there", "new");
	assert_int_equal(entries(), 1);
}

static void what_had_the_name_is_kept_or_refused_as_one_likes(void **state)
{
	struct output_file file;
	struct err err = {""};

	(void)state;
	begin(&file, "a", &usual);
	end(&file, OUTPUT_IS_NEW);
	put("a", "old");
	begin(&file, "a", &usual);
	end(&file, OUTPUT_KEEPS_OLD);
	holds("a", "new");
	holds("a.old", "old");
	begin(&file, "a", &usual);
	assert_int_equal(output_file_publish(&file, OUTPUT_IS_NEW, &err), -1);
	assert_string_equal(err.text, "a: has been made by somebody else meanwhile");
	output_file_close(&file, &err);
	assert_int_equal(entries(), 2);
}

static void another_name_of_the_file_keeps_the_file(void **state)
{
	struct output_file file;

	(void)state;
	put("one", "old");
	assert_int_equal(link("one", "two"), 0);
	begin(&file, "two", &usual);
	end(&file, OUTPUT_REPLACES);
	holds("one", "old");
	holds("two", "new");
}

static void a_link_that_is_put_there_meanwhile_is_replaced(void **state)
{
	struct output_file file;
	struct stat status;

	(void)state;
	put("one", "old");
	begin(&file, "x", &usual);
	assert_int_equal(symlink("one", "x"), 0);
	end(&file, OUTPUT_REPLACES);
	holds("one", "old");
	assert_int_equal(lstat("x", &status), 0);
	assert_true(S_ISREG(status.st_mode));
}

static void the_mode_is_that_of_the_kind_or_of_the_file_before(void **state)
{
	static const struct {
		mode_t before, mode, want;
		bool keeps;
	} cases[] = {
		{0, 0666, 0644, true},	   {0, 0600, 0600, false},    {0640, 0666, 0640, true},
		{0644, 0600, 0600, false}, {06755, 0666, 0755, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct output_kind kind = {.mode = cases[i].mode,
						 .keeps_mode = cases[i].keeps};
		struct output_file file;
		struct stat status;

		unlink("x");
		if (cases[i].before) {
			put("x", "old");
			assert_int_equal(chmod("x", cases[i].before), 0);
		}
		begin(&file, "x", &kind);
		end(&file, OUTPUT_REPLACES);
		assert_int_equal(stat("x", &status), 0);
		assert_int_equal(status.st_mode & 07777, cases[i].want);
	}
}

static void the_longest_name_is_no_matter(void **state)
{
	char name[256] = {0};
	struct output_file file;

	(void)state;
	memset(name, 'x', 255);
	begin(&file, name, &usual);
	end(&file, OUTPUT_REPLACES);
	holds(name, "new");
}

static void a_special_file_is_written_as_it_is(void **state)
{
	static const struct output_kind seeks = {.mode = 0600, .seeks = true};
	static const struct output_kind regular = {.mode = 0666, .only_regular = true};
	struct output_file file;
	struct err err = {""};
	char bytes[4];
	size_t written;
	int fd;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	fd = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	begin(&file, "fifo", &usual);
	end(&file, OUTPUT_KEEPS_OLD);
	assert_int_equal(read(fd, bytes, sizeof(bytes)), 3);
	close(fd);
	/* Nobody reads, and nobody waits. */
	assert_int_equal(output_file_open(&file, "fifo", &seeks, &err), -1);
	assert_non_null(strstr(err.text, "fifo: is a pipe"));
	assert_int_equal(output_file_open(&file, "fifo", &regular, &err), -1);
	assert_non_null(strstr(err.text, "fifo: is there and is no regular file"));
	assert_int_equal(symlink("nowhere", "link"), 0);
	assert_int_equal(output_file_open(&file, "link", &regular, &err), -1);
	assert_non_null(strstr(err.text, "link: is there and is no regular file"));
	assert_int_equal(output_file_open(&file, "/dev/full", &seeks, &err), 0);
	assert_int_equal(output_file_write(&file, "x", 1, &written, &err), -1);
	assert_string_equal(err.text, "/dev/full: there is no room left on its disk");
	output_file_close(&file, &err);
}

static void what_cannot_be_written_is_said(void **state)
{
	static const struct {
		int code;
		const char *sentence;
	} cases[] = {
		{ENOSPC, "x: there is no room left on its disk"},
		{EFBIG, "x: has reached the size that a file may have ('ulimit -f')"},
		{EPIPE, "x: its reader has ended before it was complete"},
		{EACCES, "x: cannot write: Permission denied"},
	};
	struct err err = {""};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		errno = cases[i].code;
		assert_int_equal(output_file_refuse("x", &err), -1);
		assert_string_equal(err.text, cases[i].sentence);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(until_it_is_published_nothing_changes),
		TEST(what_had_the_name_is_kept_or_refused_as_one_likes),
		TEST(another_name_of_the_file_keeps_the_file),
		TEST(a_link_that_is_put_there_meanwhile_is_replaced),
		TEST(the_mode_is_that_of_the_kind_or_of_the_file_before),
		TEST(the_longest_name_is_no_matter),
		TEST(a_special_file_is_written_as_it_is),
		TEST(what_cannot_be_written_is_said),
	};

	return RUN_TESTS(tests);
}
