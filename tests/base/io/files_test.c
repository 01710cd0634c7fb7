/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/files.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/collect_dir.h"
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void files_of_the_user_and_of_root_are_own(void **state)
{
	(void)state;
	unsetenv("SUDO_UID");
	assert_true(file_owner_is_own(0));
	assert_true(file_owner_is_own(geteuid()));
	assert_false(file_owner_is_own(geteuid() + 1));
}

/* In a user namespace root of the host has another number than 0. */
static void the_owner_of_everything_is_root(void **state)
{
	struct stat top;

	(void)state;
	assert_int_equal(stat("/", &top), 0);
	assert_true(file_owner_is_root(0));
	assert_true(file_owner_is_root(top.st_uid));
	assert_true(file_owner_is_own(top.st_uid));
	assert_false(file_owner_is_root(top.st_uid + 1));
}

static void under_sudo_files_of_the_caller_are_own(void **state)
{
	static const struct {
		const char *caller;
		bool own;
	} cases[] = {
		{"77", true},  {"78", false},  {"", false},
		{"-1", false}, {"77x", false}, {"4294967373", false}, /* 77 in 32 bits */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		setenv("SUDO_UID", cases[i].caller, 1);
		assert_int_equal(file_owner_is_own(77), cases[i].own && geteuid() == 0);
	}
	unsetenv("SUDO_UID");
}

static void a_file_is_opened_to_be_read(void **state)
{
	struct stat status, own;
	char text[8] = "";
	int fd;

	(void)state;
	fd = regular_file_open(&status, file_with("pscal", 5));
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text)), 5);
	assert_string_equal(text, "pscal");
	assert_int_equal(fstat(fd, &own), 0);
	assert_int_equal(status.st_ino, own.st_ino);
	assert_int_equal(status.st_size, 5);
	close(fd);
}

/* A process that opens a FIFO to read waits until another one opens it to write. */
static void a_pipe_is_not_waited_for(void **state)
{
	char path[] = "/tmp/pscal-test-XXXXXX";
	struct stat status;
	char pipe[64];

	(void)state;
	assert_non_null(mkdtemp(path));
	snprintf(pipe, sizeof(pipe), "%s/pipe", path);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_int_equal(regular_file_open(&status, pipe), -1);
	unlink(pipe);
	rmdir(path);
}

/* The holder of a lease can delay an open for 45 s, the limit of the kernel. */
static void a_file_with_a_lease_is_not_waited_for(void **state)
{
	const char *path = file_with("pscal", 5);
	struct stat status;
	int holder = open(path, O_RDWR | O_CLOEXEC);

	(void)state;
	assert_true(holder >= 0);
	signal(SIGIO, SIG_IGN);
	alarm(20);
	if (fcntl(holder, F_SETLEASE, F_WRLCK)) {
		close(holder);
		skip();
	}
	assert_int_equal(regular_file_open(&status, path), -1);
	alarm(0);
	close(holder);
}

static void only_a_regular_file_is_opened(void **state)
{
	static const char *const paths[] = {
		"/",
		"/dev/zero",
		"/dev/tty",
		"/proc/self/maps",
		"/proc/kcore",
		"/sys/kernel/uevent_seqnum",
		"/nowhere/at/all",
		"",
	};
	struct stat status;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (regular_file_open(&status, paths[i]) != -1)
			fail_msg("'%s' has been opened", paths[i]);
	assert_int_equal(regular_file_open(&status, file_with("", 0)), -1);
}

static size_t files_in(const char *path)
{
	DIR *directory = opendir(path);
	size_t count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count - 2; /* . and .. */
}

static void a_temporary_file_can_be_read_and_has_no_name(void **state)
{
	char path[] = "/tmp/scratch_file_test.XXXXXX", bytes[8];
	struct err err = {.text = ""};
	int fd;

	(void)state;
	assert_non_null(mkdtemp(path));
	setenv("TMPDIR", path, 1);
	fd = scratch_file_open(&err);
	unsetenv("TMPDIR");
	assert_true(fd >= 0);
	assert_int_equal(files_in(path), 0);
	assert_int_equal(scratch_file_write(fd, "one ", 4, &err), 0);
	assert_int_equal(scratch_file_write(fd, "two", 3, &err), 0);
	assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), 7);
	assert_memory_equal(bytes, "one two", 7);
	close(fd);
	assert_int_equal(rmdir(path), 0);
}

static void a_full_disk_is_a_sentence(void **state)
{
	struct rlimit limit, small;
	struct err err = {.text = ""};
	int fd = scratch_file_open(&err);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_IGN);
	small = (struct rlimit){.rlim_cur = 5, .rlim_max = limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(scratch_file_write(fd, "0123456789", 10, &err), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_string_equal(err.text, "cannot be kept in a temporary file in /tmp: File too large; "
				      "set TMPDIR to a directory with room for it");
	close(fd);
}

static int open_below(const char *root, const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	return fd;
}

static void emptying_a_directory_spares_kept_names_and_targets_of_links(void **state)
{
	char root[64];
	int fd;

	(void)state;
	dir_make(root);
	dir_put(root, "precious/file", "x");
	for (int i = 0; i < 300; i++) {
		char name[32];

		snprintf(name, sizeof(name), "full/%d", i);
		dir_put(root, name, "x");
	}
	dir_put(root, "full/kept", "x");
	dir_put(root, "full/a/kept", "x");
	dir_put(root, "full/a/b/c/file", "x");
	fd = open_below(root, "full");
	assert_int_equal(symlinkat("../precious", fd, "link"), 0);
	assert_int_equal(symlinkat("../../precious", fd, "a/link"), 0);
	assert_int_equal(mkfifoat(fd, "a/fifo", 0600), 0);
	assert_int_equal(empty_directory(fd, "kept"), 0);
	assert_int_equal(faccessat(fd, "kept", F_OK, 0), 0);
	assert_int_equal(faccessat(fd, "../precious/file", F_OK, 0), 0);
	assert_int_equal(empty_directory(fd, NULL), 0);
	assert_int_equal(unlinkat(fd, "../full", AT_REMOVEDIR), 0);
	close(fd);
	dir_remove(root);
}

static void a_directory_that_cannot_be_read_is_not_empty(void **state)
{
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC), next_fd = dup(fd);

	(void)state;
	close(next_fd);
	assert_int_equal(empty_directory(-1, NULL), -1);
	assert_int_equal(empty_directory(fd, NULL), -1);
	assert_int_equal(dup(fd), next_fd); /* no descriptor has been left open */
	close(next_fd);
	close(fd);
}

static void directories_that_are_nested_too_deeply_stay_and_are_reported(void **state)
{
	char root[64];
	int fd;

	(void)state;
	dir_make(root);
	dir_put(root, "full/1/2/3/4/5/6/7/8/9/10/11/12/file", "x");
	dir_put(root, "full/file", "x");
	fd = open_below(root, "full");
	assert_int_equal(empty_directory(fd, NULL), -1);
	assert_int_not_equal(faccessat(fd, "file", F_OK, 0), 0);
	assert_int_equal(faccessat(fd, "1/2/3/4/5/6/7/8/9", F_OK, 0), 0);
	close(fd);
	dir_remove(root);
}

/* Tries with some of 0, 1 and 2 closed; restores them. */
static void keep_without(unsigned closed, int next_fd, int kept[3])
{
	int saved[3];

	for (int fd = 0; fd < 3; fd++) {
		saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 100);
		if (closed & 1U << fd)
			close(fd);
	}
	descriptors_keep_standard();
	for (int fd = 0; fd < 3; fd++) {
		char byte = 0;

		errno = 0;
		kept[fd] = fd ? write(fd, &byte, 0) < 0 && errno == EBADF
			      : read(fd, &byte, 0) < 0 && errno == EBADF;
	}
	next_fd -= open("/dev/null", O_RDONLY);
	for (int fd = 0; fd < 3; fd++) {
		dup2(saved[fd], fd);
		close(saved[fd]);
	}
	assert_int_equal(next_fd, 0);
}

static void nothing_is_opened_in_the_place_of_a_closed_stream(void **state)
{
	(void)state;
	for (unsigned closed = 0; closed < 8; closed++) {
		int next_fd = open("/dev/null", O_RDONLY), useless[3];

		close(next_fd);
		keep_without(closed, next_fd, useless);
		for (unsigned fd = 0; fd < 3; fd++)
			assert_int_equal(useless[fd], (closed & 1U << fd) != 0);
		close(next_fd);
	}
}

static int never_end(void *nothing)
{
	(void)nothing;
	return pause();
}

static void a_child_that_cannot_end_keeps_nothing_open(void **state)
{
	enum { STACK = 1 << 16 };
	char *stack = xcalloc(1, STACK);
	struct pollfd pollfd = {.events = POLLIN};
	pid_t child;
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	child = clone(never_end, stack + STACK, CLONE_FILES, NULL);
	assert_true(child > 0);
	assert_int_equal(descriptors_unshare(), 0);
	/* This process still has all of its descriptors. */
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_true(fcntl(STDERR_FILENO, F_GETFD) >= 0);
	close(ends[1]);
	pollfd.fd = ends[0];
	assert_int_equal(poll(&pollfd, 1, 60000), 1);
	assert_int_equal(read(ends[0], &(char[2]){0}, 2), 1);
	assert_int_equal(poll(&pollfd, 1, 60000), 1);
	assert_int_equal(read(ends[0], &(char[2]){0}, 2), 0); /* no process holds the other end */
	close(ends[0]);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, __WALL), child);
	free(stack);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(files_of_the_user_and_of_root_are_own),
	cmocka_unit_test(the_owner_of_everything_is_root),
	cmocka_unit_test(under_sudo_files_of_the_caller_are_own),
	cmocka_unit_test(a_file_is_opened_to_be_read),
	cmocka_unit_test(a_pipe_is_not_waited_for),
	cmocka_unit_test(a_file_with_a_lease_is_not_waited_for),
	cmocka_unit_test(only_a_regular_file_is_opened),
	cmocka_unit_test(a_temporary_file_can_be_read_and_has_no_name),
	cmocka_unit_test(a_full_disk_is_a_sentence),
	cmocka_unit_test(emptying_a_directory_spares_kept_names_and_targets_of_links),
	cmocka_unit_test(a_directory_that_cannot_be_read_is_not_empty),
	cmocka_unit_test(directories_that_are_nested_too_deeply_stay_and_are_reported),
	cmocka_unit_test(nothing_is_opened_in_the_place_of_a_closed_stream),
	cmocka_unit_test(a_child_that_cannot_end_keeps_nothing_open),
};

TEST_FILE(tests);
