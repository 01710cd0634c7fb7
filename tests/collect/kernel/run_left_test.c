/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/live/record_killed_left.sh tests it with real recorders. */
#include "collect/kernel/run_directory.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/collect_dir.h"
#include "collect/kernel/tracefs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A base, a tracefs, and a recorder. */
struct scene {
	char root[64];
	char *base, *tracefs;
	struct run_directory run;
};

static void begin(struct scene *scene)
{
	struct err err;

	dir_make(scene->root);
	dir_put(scene->root, "tracefs/uprobe_events", "");
	dir_put(scene->root, "tracefs/events/pscal_word_7/one/id", "1\n");
	scene->base = xasprintf("%s/base", scene->root);
	scene->tracefs = xasprintf("%s/tracefs", scene->root);
	assert_int_equal(run_directory_open_in(&scene->run, scene->base, &err), 0);
}

static void end(struct scene *scene)
{
	free(scene->base);
	free(scene->tracefs);
	dir_remove(scene->root);
}

static void note(struct scene *scene, const char *kind, const char *what)
{
	struct err err;

	assert_int_equal(run_directory_note(&scene->run, kind, what, &err), 0);
}

/* As the kernel ends a process. */
static void kill_recorder(struct scene *scene)
{
	close(scene->run.owner);
	close(scene->run.fd);
	close(scene->run.base);
}

static bool is_there(const struct scene *scene)
{
	return access(scene->run.path, F_OK) == 0;
}

static char *commands(const struct scene *scene)
{
	struct err err;
	char *text = tracefs_read(scene->tracefs, "uprobe_events", NULL, &err);

	assert_non_null(text);
	return text;
}

static void clear(struct run_left *left, const struct scene *scene)
{
	*left = (struct run_left){.cleared_count = 0};
	run_left_clear_in(left, scene->base, scene->tracefs);
}

static void make_old(const char *path)
{
	const struct timespec times[2] = {{time(NULL) - 60, 0}, {time(NULL) - 60, 0}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_rest_of_a_killed_recorder_is_cleared_and_reported(void **state)
{
	struct scene scene;
	struct run_left left;
	char *text, want[64];

	(void)state;
	begin(&scene);
	note(&scene, "uprobes", "pscal_word_7");
	note(&scene, "uprobes", "pscal_never_made");
	dir_put(scene.run.path, "socket", "");
	kill_recorder(&scene);
	clear(&left, &scene);
	assert_int_equal(left.cleared_count, 1);
	assert_int_equal(left.kept_count, 0);
	snprintf(want, sizeof(want), "the recording of process %d begun 2", getpid());
	assert_int_equal(strncmp(left.cleared[0], want, strlen(want)), 0);
	assert_non_null(strstr(left.cleared[0], " UTC: 1 uprobe of group pscal_word_7, its "
						"directory"));
	text = commands(&scene);
	assert_string_equal(text, "-:pscal_word_7/one\n");
	assert_false(is_there(&scene));
	assert_int_equal(rmdir(scene.base), 0);
	free(text);
	free(scene.run.path);
	run_left_release(&left);
	end(&scene);
}

/* The process id and the age of the directory do not matter. */
static void the_directory_of_a_living_recorder_stays(void **state)
{
	struct scene scene;
	struct run_left left;
	char *text;

	(void)state;
	begin(&scene);
	note(&scene, "uprobes", "pscal_word_7");
	make_old(scene.run.path);
	clear(&left, &scene);
	assert_int_equal(left.cleared_count + left.kept_count, 0);
	text = commands(&scene);
	assert_string_equal(text, "");
	assert_true(is_there(&scene));
	free(text);
	run_directory_close(&scene.run);
	end(&scene);
}

/* A directory that is being made has no owner yet; its recorder would notice that it is gone. */
static void a_directory_without_an_owner_stays_for_a_while(void **state)
{
	static const struct {
		bool new_owner, old;
	} cases[] = {{false, false}, {true, false}, {false, true}, {true, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene scene;
		struct run_left left;

		begin(&scene);
		if (cases[i].new_owner)
			renameat(scene.run.fd, RUN_OWNER, scene.run.fd, RUN_OWNER ".new");
		else
			unlinkat(scene.run.fd, RUN_OWNER, 0);
		kill_recorder(&scene);
		if (cases[i].old)
			make_old(scene.run.path);
		clear(&left, &scene);
		if (is_there(&scene) == cases[i].old || left.cleared_count != cases[i].old)
			fail_msg("case %zu", i);
		free(scene.run.path);
		run_left_release(&left);
		end(&scene);
	}
}

/* Recorders do not make such files: their content is not believed. */
static void an_owner_file_of_another_user_is_left_alone(void **state)
{
	enum { LINK, HARD, FIFO, FOREIGN, CASES };

	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct scene scene;
		struct run_left left;
		int fd;

		begin(&scene);
		fd = scene.run.fd;
		note(&scene, "uprobes", "pscal_word_7");
		if (i == HARD) {
			assert_int_equal(linkat(fd, RUN_OWNER, fd, "other", 0), 0);
		} else if (i == FOREIGN) {
			if (geteuid() == 0)
				assert_int_equal(fchownat(fd, RUN_OWNER, 65534, 65534, 0), 0);
		} else {
			assert_int_equal(renameat(fd, RUN_OWNER, fd, "other"), 0);
			if (i == LINK)
				assert_int_equal(symlinkat("other", fd, RUN_OWNER), 0);
			else
				assert_int_equal(mkfifoat(fd, RUN_OWNER, 0600), 0);
		}
		kill_recorder(&scene);
		make_old(scene.run.path);
		clear(&left, &scene);
		if ((i != FOREIGN || geteuid() == 0) && !is_there(&scene))
			fail_msg("case %d", i);
		free(scene.run.path);
		run_left_release(&left);
		end(&scene);
	}
}

/* Another recorder may be able to, later. */
static void a_rest_that_cannot_be_undone_stays_and_is_reported(void **state)
{
	struct scene scene;
	struct run_left left;
	char *line;

	(void)state;
	begin(&scene);
	note(&scene, "future", "thing");
	kill_recorder(&scene);
	clear(&left, &scene);
	assert_int_equal(left.cleared_count, 0);
	assert_int_equal(left.kept_count, 1);
	assert_non_null(strstr(left.kept[0], ": 'future thing' is of another version of pscal"));
	assert_true(is_there(&scene));
	run_left_release(&left);
	/* A directory that was kept on its own leaves the same. */
	line = xasprintf("%s/" RUN_OWNER, scene.run.path);
	assert_int_equal(access(line, F_OK), 0);
	free(line);
	free(scene.run.path);
	end(&scene);
}

static void a_rest_that_a_recorder_keeps_is_left_to_the_next_one(void **state)
{
	struct scene scene;
	struct run_left left;

	(void)state;
	begin(&scene);
	note(&scene, "uprobes", "pscal_word_7");
	dir_put(scene.run.path, "socket", "");
	run_directory_keep(&scene.run);
	clear(&left, &scene);
	assert_int_equal(left.cleared_count, 0);
	run_directory_close(&scene.run);
	clear(&left, &scene);
	assert_int_equal(left.cleared_count, 1);
	assert_int_equal(rmdir(scene.base), 0);
	run_left_release(&left);
	end(&scene);
}

/* After a boot the group and the mount do not exist, even if other ones have their names. */
static void after_another_start_of_the_machine_there_is_nothing_to_undo(void **state)
{
	static const char text[] =
		"pid 7\nstart 1\nboot another\ndate then\nuprobes pscal_word_7\n";
	struct scene scene;
	struct run_left left;
	char *said;

	(void)state;
	begin(&scene);
	assert_int_equal(ftruncate(scene.run.owner, 0), 0);
	assert_int_equal(write(scene.run.owner, text, strlen(text)), strlen(text));
	kill_recorder(&scene);
	clear(&left, &scene);
	assert_int_equal(left.cleared_count, 1);
	assert_string_equal(left.cleared[0],
			    "the recording of process 7 begun then: its directory");
	said = commands(&scene);
	assert_string_equal(said, "");
	free(said);
	free(scene.run.path);
	run_left_release(&left);
	end(&scene);
}

static void other_names_in_the_base_are_left_alone(void **state)
{
	struct scene scene;
	struct run_left left;
	char path[128];

	(void)state;
	begin(&scene);
	run_directory_close(&scene.run);
	dir_put(scene.base, "0123456789abcdef0123456789abcdeg/file", "");
	dir_put(scene.base, "0123456789abcdef0123456789abcde/file", "");
	dir_put(scene.root, "precious/file", "");
	snprintf(path, sizeof(path), "%s/0123456789abcdef0123456789abcdef", scene.base);
	assert_int_equal(symlink("../precious", path), 0);
	clear(&left, &scene);
	assert_int_equal(left.cleared_count + left.kept_count, 0);
	snprintf(path, sizeof(path), "%s/precious/file", scene.root);
	assert_int_equal(access(path, F_OK), 0);
	run_left_release(&left);
	end(&scene);
}

/* Each recorder opens several directories, and checks that they exist until it closes them. */
static void make_many(const char *base)
{
	for (int i = 0; i < 100; i++) {
		struct run_directory run = {.fd = -1};
		struct err err;

		if (run_directory_open_in(&run, base, &err) ||
		    run_directory_note(&run, "future", "thing", &err) ||
		    faccessat(run.base, run.path, F_OK, 0) || faccessat(run.fd, RUN_OWNER, F_OK, 0))
			_exit(1);
		run_directory_close(&run);
	}
	_exit(0);
}

static void recorders_that_begin_and_end_meanwhile_are_left_alone(void **state)
{
	enum { RECORDERS = 4 };
	struct scene scene;
	struct run_left left;
	pid_t children[RECORDERS];
	int running = RECORDERS, status;

	(void)state;
	begin(&scene);
	for (int i = 0; i < RECORDERS; i++) {
		children[i] = fork();
		if (children[i] == 0)
			make_many(scene.base);
		assert_true(children[i] > 0);
	}
	while (running) {
		clear(&left, &scene);
		assert_int_equal(left.cleared_count + left.kept_count, 0);
		if (waitpid(-1, &status, WNOHANG) > 0) {
			assert_int_equal(status, 0);
			running--;
		}
	}
	run_directory_close(&scene.run);
	assert_int_equal(rmdir(scene.base), 0);
	end(&scene);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_rest_of_a_killed_recorder_is_cleared_and_reported),
	cmocka_unit_test(the_directory_of_a_living_recorder_stays),
	cmocka_unit_test(a_directory_without_an_owner_stays_for_a_while),
	cmocka_unit_test(an_owner_file_of_another_user_is_left_alone),
	cmocka_unit_test(a_rest_that_cannot_be_undone_stays_and_is_reported),
	cmocka_unit_test(a_rest_that_a_recorder_keeps_is_left_to_the_next_one),
	cmocka_unit_test(after_another_start_of_the_machine_there_is_nothing_to_undo),
	cmocka_unit_test(recorders_that_begin_and_end_meanwhile_are_left_alone),
	cmocka_unit_test(other_names_in_the_base_are_left_alone),
};

TEST_FILE(tests);
