/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is refused is in run_directory_test.c. */
#include "collect/kernel/run_directory_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/collect_dir.h"

#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

struct expected {
	const char *runtime, *temporary; /* of the environment; NULL: not there */
	const char *places[RUN_BASES_MAX];
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
	char *places[RUN_BASES_MAX] = {NULL};
	size_t count;
	bool same = true;

	set("XDG_RUNTIME_DIR", expected->runtime);
	set("TMPDIR", expected->temporary);
	count = run_base_places(places);
	for (size_t i = 0; i < RUN_BASES_MAX; i++) {
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

/* A directory of the session will do where it is the user's, and no session of root's. */
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
	char root[64], place[96], *path = NULL;
	struct err err;
	int fd;

	(void)state;
	dir_make(root);
	dir_put(root, "real/file", "");
	snprintf(place, sizeof(place), "%s/link", root);
	assert_int_equal(symlink("real", place), 0);
	strcat(place, "/base");
	assert_int_equal(run_base_open(&path, place, false, &err), -1);
	assert_non_null(strstr(err.text, "link/base: cannot be opened: No such file"));
	assert_null(path);
	fd = run_base_open(&path, place, true, &err);
	assert_true(fd >= 0);
	assert_non_null(strstr(path, "/real/base"));
	close(fd);
	free(path);
	dir_remove(root);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(root_has_it_in_run),
	cmocka_unit_test(other_users_have_it_in_their_session),
	cmocka_unit_test(a_link_on_the_way_is_resolved_first),
};

TEST_FILE(tests);
