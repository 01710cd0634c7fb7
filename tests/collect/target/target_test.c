/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/err.h"
#include "collect/target/lineage.h"
#include "collect/target/target.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROC "/proc"

/* Process 10 with threads 10 and 11; its child 20 (and 21), whose child is 30; 40 is a stranger.
 * No kernel has ids this high, so that no real affinity gets into it. */
#define ID(n) "99999" #n

enum { BASE = 9999900 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
	const struct target_spec spec = {.pids = roots, .pid_count = 2};
	struct target *target = calloc(1, sizeof(*target));
	char root[64];

	(void)state;
	make_proc(root);
	assert_int_equal(target_scan(target, &spec, root, NULL, NULL), 0);
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

static void only_what_exists_can_be_recorded(void **state)
{
	static const struct {
		pid_t pid, tid;
		const char *sentence;
	} cases[] = {
		{BASE + 40, 0, NULL},
		{0, BASE + 11, NULL},
		{0, BASE + 10, NULL},
		{BASE + 40, BASE + 21, NULL},
		{BASE + 41, 0, "there is no process 9999941"},
		{0, BASE + 12, "there is no thread 9999912"},
		{BASE + 40, BASE + 12, "there is no thread 9999912"},
		{BASE + 11, 0, "9999911 is a thread of process 9999910"},
	};
	char root[64];

	(void)state;
	make_proc(root);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct target_spec spec = {
			.pids = &cases[i].pid,
			.pid_count = cases[i].pid != 0,
			.tids = &cases[i].tid,
			.tid_count = cases[i].tid != 0,
		};
		struct err err = {.text = ""};
		int rc = target_check(&spec, root, &err);

		assert_int_equal(rc, cases[i].sentence ? -1 : 0);
		if (cases[i].sentence)
			assert_non_null(strstr(err.text, cases[i].sentence));
	}
	dir_remove(root);
}

/* `want`: the found threads, by the end of their ids; 0 ends the list. */
static void the_target_has_the_requested_threads(void **state)
{
	static const pid_t ten[] = {BASE + 10}, forty[] = {BASE + 40}, gone[] = {BASE + 77};
	static const pid_t tids[] = {BASE + 11, BASE + 40};
	static const struct {
		struct target_spec spec;
		int want[8];
	} cases[] = {
		{{.pids = ten, .pid_count = 1}, {10, 11, 20, 21, 30}},
		{{.pids = ten, .pid_count = 1, .alone = true}, {10, 11}},
		{{.pids = forty, .pid_count = 1}, {40}},
		{{.pids = gone, .pid_count = 1}, {0}},
		{{.tids = tids, .tid_count = 2}, {11, 40}},
		{{.tids = tids, .tid_count = 2, .alone = true}, {11, 40}},
		{{.tids = gone, .tid_count = 1}, {0}},
		{{.pids = ten, .pid_count = 1, .tids = tids, .tid_count = 2, .alone = true},
		 {10, 11, 40}},
		{{.comm = "child"}, {10, 11, 20, 21, 30, 40}}, /* a reader selects by name */
		{{.all = true}, {10, 11, 20, 21, 30, 40}},
	};
	char root[64];

	(void)state;
	make_proc(root);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct target *target = calloc(1, sizeof(*target));
		size_t count = 0;

		assert_int_equal(target_scan(target, &cases[i].spec, root, NULL, NULL), 0);
		for (; cases[i].want[count]; count++)
			if (!find(target, BASE + cases[i].want[count]))
				fail_msg("case %zu: %d is missing", i, cases[i].want[count]);
		assert_int_equal(target->thread_count, count);
		target_release(target);
		free(target);
	}
	dir_remove(root);
}

static void ended_threads_are_not_found(void **state)
{
	const pid_t pid = BASE + 10;
	const struct target_spec spec = {.pids = &pid, .pid_count = 1};
	struct target *target = calloc(1, sizeof(*target));
	char root[64];

	(void)state;
	make_proc(root);
	put_thread(root, ID(10), ID(10), "(leader) Z 1 0");
	put_thread(root, ID(20), ID(21), "(child) X " ID(10) " 0");
	assert_int_equal(target_scan(target, &spec, root, NULL, NULL), 0);
	assert_int_equal(target->thread_count, 3);
	assert_null(find(target, pid));
	assert_non_null(find(target, BASE + 11)); /* lives longer than the first of its process */
	assert_non_null(find(target, BASE + 20)); /* so that its children are found, too */
	assert_null(find(target, BASE + 21));
	target_release(target);
	free(target);
	dir_remove(root);
}

/* --- During changes ------------------------------------------------------------------------ */

#define STARTED	  "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
#define LONG_AGO  STARTED "1"
#define IN_FUTURE STARTED "18446744073709551615"

/* A change during the adoption of a thread: another one appears, each time. */
struct change {
	const char *root;
	const char *started;
	pid_t next;
	int adopted, limit;
};

static int appear(void *context, pid_t pid, pid_t tid, struct err *err)
{
	struct change *change = context;
	char id[16], rest[128];

	(void)pid, (void)tid, (void)err;
	if (++change->adopted > change->limit)
		return 0;
	snprintf(id, sizeof(id), "%d", (int)change->next++);
	snprintf(rest, sizeof(rest), "(new) S 1 %s", change->started);
	put_thread(change->root, ID(40), id, rest);
	return 0;
}

static void threads_that_appear_during_a_look_are_found(void **state)
{
	static const struct {
		const char *started;
		int limit;
		bool all;
	} cases[] = {
		{LONG_AGO, 50, true},
		/* New threads come for ever, but the collector sees their births. */
		{IN_FUTURE, 100000, false},
	};
	const pid_t pid = BASE + 40;
	const struct target_spec spec = {.pids = &pid, .pid_count = 1};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct target *target = calloc(1, sizeof(*target));
		char root[64];
		struct change change = {root, cases[i].started, BASE + 1000, 0, cases[i].limit};
		const struct target_watch watch = {appear, &change};
		struct err err;

		make_proc(root);
		assert_int_equal(target_scan(target, &spec, root, &watch, &err), 0);
		if (cases[i].all)
			assert_int_equal(target->thread_count, 51);
		assert_true(change.adopted < 1000);
		assert_int_equal(target->thread_count, change.adopted);
		target_release(target);
		free(target);
		dir_remove(root);
	}
}

/* Process 10 ends when it is adopted: 20 is then another process with this id. */
static int replace(void *context, pid_t pid, pid_t tid, struct err *err)
{
	(void)tid, (void)err;
	if (pid == BASE + 10)
		put_thread(context, ID(20), ID(20), "(other) S 1 " STARTED "2");
	return 0;
}

static void a_process_is_not_mistaken_for_another_with_its_id(void **state)
{
	const pid_t pid = BASE + 10;
	const struct target_spec spec = {.pids = &pid, .pid_count = 1};
	struct target *target = calloc(1, sizeof(*target));
	char root[64];
	const struct target_watch watch = {replace, root};
	struct err err;

	(void)state;
	make_proc(root);
	put_thread(root, ID(20), ID(20), "(child) S " ID(10) " " LONG_AGO);
	assert_int_equal(target_scan(target, &spec, root, &watch, &err), 0);
	assert_non_null(find(target, BASE + 11));
	assert_null(find(target, BASE + 20));
	assert_null(find(target, BASE + 21));
	target_release(target);
	free(target);
	dir_remove(root);
}

static int refuse(void *context, pid_t pid, pid_t tid, struct err *err)
{
	(void)context, (void)pid;
	return err_set(err, "thread %d: not this one", (int)tid);
}

static void a_collector_may_refuse_a_thread(void **state)
{
	static const pid_t pid[] = {BASE + 40};
	static const struct target_spec specs[] = {
		{.pids = pid, .pid_count = 1}, {.tids = pid, .tid_count = 1}, {.all = true}};
	const struct target_watch watch = {refuse, NULL};
	char root[64];

	(void)state;
	make_proc(root);
	for (size_t i = 0; i < COUNT(specs); i++) {
		struct target *target = calloc(1, sizeof(*target));
		struct err err = {.text = ""};

		assert_int_equal(target_scan(target, &specs[i], root, &watch, &err), -1);
		assert_non_null(strstr(err.text, "not this one"));
		target_release(target);
		free(target);
	}
	dir_remove(root);
}

static void after_a_pause_all_threads_are_looked_at_again(void **state)
{
	const pid_t pid = BASE + 40, tid = BASE + 11;
	const struct target_spec spec = {
		.pids = &pid, .pid_count = 1, .tids = &tid, .tid_count = 1};
	struct target *target = calloc(1, sizeof(*target));
	struct pid_set processes = {0}, tids = {0};
	char root[64];

	(void)state;
	make_proc(root);
	assert_int_equal(target_scan(target, &spec, root, NULL, NULL), 0);
	assert_int_equal(target->thread_count, 2);
	put_thread(root, ID(40), ID(40), "(stranger) T 1 0");
	put_thread(root, ID(40), ID(41), "(stranger) S 1 0");
	pid_set_add(&processes, pid);
	pid_set_add(&processes, BASE + 30); /* born meanwhile; its parent has ended */
	pid_set_add(&processes, BASE + 50); /* has ended itself */
	pid_set_add(&tids, tid);
	pid_set_add(&tids, BASE + 21);
	assert_int_equal(target_rescan(target, &processes, &tids, root, NULL), 0);
	assert_int_equal(target->thread_count, 2 + 5);
	for (size_t i = 0; i < target->thread_count; i++)
		if (target->threads[i].tid == pid)
			assert_int_equal(target->threads[i].state, i < 2 ? 'S' : 'T');
	assert_non_null(find(target, BASE + 41));
	assert_non_null(find(target, BASE + 30));
	assert_non_null(find(target, BASE + 21));
	pid_set_release(&processes);
	pid_set_release(&tids);
	target_release(target);
	free(target);
	dir_remove(root);
}

/* --- Control groups ------------------------------------------------------------------------ */

static int compare_pids(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b;
}

static void a_group_has_the_processes_of_all_groups_in_it(void **state)
{
	static const pid_t want[] = {10, 11, 20, 30};
	char root[64];
	struct err err;
	pid_t *pids;
	size_t count;

	(void)state;
	dir_make(root);
	dir_put(root, "cgroup.procs", "1\n2\n");
	dir_put(root, "a/cgroup.procs", "10\n11\n");
	dir_put(root, "a/cgroup.threads", "10\n11\n99\n");
	dir_put(root, "a/b/cgroup.procs", "0\n20\n");
	dir_put(root, "a/b/c/cgroup.procs", "30\n");
	dir_put(root, "other/cgroup.procs", "40\n");
	for (size_t i = 0; i < 2; i++) { /* a path in the hierarchy, and one in the file system */
		char path[80];

		snprintf(path, sizeof(path), "%s/a", i ? root : "");
		assert_int_equal(cgroup_pids(&pids, &count, root, path, &err), 0);
		assert_int_equal(count, 4);
		qsort(pids, count, sizeof(pids[0]), compare_pids);
		assert_memory_equal(pids, want, sizeof(want));
		free(pids);
	}
	dir_remove(root);
}

static void a_group_without_processes_cannot_be_recorded(void **state)
{
	static const struct {
		const char *path, *sentence;
	} cases[] = {
		{"empty", "there is no process in this control group"},
		{"none", "/none: is not a control group"},
	};
	char root[64];

	(void)state;
	dir_make(root);
	dir_put(root, "empty/cgroup.procs", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {.text = ""};
		pid_t *pids;
		size_t count;

		assert_int_equal(cgroup_pids(&pids, &count, root, cases[i].path, &err), -1);
		assert_non_null(strstr(err.text, cases[i].sentence));
		assert_null(pids);
	}
	dir_remove(root);
}

/* --- The end --------------------------------------------------------------------------------- */

/* A process that waits to be killed. */
static pid_t new_process(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		for (;;)
			pause();
	return pid;
}

static void end_process(pid_t pid)
{
	siginfo_t info;

	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

static void reap(pid_t pid)
{
	waitpid(pid, NULL, 0);
}

static void bear(struct lineage *lineage, pid_t pid, pid_t parent)
{
	lineage_birth(lineage, &(struct lineage_birth){1, pid, pid, parent, parent, false});
	lineage_settle(lineage, 1);
}

static void a_target_lives_as_long_as_any_of_it(void **state)
{
	pid_t a = new_process(), b = new_process();
	struct lineage lineage = {.proc = PROC};
	struct target_end end = {.fd = -1};
	struct pollfd ended = {.events = POLLIN};

	(void)state;
	lineage_give_process(&lineage, a, 0);
	lineage_give_process(&lineage, b, 0);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_LIVES);
	end_process(a);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_LIVES);
	ended.fd = end.fd;
	assert_int_equal(poll(&ended, 1, 0), 0);
	end_process(b);
	assert_int_equal(poll(&ended, 1, 10000), 1);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_IS_UNCERTAIN);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_HAS_ENDED);
	reap(a);
	reap(b);
	target_end_release(&end);
	lineage_release(&lineage);
}

static void threads_born_meanwhile_belong_to_the_target(void **state)
{
	pid_t root = new_process(), child = new_process(), dead = new_process();
	struct lineage lineage = {.proc = PROC};
	struct target_end end = {.fd = -1};

	(void)state;
	lineage_give_process(&lineage, root, 0);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_LIVES);
	end_process(root);
	reap(root);
	end_process(dead);
	reap(dead);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_IS_UNCERTAIN);
	bear(&lineage, dead, root); /* in the next pass */
	bear(&lineage, child, dead);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_LIVES);
	end_process(child);
	reap(child);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_IS_UNCERTAIN);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_HAS_ENDED);
	target_end_release(&end);
	lineage_release(&lineage);
}

struct threads {
	pthread_barrier_t born, go_on;
	pid_t tid;
};

static void *wait_to_end(void *context)
{
	struct threads *threads = context;

	threads->tid = gettid();
	pthread_barrier_wait(&threads->born);
	pthread_barrier_wait(&threads->go_on);
	return NULL;
}

static void a_single_thread_ends_before_its_process(void **state)
{
	struct threads threads;
	struct lineage lineage = {.proc = PROC};
	struct target_end end = {.fd = -1};
	pthread_t thread;
	enum target_life life;

	(void)state;
	pthread_barrier_init(&threads.born, NULL, 2);
	pthread_barrier_init(&threads.go_on, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, wait_to_end, &threads), 0);
	pthread_barrier_wait(&threads.born);
	lineage_give_thread(&lineage, getpid(), threads.tid, 0);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_LIVES);
	pthread_barrier_wait(&threads.go_on);
	pthread_join(thread, NULL);
	do { /* it may still be ending */
		life = target_end_ask(&end, &lineage, PROC);
	} while (life == TARGET_LIVES);
	assert_int_equal(life, TARGET_IS_UNCERTAIN);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_HAS_ENDED);
	pthread_barrier_destroy(&threads.born);
	pthread_barrier_destroy(&threads.go_on);
	target_end_release(&end);
	lineage_release(&lineage);
}

static void the_machine_never_ends(void **state)
{
	struct lineage lineage = {.wide = true};
	struct target_end end = {.fd = -1};

	(void)state;
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_LIVES);
	target_end_release(&end);
	lineage_release(&lineage);
}

/* --- CPUs that a command may use ------------------------------------------------------------- */

static struct cpu_mask own_mask(void)
{
	struct cpu_mask mask = {{false}};

	assert_int_equal(cpu_mask_add_affinity(&mask, 0), 0);
	return mask;
}

static int first_cpu(const struct cpu_mask *mask)
{
	int cpu = 0;

	while (!mask->has[cpu])
		cpu++;
	return cpu;
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* A thread that pins itself to a CPU, tells that, and waits to be ended. */
struct pinned {
	int cpu;
	int said[2], told[2];
};

static void *be_pinned(void *argument)
{
	struct pinned *pinned = argument;
	char byte = 0;

	stay_on(pinned->cpu);
	return write(pinned->said[1], &byte, 1) + read(pinned->told[0], &byte, 1) == 2 ? pinned
										       : NULL;
}

static void the_only_thread_counts_with_what_it_has_at_its_end(void **state)
{
	struct cpu_mask before = own_mask(), wanted = {{false}};
	struct affinity_watch watch;
	pid_t child = fork();
	siginfo_t info;

	(void)state;
	if (!child) {
		stay_on(first_cpu(&before));
		_exit(0);
	}
	wanted.has[first_cpu(&before)] = true;
	affinity_watch_begin(&watch, child, 0);
	affinity_watch_look(&watch, UINT64_MAX / 2, "/proc");
	assert_true(cpu_mask_is_empty(&watch.mask));
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	affinity_watch_end(&watch);
	assert_memory_equal(&watch.mask, &wanted, sizeof(wanted));
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void several_threads_count_together(void **state)
{
	struct cpu_mask before = own_mask(), rest = before, wanted = {{false}};
	struct pinned pinned = {.cpu = first_cpu(&before)};
	struct affinity_watch watch;
	cpu_set_t saved;
	pthread_t thread;
	void *result;
	char byte;

	(void)state;
	rest.has[pinned.cpu] = false; /* this thread takes another CPU, if there is one */
	wanted.has[pinned.cpu] = true;
	assert_int_equal(sched_getaffinity(0, sizeof(saved), &saved), 0);
	assert_int_equal(pipe(pinned.said) | pipe(pinned.told), 0);
	assert_int_equal(pthread_create(&thread, NULL, be_pinned, &pinned), 0);
	assert_int_equal(read(pinned.said[0], &byte, 1), 1);
	if (!cpu_mask_is_empty(&rest)) {
		stay_on(first_cpu(&rest));
		wanted.has[first_cpu(&rest)] = true;
	}
	affinity_watch_begin(&watch, getpid(), 0);
	affinity_watch_look(&watch, UINT64_MAX / 2, "/proc");
	affinity_watch_end(&watch);
	sched_setaffinity(0, sizeof(saved), &saved);
	assert_int_equal(write(pinned.told[1], &byte, 1), 1);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_non_null(result);
	assert_true(watch.several);
	assert_memory_equal(&watch.mask, &wanted, sizeof(wanted));
	for (int i = 0; i < 2; i++)
		assert_int_equal(close(pinned.said[i]) | close(pinned.told[i]), 0);
}

static void looks_are_frequent_at_first_and_later_once_a_second(void **state)
{
	struct affinity_watch watch;
	uint64_t now_ns = 1000, looks = 0;

	(void)state;
	affinity_watch_begin(&watch, getpid(), now_ns);
	affinity_watch_look(&watch, now_ns, "/proc");
	assert_int_equal(watch.next_ns, now_ns + 5000000); /* the look was too early */
	for (; now_ns < 10000000000; now_ns = watch.next_ns, looks++)
		affinity_watch_look(&watch, watch.next_ns, "/proc");
	assert_int_equal(looks, 16); /* at 5, 15, 35, ... 635 ms, then 1635, ... 9635 */
	assert_int_equal(watch.step_ns, 1000000000);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_process_comes_with_its_threads_and_descendants),
	cmocka_unit_test(only_what_exists_can_be_recorded),
	cmocka_unit_test(the_target_has_the_requested_threads),
	cmocka_unit_test(ended_threads_are_not_found),
	cmocka_unit_test(threads_that_appear_during_a_look_are_found),
	cmocka_unit_test(a_process_is_not_mistaken_for_another_with_its_id),
	cmocka_unit_test(a_collector_may_refuse_a_thread),
	cmocka_unit_test(after_a_pause_all_threads_are_looked_at_again),
	cmocka_unit_test(a_group_has_the_processes_of_all_groups_in_it),
	cmocka_unit_test(a_group_without_processes_cannot_be_recorded),
	cmocka_unit_test(a_target_lives_as_long_as_any_of_it),
	cmocka_unit_test(threads_born_meanwhile_belong_to_the_target),
	cmocka_unit_test(a_single_thread_ends_before_its_process),
	cmocka_unit_test(the_machine_never_ends),
	cmocka_unit_test(the_only_thread_counts_with_what_it_has_at_its_end),
	cmocka_unit_test(several_threads_count_together),
	cmocka_unit_test(looks_are_frequent_at_first_and_later_once_a_second),
};

TEST_FILE(tests);
