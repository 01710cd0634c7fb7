/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/err.h"
#include "collect/id_watch.h"
#include "collect/target.h"

/* Process 10 with threads 10 and 11; its child 20 (and 21), whose child is 30; 40 is a stranger.
 * No kernel has ids this high, so that no real affinity gets into it. */
#define ID(n) "99999" #n

enum { BASE = 9999900 };

static void put_thread(const char *root, const char *pid, const char *tid, const char *rest)
{
	char path[128], text[128];

	snprintf(path, sizeof(path), "%s/task/%s/stat", pid, tid);
	snprintf(text, sizeof(text), "%s %s", tid, rest);
	dir_put(root, path, text);
	if (strcmp(pid, tid) == 0) {
		snprintf(path, sizeof(path), "%s/stat", pid);
		dir_put(root, path, text);
	}
	snprintf(path, sizeof(path), "%s/status", tid);
	snprintf(text, sizeof(text), "Name:\tx\nTgid:\t%s\n", pid);
	dir_put(root, path, text);
}

static void make_proc(char root[64])
{
	dir_make(root);
	put_thread(root, ID(30), ID(30), "(grandchild) R " ID(20) " 0");
	put_thread(root, ID(10), ID(10), "(a b) S 1 0");
	put_thread(root, ID(10), ID(11), "(c) d) D 1 0");
	put_thread(root, ID(20), ID(20), "(child) S " ID(10) " 0");
	put_thread(root, ID(20), ID(21), "(child) T " ID(10) " 0");
	put_thread(root, ID(40), ID(40), "(stranger) S 1 0");
	dir_put(root, "loadavg", "0.00 0.00 0.00 1/80 500\n");
	dir_put(root, "sys/kernel/pid_max", "4194304\n");
}

static const struct target_thread *find(const struct target *target, pid_t tid)
{
	for (size_t i = 0; i < target->thread_count; i++)
		if (target->threads[i].tid == tid)
			return &target->threads[i];
	return NULL;
}

static void a_process_comes_with_its_threads_and_descendants(void **state)
{
	static const struct {
		pid_t tid, pid;
		char letter;
		const char *comm;
	} want[] = {
		{BASE + 10, BASE + 10, 'S', "a b"},	   {BASE + 11, BASE + 10, 'D', "c) d"},
		{BASE + 20, BASE + 20, 'S', "child"},	   {BASE + 21, BASE + 20, 'T', "child"},
		{BASE + 30, BASE + 30, 'R', "grandchild"},
	};
	const pid_t roots[] = {BASE + 10, BASE + 10};
	struct target *target = calloc(1, sizeof(*target));
	char root[64];

	(void)state;
	make_proc(root);
	assert_int_equal(target_scan(target, roots, 2, root, NULL, NULL), 0);
	assert_int_equal(target->process_count, 3);
	assert_int_equal(target->thread_count, 5);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct target_thread *thread = find(target, want[i].tid);

		assert_non_null(thread);
		assert_int_equal(thread->pid, want[i].pid);
		assert_int_equal(thread->state, want[i].letter);
		assert_string_equal(thread->comm, want[i].comm);
		assert_true(thread->time_ns > 0);
	}
	target_release(target);
	free(target);
	dir_remove(root);
}

static void only_processes_that_exist_can_be_recorded(void **state)
{
	static const struct {
		pid_t pid;
		const char *sentence;
	} cases[] = {
		{BASE + 40, NULL},
		{BASE + 41, "there is no process 9999941"},
		{BASE + 11, "9999911 is a thread of process 9999910"},
	};
	char root[64];

	(void)state;
	make_proc(root);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {""};
		int rc = target_check(&cases[i].pid, 1, root, &err);

		assert_int_equal(rc, cases[i].sentence ? -1 : 0);
		if (cases[i].sentence)
			assert_non_null(strstr(err.text, cases[i].sentence));
	}
	dir_remove(root);
}

static void ids_are_relied_on_only_far_from_their_end(void **state)
{
	struct id_watch watch;
	char root[64];

	(void)state;
	make_proc(root);
	assert_true(id_watch_begin(&watch, 501, root));
	assert_false(id_watch_begin(&watch, 4000000, root));
	dir_put(root, "loadavg", "nonsense");
	assert_false(id_watch_begin(&watch, 501, root));
	dir_remove(root);
}

static void ids_that_begin_anew_are_noticed(void **state)
{
	struct id_watch watch;
	char root[64];

	(void)state;
	make_proc(root);
	assert_true(id_watch_begin(&watch, 501, root));
	dir_put(root, "loadavg", "0.00 0.00 0.00 1/80 9000\n");
	id_watch_look(&watch, root);
	assert_false(watch.wrapped);
	dir_put(root, "loadavg", "0.00 0.00 0.00 1/80 302\n");
	id_watch_look(&watch, root);
	assert_true(watch.wrapped);
	dir_put(root, "loadavg", "0.00 0.00 0.00 1/80 303\n");
	id_watch_look(&watch, root);
	assert_true(watch.wrapped);
	dir_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_comes_with_its_threads_and_descendants),
		cmocka_unit_test(only_processes_that_exist_can_be_recorded),
		cmocka_unit_test(ids_are_relied_on_only_far_from_their_end),
		cmocka_unit_test(ids_that_begin_anew_are_noticed),
	};

	return RUN_TESTS(tests);
}
