/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/run_directory.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/collect_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static bool exists(const char *root, const char *name)
{
	char path[256];
	struct stat status;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return lstat(path, &status) == 0;
}

static unsigned mode_of(int fd)
{
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	return status.st_mode & 07777;
}

static char *base_in(const char *root)
{
	return xasprintf("%s/base", root);
}

/* --- Making and removing ------------------------------------------------------------------- */

static void two_directories_at_once_have_secret_names_and_leave_nothing(void **state)
{
	struct run_directory one = {.fd = -1}, other = {.fd = -1};
	char root[64], *base;
	struct err err;

	(void)state;
	dir_make(root);
	base = base_in(root);
	assert_int_equal(run_directory_open_in(&one, base, &err), 0);
	assert_int_equal(run_directory_open_in(&other, base, &err), 0);
	assert_int_equal(strncmp(one.path, base, strlen(base)), 0);
	assert_int_equal(strspn(one.path + strlen(base) + 1, "0123456789abcdef"), 32);
	assert_int_equal(strlen(one.path), strlen(base) + 1 + 32);
	assert_string_not_equal(one.path, other.path);
	assert_int_equal(mode_of(one.fd), geteuid() ? 0700 : 0711);
	assert_int_equal(mode_of(one.base), geteuid() ? 0700 : 0711);
	assert_int_equal(mode_of(one.owner), 0600);
	run_directory_close(&one);
	assert_true(exists(other.path, "owner"));
	run_directory_close(&other);
	assert_int_equal(rmdir(base), 0);
	free(base);
	dir_remove(root);
}

static void allow_descriptors(rlim_t count)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = count;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Each of its steps may fail. */
static void a_failure_for_lack_of_descriptors_leaves_nothing(void **state)
{
	struct run_directory directory = {.fd = -1};
	char root[64], *base;
	struct rlimit before;
	int failed = 0, rc = -1;
	struct err err;

	(void)state;
	dir_make(root);
	base = base_in(root);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (rlim_t count = 3; rc; count++) {
		assert_true(count < before.rlim_cur);
		allow_descriptors(count);
		rc = run_directory_open_in(&directory, base, &err);
		allow_descriptors(before.rlim_cur);
		failed += rc != 0 && exists(root, "base");
		/* The directory is empty. */
		if (rc && exists(root, "base"))
			assert_int_equal(rmdir(base), 0);
	}
	assert_true(failed > 0);
	run_directory_close(&directory);
	free(base);
	dir_remove(root);
}

static void closing_a_directory_that_was_never_opened_does_nothing(void **state)
{
	struct run_directory none = {.fd = -1};

	(void)state;
	run_directory_close(&none);
	run_directory_close(&none);
	assert_int_equal(none.fd, -1);
}

static void a_second_opening_of_an_open_one_changes_nothing(void **state)
{
	struct run_directory directory = {.fd = -1};
	char root[64], *base, *path;
	struct err err;

	(void)state;
	dir_make(root);
	base = base_in(root);
	assert_int_equal(run_directory_open_in(&directory, base, &err), 0);
	path = xstrdup(directory.path);
	assert_int_equal(run_directory_open(&directory, &err), 0);
	assert_string_equal(directory.path, path);
	run_directory_close(&directory);
	free(path);
	free(base);
	dir_remove(root);
}

/* --- Owner --------------------------------------------------------------------------------- */

/* True if another process can lock its file. */
static bool is_free(const struct run_directory *directory)
{
	int fd = openat(directory->fd, RUN_OWNER, O_RDONLY);
	bool locked;

	assert_true(fd >= 0);
	locked = flock(fd, LOCK_EX | LOCK_NB) != 0;
	close(fd);
	return !locked;
}

static void its_owner_is_named_and_holds_the_lock_until_it_ends(void **state)
{
	struct run_directory directory = {.fd = -1};
	char root[64], text[512] = "", want[64], *base;
	struct err err;
	int fd;

	(void)state;
	dir_make(root);
	base = base_in(root);
	assert_int_equal(run_directory_open_in(&directory, base, &err), 0);
	assert_false(is_free(&directory));
	assert_int_equal(run_directory_note(&directory, "uprobes", "pscal_word_1", &err), 0);
	assert_int_equal(run_directory_note(&directory, "tracefs", "/sys/any", &err), 0);
	fd = openat(directory.fd, RUN_OWNER, O_RDONLY);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	snprintf(want, sizeof(want), "pid %d\nstart ", getpid());
	assert_int_equal(strncmp(text, want, strlen(want)), 0);
	assert_non_null(strstr(text, "\nboot "));
	assert_non_null(strstr(text, "\ndate 2"));
	assert_non_null(strstr(text, "\nuprobes pscal_word_1\ntracefs /sys/any\n"));
	/* As at the end of its process. */
	close(directory.owner);
	directory.owner = -1;
	assert_true(is_free(&directory));
	run_directory_close(&directory);
	free(base);
	dir_remove(root);
}

/* --- Other programs ------------------------------------------------------------------------ */

static void planted_files_are_removed_and_no_link_is_followed(void **state)
{
	struct run_directory directory = {.fd = -1};
	char root[64], *base;
	struct err err;

	(void)state;
	dir_make(root);
	dir_put(root, "precious/inner/file", "x");
	base = base_in(root);
	assert_int_equal(run_directory_open_in(&directory, base, &err), 0);
	assert_int_equal(symlinkat("../../precious", directory.fd, "link"), 0);
	assert_int_equal(mkdirat(directory.fd, "sub", 0700), 0);
	assert_int_equal(symlinkat("../../../precious/inner", directory.fd, "sub/link"), 0);
	dir_put(directory.path, "sub/deep/er/file", "x");
	dir_put(directory.path, "plain", "x");
	run_directory_close(&directory);
	assert_int_equal(rmdir(base), 0);
	assert_true(exists(root, "precious/inner/file"));
	free(base);
	dir_remove(root);
}

/* Its name belongs to another file at the end, which must stay. */
static void another_file_in_its_place_stays(void **state)
{
	struct run_directory directory = {.fd = -1};
	char root[64], *base, *path, *moved;
	struct err err;

	(void)state;
	dir_make(root);
	dir_put(root, "precious/file", "x");
	base = base_in(root);
	assert_int_equal(run_directory_open_in(&directory, base, &err), 0);
	path = xstrdup(directory.path);
	moved = xasprintf("%s/moved", root);
	assert_int_equal(rename(path, moved), 0);
	assert_int_equal(symlink("../precious", path), 0);
	run_directory_close(&directory);
	assert_true(exists(root, "precious/file"));
	assert_int_equal(unlink(path), 0);
	free(path);
	free(moved);
	free(base);
	dir_remove(root);
}

struct squat {
	const char *what;
	const char *sentence; /* part of it */
	void (*plant)(const char *root);
	bool as_root; /* only root can plant it */
};

static void plant_link(const char *root)
{
	char *base = base_in(root);

	dir_put(root, "elsewhere/file", "x");
	assert_int_equal(symlink("elsewhere", base), 0);
	free(base);
}

static void plant_file(const char *root)
{
	dir_put(root, "base", "x");
}

static void plant_foreign(const char *root)
{
	char *base = base_in(root);

	assert_int_equal(mkdir(base, 0700), 0);
	assert_int_equal(chown(base, NOBODY, NOBODY), 0);
	free(base);
}

static void plant_open(const char *root)
{
	char *base = base_in(root);

	assert_int_equal(mkdir(base, 0700), 0);
	assert_int_equal(chmod(base, 0777), 0);
	free(base);
}

static void make_parent_open(const char *root)
{
	assert_int_equal(chmod(root, 0777), 0);
}

static void make_parent_foreign(const char *root)
{
	assert_int_equal(chown(root, NOBODY, NOBODY), 0);
}

static void a_place_that_other_users_control_is_refused(void **state)
{
	static const struct squat cases[] = {
		{"a link", "is not a directory: set TMPDIR", plant_link, false},
		{"a file", "is not a directory: set TMPDIR", plant_file, false},
		{"a directory of another user", "belongs to another user: set TMPDIR",
		 plant_foreign, true},
		{"one that all can write into", "other users can write into it", plant_open, false},
		{"below one that all can write into", "other users can change its entries",
		 make_parent_open, false},
		{"below one of another user", "other users can change its entries",
		 make_parent_foreign, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run_directory directory = {.fd = -1};
		char root[64], *base;
		struct err err;

		if (cases[i].as_root && geteuid() != 0)
			continue;
		dir_make(root);
		base = base_in(root);
		cases[i].plant(root);
		if (run_directory_open_in(&directory, base, &err) == 0)
			fail_msg("%s is taken", cases[i].what);
		if (!strstr(err.text, cases[i].sentence))
			fail_msg("%s: %s", cases[i].what, err.text);
		assert_int_equal(directory.fd, -1);
		run_directory_close(&directory);
		free(base);
		dir_remove(root);
	}
}

static void a_sticky_directory_is_accepted_for_all_writers(void **state)
{
	struct run_directory directory = {.fd = -1};
	char root[64], *base;
	struct err err;

	(void)state;
	dir_make(root);
	assert_int_equal(chmod(root, 01777), 0);
	base = base_in(root);
	assert_int_equal(run_directory_open_in(&directory, base, &err), 0);
	run_directory_close(&directory);
	free(base);
	dir_remove(root);
}

/* --- Files of other users ------------------------------------------------------------------ */

/* Runs in a child, as another user if possible; returns true if all went well. */
static bool as_nobody(bool (*act)(const char *root), const char *root)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)))
			_exit(2);
		_exit(act(root) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool open_below(const char *root)
{
	struct run_directory directory = {.fd = -1};
	struct err err;
	bool well;

	setenv("TMPDIR", root, 1);
	unsetenv("XDG_RUNTIME_DIR");
	if (run_directory_open(&directory, &err))
		return false;
	well = strncmp(directory.path, root, strlen(root)) == 0 && mode_of(directory.fd) == 0700 &&
	       mode_of(directory.base) == 0700;
	run_directory_close(&directory);
	return well;
}

static void another_user_has_one_below_tmpdir(void **state)
{
	char root[64];

	(void)state;
	dir_make(root);
	assert_int_equal(chmod(root, 01777), 0);
	assert_true(as_nobody(open_below, root));
	dir_remove(root);
}

static bool cannot_touch(const char *path)
{
	char *file = xasprintf("%s/new", path), *owner = xasprintf("%s/owner", path);
	bool well = open(path, O_RDONLY) < 0 && open(file, O_WRONLY | O_CREAT, 0600) < 0 &&
		    open(owner, O_RDONLY) < 0 && access(path, X_OK) == 0;

	free(file);
	free(owner);
	return well;
}

/* Other users pass through the directory to a name that they were told. */
static void another_user_cannot_list_or_change_the_directory_of_root(void **state)
{
	struct run_directory directory = {.fd = -1};
	char root[64], *base;
	struct err err;

	(void)state;
	if (geteuid() != 0)
		skip();
	dir_make(root);
	assert_int_equal(chmod(root, 0711), 0);
	base = base_in(root);
	assert_int_equal(run_directory_open_in(&directory, base, &err), 0);
	assert_true(as_nobody(cannot_touch, directory.path));
	run_directory_close(&directory);
	free(base);
	dir_remove(root);
}

/* --- Places ---------------------------------------------------------------------------------- */

struct expected {
	const char *runtime, *temporary; /* of the environment; NULL: not set */
	const char *places[RUN_PLACES_MAX];
};

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static bool holds(const struct expected *expected)
{
	char *places[RUN_PLACES_MAX] = {NULL};
	size_t count;
	bool same = true;

	set("XDG_RUNTIME_DIR", expected->runtime);
	set("TMPDIR", expected->temporary);
	count = run_directory_places(places);
	for (size_t i = 0; i < RUN_PLACES_MAX; i++) {
		const char *want = expected->places[i];

		if (i < count ? !want || strcmp(places[i], want) != 0 : want != NULL)
			same = false;
		free(places[i]);
	}
	return same;
}

static bool all_hold(const struct expected *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!holds(&cases[i])) {
			printf("case %zu\n", i);
			return false;
		}
	return true;
}

static void root_has_it_in_run(void **state)
{
	static const struct expected cases[] = {
		{NULL, NULL, {"/run/pscal", "/tmp/pscal-0"}},
		{"/", "/var/tmp", {"/run/pscal", "/var/tmp/pscal-0", "/tmp/pscal-0"}},
		{NULL, "", {"/run/pscal", "/tmp/pscal-0"}},
		{NULL, "relative", {"/run/pscal", "/tmp/pscal-0"}},
	};

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_true(all_hold(cases, sizeof(cases) / sizeof(cases[0])));
}

/* A directory of the session is used if it belongs to the user and the session is not root's. */
static void other_users_have_it_in_their_session(void **state)
{
	char root[64], place[80];
	pid_t child;
	int status;

	(void)state;
	if (geteuid() != 0)
		skip();
	dir_make(root);
	assert_int_equal(chown(root, NOBODY, NOBODY), 0);
	snprintf(place, sizeof(place), "%s/pscal", root);
	child = fork();
	if (child == 0) {
		const struct expected cases[] = {
			{NULL, NULL, {"/tmp/pscal-65534"}},
			{root, NULL, {place, "/tmp/pscal-65534"}},
			{root, "/var/tmp", {place, "/var/tmp/pscal-65534", "/tmp/pscal-65534"}},
			{"/run", NULL, {"/tmp/pscal-65534"}},
			{"/no/such", NULL, {"/tmp/pscal-65534"}},
		};

		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(2);
		_exit(all_hold(cases, sizeof(cases) / sizeof(cases[0])) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	dir_remove(root);
}

static void a_link_on_the_way_is_resolved_first(void **state)
{
	struct run_directory directory;
	struct run_left left = {.cleared_count = 0};
	char root[64], place[96];
	struct err err;

	(void)state;
	dir_make(root);
	dir_put(root, "real/file", "");
	snprintf(place, sizeof(place), "%s/link", root);
	assert_int_equal(symlink("real", place), 0);
	strcat(place, "/base");
	run_left_clear_in(&left, place, NULL);
	assert_int_equal(access(place, F_OK), -1);
	assert_int_equal(run_directory_open_in(&directory, place, &err), 0);
	assert_non_null(strstr(directory.path, "/real/base/"));
	run_directory_close(&directory);
	dir_remove(root);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(two_directories_at_once_have_secret_names_and_leave_nothing),
	cmocka_unit_test(a_failure_for_lack_of_descriptors_leaves_nothing),
	cmocka_unit_test(closing_a_directory_that_was_never_opened_does_nothing),
	cmocka_unit_test(a_second_opening_of_an_open_one_changes_nothing),
	cmocka_unit_test(its_owner_is_named_and_holds_the_lock_until_it_ends),
	cmocka_unit_test(planted_files_are_removed_and_no_link_is_followed),
	cmocka_unit_test(another_file_in_its_place_stays),
	cmocka_unit_test(a_place_that_other_users_control_is_refused),
	cmocka_unit_test(a_sticky_directory_is_accepted_for_all_writers),
	cmocka_unit_test(another_user_has_one_below_tmpdir),
	cmocka_unit_test(another_user_cannot_list_or_change_the_directory_of_root),
	cmocka_unit_test(root_has_it_in_run),
	cmocka_unit_test(other_users_have_it_in_their_session),
	cmocka_unit_test(a_link_on_the_way_is_resolved_first),
};

TEST_FILE(tests);
