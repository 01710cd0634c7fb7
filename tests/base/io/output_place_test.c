/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/output_file.h"

#include "base/err.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { OTHER = 65534 };

/* Makes a directory with all files that the tables below name, and enters it. */
static int enter(void **state)
{
	static char root[] = "/tmp/output_place_test.XXXXXX";

	*state = root;
	if (!mkdtemp(root) || chmod(root, 0755) || chdir(root) || mkdir("dir", 0755) ||
	    mkdir("dir/inner", 0755) || mkdir("theirs", 0755) || mkdir("wide", 0777) ||
	    mkdir("sticky", 0777) || chmod("wide", 0777) || chmod("sticky", 01777) ||
	    close(open("dir/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) ||
	    symlink("dir/file", "to_file") || symlink("to_file", "to_link") ||
	    symlink("none", "dangling") || symlink("loop", "loop") || symlink("dir", "to_dir") ||
	    symlink("../dir", "dir/up") || mkfifo("dir/fifo", 0600) || mkfifo("sticky/fifo", 0600))
		return -1;
	return geteuid() != 0 ? 0 : chown("theirs", OTHER, OTHER);
}

static int leave(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", (const char *)*state);
	return chdir("/") || system(command);
}

/* Fails unless `path` leads to `name`, and to the file at `same`; NULL: to no file. */
static void leads_to(const char *path, const char *name, const char *same)
{
	static const struct output_path how = {.keep_link = false};
	struct output_place place;
	struct err err = {.text = ""};
	struct stat status;

	if (output_place_find(&place, path, &how, &err))
		fail_msg("%s", err.text);
	assert_string_equal(place.name, name);
	assert_int_equal(place.exists, same != NULL);
	if (same) {
		assert_int_equal(stat(same, &status), 0);
		assert_int_equal(place.status.st_ino, status.st_ino);
	}
	output_place_release(&place);
}

static void refused(const char *path, bool keep_link, const char *why)
{
	const struct output_path how = {.keep_link = keep_link};
	struct output_place place;
	struct err err = {.text = ""};

	assert_int_equal(output_place_find(&place, path, &how, &err), -1);
	if (strncmp(err.text, path, strlen(path)) || !strstr(err.text, why))
		fail_msg("%s: %s", path, err.text);
}

static void a_path_leads_where_the_kernel_would_go(void **state)
{
	static const struct {
		const char *path, *name, *same;
	} cases[] = {
		{"dir/file", "file", "dir/file"},
		{"./dir//inner/../file", "file", "dir/file"},
		{"new", "new", NULL},
		{"dir/new", "new", NULL},
		{"to_file", "file", "dir/file"},
		{"to_link", "file", "dir/file"},
		{"to_dir/file", "file", "dir/file"},
		{"to_dir/up/up/file", "file", "dir/file"},
		{"dangling", "none", NULL},
		{"/dev/null", "null", "/dev/null"},
		{"dir/fifo", "fifo", "dir/fifo"},
		{"sticky/fifo", "fifo", "sticky/fifo"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		leads_to(cases[i].path, cases[i].name, cases[i].same);
}

static void a_path_that_is_no_place_for_a_file_is_refused(void **state)
{
	static const struct {
		const char *path, *why;
	} cases[] = {
		{"dir", "is a directory"},
		{"dir/", "is a directory"},
		{"to_dir", "is a directory"},
		{".", "is a directory"},
		{"/", "is a directory"},
		{"dir/..", "is a directory"},
		{"", "is empty"},
		{"none/file", "No such file or directory"},
		{"dir/file/x", "Not a directory"},
		{"dir/file/", "Not a directory"},
		{"loop", "Too many levels"},
		{"loop/x", "Too many levels"},
	};
	char longest[400] = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		refused(cases[i].path, false, cases[i].why);
	memset(longest, 'x', sizeof(longest) - 1);
	refused(longest, false, "File name too long");
	strcpy(longest + 300, "/x");
	refused(longest, false, "File name too long");
}

static void an_open_file_of_the_process_is_itself(void **state)
{
	static const struct output_path how = {.keep_link = false};
	struct output_place place;
	struct err err = {.text = ""};
	char path[32];
	int fd, ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	if (output_place_find(&place, path, &how, &err))
		fail_msg("%s", err.text);
	assert_true(place.is_open_file);
	fd = output_place_open(&place, O_WRONLY, 0);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(read(ends[0], path, 2), 1);
	close(fd);
	close(ends[0]);
	close(ends[1]);
	output_place_release(&place);
}

static void missing_directories_are_made_on_request(void **state)
{
	static const struct output_path how = {.directories = 0700};
	struct output_place place;
	struct err err = {.text = ""};
	struct stat status;

	(void)state;
	refused("made/deep/x", false, "No such file or directory");
	assert_int_equal(output_place_find(&place, "made/deep/x", &how, &err), 0);
	output_place_release(&place);
	assert_int_equal(stat("made/deep", &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	assert_int_not_equal(access("made/deep/x", F_OK), 0);
}

static void a_link_that_appears_after_the_look_up_is_not_followed(void **state)
{
	static const struct output_path how = {.keep_link = false};
	struct output_place place;
	struct err err = {.text = ""};

	(void)state;
	assert_int_equal(output_place_find(&place, "dir/inner/soon", &how, &err), 0);
	assert_int_equal(symlink("../file", "dir/inner/soon"), 0);
	assert_int_equal(output_place_open(&place, O_WRONLY | O_CREAT, 0600), -1);
	/* A FIFO or a device is not opened if it was not there before, or was another one. */
	assert_int_equal(unlink("dir/inner/soon"), 0);
	assert_int_equal(mkfifo("dir/inner/soon", 0600), 0);
	assert_int_equal(output_place_open(&place, O_RDWR | O_CREAT, 0600), -1);
	assert_int_equal(errno, EEXIST);
	/* The file is made in the directory of the look-up, also if another one has its name
	 * now. */
	assert_int_equal(unlink("dir/inner/soon"), 0);
	assert_int_equal(rename("dir/inner", "dir/moved"), 0);
	assert_int_equal(symlink("../theirs", "dir/inner"), 0);
	close(output_place_open(&place, O_WRONLY | O_CREAT, 0600));
	assert_int_equal(access("dir/moved/soon", F_OK), 0);
	output_place_release(&place);
}

/* Makes a link to dir/file, or a FIFO. */
static void put(const char *path, bool is_fifo, uid_t owner)
{
	assert_int_equal(is_fifo ? mkfifo(path, 0666) : symlink("../dir/file", path), 0);
	assert_int_equal(lchown(path, owner, owner), 0);
}

static void root_follows_only_links_of_root(void **state)
{
	static const struct {
		const char *path;
		bool is_fifo;
		uid_t owner;
		const char *why; /* NULL: the link is followed */
	} cases[] = {
		{"dir/x", false, 0, NULL},
		{"dir/x", false, OTHER, "'x' is a symbolic link that another user may change"},
		{"theirs/x", false, 0, "'x' is a symbolic link that another user may change"},
		{"theirs/x", false, OTHER, "'x' is a symbolic link that another user may change"},
		{"wide/x", false, 0, "'x' is a symbolic link that another user may change"},
		{"sticky/x", false, 0, NULL},
		{"sticky/x", false, OTHER, "'x' is a symbolic link that another user may change"},
		{"dir/x", true, 0, NULL},
		{"dir/x", true, OTHER, NULL}, /* as a terminal belongs to its user */
		{"theirs/x", true, 0, "is not a regular file, and root does not write to it"},
		{"wide/x", true, 0, "is not a regular file, and root does not write to it"},
		{"sticky/x", true, 0, NULL},
		{"sticky/x", true, OTHER, "is not a regular file, and root does not write to it"},
	};

	(void)state;
	if (geteuid() != 0)
		skip();
	for (size_t i = 0; i < COUNT(cases); i++) {
		put(cases[i].path, cases[i].is_fifo, cases[i].owner);
		if (cases[i].why)
			refused(cases[i].path, false, cases[i].why);
		else
			leads_to(cases[i].path, cases[i].is_fifo ? "x" : "file",
				 cases[i].is_fifo ? cases[i].path : "dir/file");
		assert_int_equal(unlink(cases[i].path), 0);
	}
	for (int is_fifo = 0; is_fifo < 2; is_fifo++) {
		put("dir/x", is_fifo, 0);
		assert_int_equal(link("dir/x", "sticky/x"), 0); /* any user can do this, too */
		refused("sticky/x", false,
			is_fifo ? "is not a regular file, and root does not write to it"
				: "'x' is a symbolic link that another user may change");
		assert_int_equal(unlink("dir/x") | unlink("sticky/x"), 0);
	}
	assert_int_equal(symlink("../dir", "theirs/d"), 0);
	refused("theirs/d/new", false, "'d' is a symbolic link that another user may change");
	/* The owner of a link does not matter if the link is not followed. */
	put("theirs/x", false, OTHER);
	{
		static const struct output_path how = {.keep_link = true};
		struct output_place place;
		struct err err = {.text = ""};

		assert_int_equal(output_place_find(&place, "theirs/x", &how, &err), 0);
		assert_true(S_ISLNK(place.status.st_mode));
		output_place_release(&place);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_path_leads_where_the_kernel_would_go),
	cmocka_unit_test(a_path_that_is_no_place_for_a_file_is_refused),
	cmocka_unit_test(an_open_file_of_the_process_is_itself),
	cmocka_unit_test(missing_directories_are_made_on_request),
	cmocka_unit_test(a_link_that_appears_after_the_look_up_is_not_followed),
	cmocka_unit_test(root_follows_only_links_of_root),
};

TEST_FILE_WITH(tests, enter, leave);
