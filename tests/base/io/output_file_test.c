/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/output_file.h"

#include "base/err.h"
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
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
	struct err err = {.text = ""};
	size_t written;

	if (output_file_open(file, path, kind, &err))
		fail_msg("%s", err.text);
	assert_int_equal(output_file_write(file, "new", 3, &written, &err), 0);
	assert_int_equal(written, 3);
}

static void end(struct output_file *file, enum output_publish how)
{
	struct err err = {.text = ""};

	if (output_file_publish(file, how, &err))
		fail_msg("%s", err.text);
	assert_int_equal(output_file_close(file, &err), 0);
}

static void until_it_is_published_nothing_changes(void **state)
{
	struct output_file file;
	struct err err = {.text = ""};

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

/* The sentence begins with `why` and ends with the path of the kept file. */
static void is_kept(struct output_file *file, const struct err *err, const char *why)
{
	struct err ignored;
	const char *path = strrchr(err->text, ' ');

	output_file_close(file, &ignored);
	if (strncmp(err->text, why, strlen(why)) || !strstr(err->text, " is kept in "))
		fail_msg("%s", err->text);
	holds(path + 1, "new");
	unlink(strstr(path, "/pscal-") ? path + 1 : "");
}

static void the_older_file_is_kept_or_refused_by_choice(void **state)
{
	struct output_file file;
	struct err err = {.text = ""};

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
	is_kept(&file, &err, "a: was made by another process meanwhile; ");
	holds("a", "new");
	assert_int_equal(entries(), 3);
}

static void three_older_files_are_kept(void **state)
{
	static const char *const names[] = {"b", "b.old", "b.old.2", "b.old.3", "b.old.4"};
	static const char *const texts[] = {"1", "2", "3", "4", "5"};
	struct output_file file;

	(void)state;
	put("b", texts[0]);
	for (size_t i = 1; i < 5; i++) {
		begin(&file, "b", &usual);
		end(&file, OUTPUT_KEEPS_OLD);
		put("b", texts[i]);
	}
	for (size_t i = 0; i < 4; i++) {
		holds(names[i], texts[4 - i]);
		unlink(names[i]);
	}
	assert_int_equal(access(names[4], F_OK), -1);
}

static void a_file_that_cannot_get_its_name_is_kept(void **state)
{
	struct output_file file;
	struct err err = {.text = ""};

	(void)state;
	begin(&file, "x", &usual);
	assert_int_equal(mkdir("x", 0700), 0);
	assert_int_equal(output_file_publish(&file, OUTPUT_REPLACES, &err), -1);
	is_kept(&file, &err, "x: cannot be given its name: Is a directory; ");
	/* The directory of the file is gone. */
	assert_int_equal(mkdir("dir", 0700), 0);
	begin(&file, "dir/x", &usual);
	assert_int_equal(rmdir("dir"), 0);
	assert_int_equal(output_file_publish(&file, OUTPUT_REPLACES, &err), -1);
	is_kept(&file, &err, "dir/x: cannot be given its name: No such file or directory; ");
}

/* --- Files that cannot be replaced --------------------------------------------------------- */

enum { OTHER = 65534, GROUP = 65530 };

/* Becomes a user of the group if the test is root; otherwise stays as it is. */
static bool become_other(void)
{
	const gid_t group = GROUP;

	if (geteuid() != 0)
		return false;
	if (setgroups(1, &group) || setegid(OTHER) || seteuid(OTHER) || prctl(PR_SET_DUMPABLE, 1))
		fail_msg("cannot become another user");
	return true;
}

static void become_root(void)
{
	if (seteuid(0) || setegid(0) || setgroups(0, NULL))
		fail_msg("cannot become root again");
}

/* A file that the user may write but not replace is written in place: it stays the same file, and
 * nothing of it changes before the new content is complete. */
static void is_written_in_place(const char *path)
{
	struct output_file file;
	struct stat before, after;
	struct err err = {.text = ""};
	size_t written;

	assert_int_equal(stat(path, &before), 0);
	begin(&file, path, &usual);
	holds(path, "older");
	end(&file, OUTPUT_REPLACES);
	holds(path, "new");
	/* A file that readers follow gets its name first. */
	if (output_file_open(&file, path, &usual, &err))
		fail_msg("%s", err.text);
	assert_int_equal(output_file_publish(&file, OUTPUT_REPLACES, &err), 0);
	assert_int_equal(output_file_write(&file, "soon", 4, &written, &err), 0);
	holds(path, "soon");
	assert_int_equal(output_file_close(&file, &err), 0);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(before.st_mode, after.st_mode);
	assert_int_equal(before.st_uid, after.st_uid);
}

static void a_file_that_cannot_be_replaced_is_written(void **state)
{
	static const struct output_kind private = {.mode = 0600};
	struct output_file file;
	struct err err = {.text = ""};
	bool is_other;

	(void)state;
	assert_int_equal(chmod(".", 0755) || mkdir("fixed", 0755) || mkdir("sticky", 0777), 0);
	put("fixed/x", "older");
	put("sticky/x", "older");
	assert_int_equal(chmod("fixed/x", 0666) || chmod("sticky/x", 0666), 0);
	assert_int_equal(chmod("fixed", 0555) || chmod("sticky", 01777), 0);
	is_other = become_other();
	is_written_in_place("fixed/x");
	assert_int_equal(output_file_open(&file, "fixed/new", &usual, &err), -1);
	assert_string_equal(err.text,
			    "fixed/new: cannot write: Permission denied; choose another directory");
	if (is_other) {
		is_written_in_place("sticky/x");
		/* A private file, as a recording, is not written into a file of another user. */
		assert_int_equal(output_file_open(&file, "sticky/x", &private, &err), -1);
		assert_non_null(strstr(err.text, "sticky/x: exists and cannot be replaced"));
		become_root();
	}
	chmod("fixed", 0755);
}

/* A rename over it fails with EBUSY. */
static void a_file_that_is_a_mount_point_is_written(void **state)
{
	(void)state;
	put("mounted", "older");
	put("below", "below");
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("mounted", "below", NULL, MS_BIND, NULL))
		return; /* only root can mount */
	is_written_in_place("below");
	assert_int_equal(umount("below"), 0);
	holds("below", "below");
	holds("mounted", "soon");
}

static void the_group_of_a_file_of_root_is_kept(void **state)
{
	static const struct {
		uid_t owner;
		gid_t group;
		mode_t before, mode, want_group;
	} cases[] = {
		{0, GROUP, 0664, 0664, GROUP}, {OTHER, GROUP, 0660, 0660, GROUP},
		{0, 0, 0666, 0666, OTHER},     /* a group that the user is not in */
		{OTHER, 0, 0664, 0644, OTHER}, /* ... whose members could write */
		{1, GROUP, 0666, 0644, OTHER}, /* another user has chosen the group */
	};

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(".", 0777), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct output_file file;
		struct stat status;

		unlink("x");
		put("x", "old");
		assert_int_equal(chown("x", cases[i].owner, cases[i].group), 0);
		assert_int_equal(chmod("x", cases[i].before), 0);
		become_other();
		begin(&file, "x", &usual);
		end(&file, OUTPUT_REPLACES);
		become_root();
		assert_int_equal(stat("x", &status), 0);
		assert_int_equal(status.st_uid, OTHER);
		assert_int_equal(status.st_mode & 07777, cases[i].mode);
		assert_int_equal(status.st_gid, cases[i].want_group);
	}
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

static void a_link_made_meanwhile_is_replaced(void **state)
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

static void the_longest_name_works(void **state)
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
	struct err err = {.text = ""};
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
	/* Without a reader the open fails, and does not wait. */
	assert_int_equal(output_file_open(&file, "fifo", &seeks, &err), -1);
	assert_non_null(strstr(err.text, "fifo: is a pipe"));
	assert_int_equal(output_file_open(&file, "fifo", &regular, &err), -1);
	assert_non_null(strstr(err.text, "fifo: exists and is not a regular file"));
	assert_int_equal(symlink("nowhere", "link"), 0);
	assert_int_equal(output_file_open(&file, "link", &regular, &err), -1);
	assert_non_null(strstr(err.text, "link: exists and is not a regular file"));
	assert_int_equal(output_file_open(&file, "/dev/full", &seeks, &err), 0);
	assert_int_equal(output_file_write(&file, "x", 1, &written, &err), -1);
	assert_string_equal(err.text, "/dev/full: there is no room left on its disk");
	output_file_close(&file, &err);
}

static void a_failed_write_is_an_error(void **state)
{
	static const struct {
		int code;
		const char *sentence;
	} cases[] = {
		{ENOSPC, "x: there is no room left on its disk"},
		{EFBIG, "x: has reached the file size limit ('ulimit -f')"},
		{EPIPE, "x: its reader has ended before it was complete"},
		{EACCES, "x: cannot write: Permission denied; choose another directory"},
	};
	struct err err = {.text = ""};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		errno = cases[i].code;
		assert_int_equal(output_file_refuse("x", &err), -1);
		assert_string_equal(err.text, cases[i].sentence);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static const struct CMUnitTest tests[] = {
	TEST(until_it_is_published_nothing_changes),
	TEST(the_older_file_is_kept_or_refused_by_choice),
	TEST(another_name_of_the_file_keeps_the_file),
	TEST(a_link_made_meanwhile_is_replaced),
	TEST(the_mode_is_that_of_the_kind_or_of_the_file_before),
	TEST(the_longest_name_works),
	TEST(a_special_file_is_written_as_it_is),
	TEST(a_failed_write_is_an_error),
	TEST(three_older_files_are_kept),
	TEST(a_file_that_cannot_get_its_name_is_kept),
	TEST(a_file_that_cannot_be_replaced_is_written),
	TEST(a_file_that_is_a_mount_point_is_written),
	TEST(the_group_of_a_file_of_root_is_kept),
};

TEST_FILE(tests);
