/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/target/lineage.h"
#include "collect/target/target.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROC "/proc"

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
	struct target_end end;
	struct pollfd ended = {.events = POLLIN};

	(void)state;
	target_end_init(&end);
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

static void what_was_born_meanwhile_belongs_to_it(void **state)
{
	pid_t root = new_process(), child = new_process(), dead = new_process();
	struct lineage lineage = {.proc = PROC};
	struct target_end end;

	(void)state;
	target_end_init(&end);
	lineage_give_process(&lineage, root, 0);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_LIVES);
	end_process(root);
	reap(root);
	end_process(dead);
	reap(dead);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_IS_UNCERTAIN);
	bear(&lineage, dead, root); /* in the pass that this asks for */
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
	struct target_end end;
	pthread_t thread;
	enum target_life life;

	(void)state;
	pthread_barrier_init(&threads.born, NULL, 2);
	pthread_barrier_init(&threads.go_on, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, wait_to_end, &threads), 0);
	pthread_barrier_wait(&threads.born);
	target_end_init(&end);
	lineage_give_thread(&lineage, getpid(), threads.tid, 0);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_LIVES);
	pthread_barrier_wait(&threads.go_on);
	pthread_join(thread, NULL);
	do { /* it may still be on its way out */
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
	struct target_end end;

	(void)state;
	target_end_init(&end);
	assert_int_equal(target_end_ask(&end, &lineage, PROC), TARGET_LIVES);
	target_end_release(&end);
	lineage_release(&lineage);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_target_lives_as_long_as_any_of_it),
	cmocka_unit_test(what_was_born_meanwhile_belongs_to_it),
	cmocka_unit_test(a_single_thread_ends_before_its_process),
	cmocka_unit_test(the_machine_never_ends),
};

TEST_FILE(tests);
