/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/tally.h"
#include "collect/target.h"
#include "collect/target_end.h"

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

static void bear(struct tally *tally, pid_t pid, pid_t parent)
{
	struct {
		struct perf_event_header header;
		pid_t pid, ppid, tid, ptid;
		uint64_t time_ns;
	} record = {{PERF_RECORD_FORK, 0, 32}, pid, parent, pid, parent, 1};

	tally_record(tally, &record.header);
	tally_round(tally);
}

static void a_target_lives_as_long_as_any_of_it(void **state)
{
	pid_t a = new_process(), b = new_process();
	struct tally tally = {0};
	struct target_end end;
	struct pollfd ended = {.events = POLLIN};

	(void)state;
	target_end_init(&end);
	tally_thread(&tally, a, a);
	tally_thread(&tally, b, b);
	assert_int_equal(target_end_ask(&end, &tally, PROC), TARGET_LIVES);
	end_process(a);
	assert_int_equal(target_end_ask(&end, &tally, PROC), TARGET_LIVES);
	ended.fd = end.fd;
	assert_int_equal(poll(&ended, 1, 0), 0);
	end_process(b);
	assert_int_equal(poll(&ended, 1, 10000), 1);
	assert_int_equal(target_end_ask(&end, &tally, PROC), TARGET_IS_UNCERTAIN);
	assert_int_equal(target_end_ask(&end, &tally, PROC), TARGET_HAS_ENDED);
	reap(a);
	reap(b);
	target_end_release(&end);
	tally_release(&tally);
}

static void what_was_born_meanwhile_belongs_to_it(void **state)
{
	pid_t root = new_process(), child = new_process(), dead = new_process();
	struct tally tally = {0};
	struct target_end end;

	(void)state;
	target_end_init(&end);
	tally_thread(&tally, root, root);
	assert_int_equal(target_end_ask(&end, &tally, PROC), TARGET_LIVES);
	end_process(root);
	reap(root);
	end_process(dead);
	reap(dead);
	assert_int_equal(target_end_ask(&end, &tally, PROC), TARGET_IS_UNCERTAIN);
	bear(&tally, dead, root); /* in the pass that this asks for */
	bear(&tally, child, dead);
	assert_int_equal(target_end_ask(&end, &tally, PROC), TARGET_LIVES);
	end_process(child);
	reap(child);
	assert_int_equal(target_end_ask(&end, &tally, PROC), TARGET_IS_UNCERTAIN);
	assert_int_equal(target_end_ask(&end, &tally, PROC), TARGET_HAS_ENDED);
	target_end_release(&end);
	tally_release(&tally);
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
	struct tally tally = {0};
	struct target *target = calloc(1, sizeof(*target));
	struct target_end end;
	pthread_t thread;
	enum target_life life;

	(void)state;
	pthread_barrier_init(&threads.born, NULL, 2);
	pthread_barrier_init(&threads.go_on, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, wait_to_end, &threads), 0);
	pthread_barrier_wait(&threads.born);
	target_end_init(&end);
	target->spec = &(struct target_spec){.tids = &threads.tid, .tid_count = 1};
	tally_target(&tally, target);
	assert_int_equal(target_end_ask(&end, &tally, PROC), TARGET_LIVES);
	pthread_barrier_wait(&threads.go_on);
	pthread_join(thread, NULL);
	do { /* it may still be on its way out */
		life = target_end_ask(&end, &tally, PROC);
	} while (life == TARGET_LIVES);
	assert_int_equal(life, TARGET_IS_UNCERTAIN);
	assert_int_equal(target_end_ask(&end, &tally, PROC), TARGET_HAS_ENDED);
	pthread_barrier_destroy(&threads.born);
	pthread_barrier_destroy(&threads.go_on);
	target_end_release(&end);
	tally_release(&tally);
	free(target);
}

static void the_machine_never_ends(void **state)
{
	static const struct target_spec specs[] = {{.all = true}, {.comm = "x"}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct tally tally = {.spec = &specs[i]};
		struct target_end end;

		target_end_init(&end);
		assert_int_equal(target_end_ask(&end, &tally, PROC), TARGET_LIVES);
		target_end_release(&end);
		tally_release(&tally);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_target_lives_as_long_as_any_of_it),
		cmocka_unit_test(what_was_born_meanwhile_belongs_to_it),
		cmocka_unit_test(a_single_thread_ends_before_its_process),
		cmocka_unit_test(the_machine_never_ends),
	};

	return RUN_TESTS(tests);
}
