/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "collect/kernel/proc_stat.h"
#include "collect/recording/recording.h"
#include "collect/sched/sched_private.h"
#include "collect/target/lineage.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- A process that creates threads all the time -------------------------------------------- */

enum { BORN_MAX = 1 << 14, LASTING_EVERY = 8, PAUSE_US = 200 };

/* Memory shared with the process. */
struct churn {
	_Atomic int born; /* threads, counted at their begin */
	_Atomic int alive;
	_Atomic bool stop;
	bool chain; /* each thread creates the next; else one thread creates all */
	pid_t tids[BORN_MAX];
	bool lasting[BORN_MAX]; /* until the end */
};

static bool stopped(const struct churn *churn)
{
	return churn->stop || churn->born >= BORN_MAX - 1000;
}

static void create(struct churn *churn);

static void *live(void *context)
{
	struct churn *churn = context;
	int own = churn->born++;

	if (own >= BORN_MAX)
		_exit(1);
	churn->tids[own] = gettid();
	churn->lasting[own] = own % LASTING_EVERY == 0;
	if (churn->chain) {
		usleep(PAUSE_US);
		if (!stopped(churn))
			create(churn);
	}
	usleep(PAUSE_US);
	while (churn->lasting[own] && !stopped(churn))
		usleep(20 * PAUSE_US);
	churn->alive--;
	return NULL;
}

static void create(struct churn *churn)
{
	pthread_t thread;

	churn->alive++;
	if (pthread_create(&thread, NULL, live, churn))
		_exit(1);
	pthread_detach(thread);
}

/* Creates threads for ever. */
static void churn_on(struct churn *churn)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	create(churn);
	while (!stopped(churn)) {
		usleep(PAUSE_US);
		if (!churn->chain)
			create(churn);
	}
	while (churn->alive)
		usleep(PAUSE_US);
	_exit(0);
}

/* --- Recording ------------------------------------------------------------------------------ */

/* Skips the test if the kernel does not allow events. */
static void need_events(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_DUMMY,
				       .size = sizeof(attr),
				       .exclude_kernel = 1};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		skip();
	close((int)fd);
}

/* `lineage` lives longer. */
static struct collector *open_collector(struct lineage *lineage, bool alone)
{
	const struct collector_options options = {.lineage = lineage};
	struct err err = {.text = ""};
	struct collector *collector;

	lineage->alone = alone;
	need_events();
	collector = task_collector_open(&options, &err);
	if (!collector)
		fail_msg("%s", err.text);
	return collector;
}

static void pass(struct collector *collector, struct recording *recording)
{
	struct err err = {.text = ""};

	assert_int_equal(collector->kind->pass(collector, recording, &err), 0);
}

/* Adopts all threads of a process, again and again until there is no new one. */
static void adopt_all(struct collector *collector, pid_t pid)
{
	struct pid_set seen = {NULL, 0};
	struct err err = {.text = ""};
	char path[64];
	bool new = true;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	for (int rounds = 0; new &&rounds < 20; rounds++) {
		pid_t *tids;
		size_t count;

		new = false;
		assert_int_equal(proc_ids(&tids, &count, path), 0);
		for (size_t i = 0; i < count; i++) {
			if (!pid_set_add(&seen, tids[i]))
				continue;
			new = true;
			assert_true(collector->kind->adopt(collector, pid, tids[i], &err) >= 0);
		}
		free(tids);
	}
	pid_set_release(&seen);
}

/* The records of one thread. */
struct told {
	int births, ends, ins;
	bool running;
	int disorder; /* switches in of a running thread, and out of one that does not run */
};

static void tell(struct told *told, const struct perf_event_header *record)
{
	uint32_t ids[4];
	uint32_t tid;

	memcpy(&tid, (const uint8_t *)record + record->size - 28, sizeof(tid));
	memcpy(ids, record + 1, sizeof(ids));
	if (record->type == PERF_RECORD_FORK)
		told[ids[2]].births++;
	if (record->type == PERF_RECORD_EXIT)
		told[ids[2]].ends++;
	if (record->type == PERF_RECORD_SWITCH) {
		bool in = !(record->misc & PERF_RECORD_MISC_SWITCH_OUT);

		told[tid].ins += in;
		told[tid].disorder += told[tid].running == in && told[tid].ins;
		told[tid].running = in;
	}
}

static uint64_t time_of(const struct perf_event_header *record)
{
	uint64_t time_ns;

	memcpy(&time_ns, (const uint8_t *)record + record->size - 24, sizeof(time_ns));
	return time_ns;
}

static int by_time(const void *a, const void *b)
{
	const struct perf_event_header *const *left = a, *const *right = b;
	uint64_t one = time_of(*left), other = time_of(*right);

	if (one != other)
		return one < other ? -1 : 1;
	return *left < *right ? -1 : *left > *right; /* in the order of the recording */
}

/* Sorted by tid; the caller frees it. */
static struct told *read_recording(const struct recording *recording)
{
	struct told *told = calloc(4 << 20, sizeof(*told));
	const struct perf_event_header **records =
		calloc(recording->size / 8 + 1, sizeof(*records));
	size_t count = 0;

	assert_non_null(told);
	for (size_t at = 0; at < recording->size; at += records[count++]->size)
		records[count] = (const void *)(recording->bytes + at);
	qsort(records, count, sizeof(*records), by_time);
	for (size_t i = 0; i < count; i++)
		tell(told, records[i]);
	free(records);
	return told;
}

static void release(struct recording *recording, struct collector *collector)
{
	collector->kind->free(collector);
	recording_drop(recording);
}

static void check_threads(const struct churn *churn, const struct told *told, int born_before)
{
	for (int i = 0; i < churn->born; i++) {
		const struct told *thread = &told[churn->tids[i]];

		if (thread->disorder || thread->births > 1 || thread->ends > 1)
			fail_msg("thread %d of %d: %d births, %d ends, %d of %d switches twice", i,
				 churn->born, thread->births, thread->ends, thread->disorder,
				 thread->ins);
		if ((i > born_before || churn->lasting[i]) && !(thread->ins && thread->ends))
			fail_msg("thread %d of %d, born %s: seen %d times, %d ends", i, churn->born,
				 i > born_before ? "after" : "before", thread->ins, thread->ends);
	}
}

static void attach_to_churn(bool chain)
{
	struct churn *churn = mmap(NULL, sizeof(*churn), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct lineage lineage = {.proc = "/proc"};
	struct collector *collector = open_collector(&lineage, false);
	struct recording recording = {.size = 0};
	struct told *told;
	int born_before;
	pid_t pid;

	churn->chain = chain;
	pid = fork();
	if (pid == 0)
		churn_on(churn);
	while (churn->born < 5 * LASTING_EVERY)
		usleep(1000);
	adopt_all(collector, pid);
	born_before = churn->born + 1; /* one may have been born meanwhile */
	for (int i = 0; i < 20; i++) {
		usleep(10000);
		pass(collector, &recording);
	}
	churn->stop = true;
	waitpid(pid, NULL, 0);
	collector->kind->stop(collector);
	pass(collector, &recording);
	told = read_recording(&recording);
	check_threads(churn, told, born_before);
	free(told);
	release(&recording, collector);
	lineage_release(&lineage);
	munmap(churn, sizeof(*churn));
}

static void all_threads_of_a_process_that_keeps_creating_them_are_seen_once(void **state)
{
	(void)state;
	attach_to_churn(false);
}

static void all_threads_of_a_chain_of_births_are_seen_once(void **state)
{
	(void)state;
	attach_to_churn(true);
}

/* --- A command ------------------------------------------------------------------------------ */

static void *nothing(void *unused)
{
	return unused;
}

/* Waits to be released, then creates a thread and executes another program. */
static pid_t start_command(int *release_fd)
{
	int ends[2];
	pthread_t thread;
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) != 0 || pthread_create(&thread, NULL, nothing, NULL) ||
		    pthread_join(thread, NULL))
			_exit(1);
		execlp("sh", "sh", "-c", "true & wait", NULL);
		_exit(1);
	}
	close(ends[0]);
	*release_fd = ends[1];
	return pid;
}

static int count_of(const struct recording *recording, uint32_t type, uint16_t misc)
{
	const struct perf_event_header *record;
	int count = 0;

	for (size_t at = 0; at < recording->size; at += record->size) {
		record = (const void *)(recording->bytes + at);
		count += record->type == type && (record->misc & misc) == misc;
	}
	return count;
}

static void a_command_is_seen_with_all_that_it_creates(void **state)
{
	struct lineage lineage = {.proc = "/proc"};
	struct collector *collector = open_collector(&lineage, false);
	struct recording recording = {.size = 0};
	struct err err = {.text = ""};
	struct told *told;
	pid_t pid;
	int fd;

	(void)state;
	pid = start_command(&fd);
	assert_int_equal(collector->kind->follow(collector, pid, &err), 0);
	close(fd);
	waitpid(pid, NULL, 0);
	collector->kind->stop(collector);
	pass(collector, &recording);
	told = read_recording(&recording);
	assert_true(told[pid].ins > 0);
	assert_int_equal(told[pid].ends, 1);
	assert_int_equal(count_of(&recording, PERF_RECORD_FORK, 0), 2); /* a thread, and `true` */
	assert_int_equal(count_of(&recording, PERF_RECORD_EXIT, 0), 3);
	assert_int_equal(count_of(&recording, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC) >= 1,
			 1);
	assert_int_equal(collector->pass_ms, 0);
	free(told);
	release(&recording, collector);
	lineage_release(&lineage);
}

static void alone_the_threads_that_a_thread_creates_are_not_seen(void **state)
{
	struct lineage lineage = {.proc = "/proc"};
	struct collector *collector = open_collector(&lineage, true);
	struct recording recording = {.size = 0};
	struct err err = {.text = ""};
	struct told *told;
	pid_t pid;
	int fd;

	(void)state;
	pid = start_command(&fd);
	assert_int_equal(collector->kind->adopt(collector, pid, pid, &err), 1);
	close(fd);
	waitpid(pid, NULL, 0);
	collector->kind->stop(collector);
	pass(collector, &recording);
	told = read_recording(&recording);
	assert_true(told[pid].ins > 0);
	assert_int_equal(count_of(&recording, PERF_RECORD_FORK, 0), 0);
	assert_int_equal(count_of(&recording, PERF_RECORD_EXIT, 0), 1);
	free(told);
	release(&recording, collector);
	lineage_release(&lineage);
}

static void while_it_is_off_births_are_seen_and_switches_are_not(void **state)
{
	struct lineage lineage = {.proc = "/proc"};
	struct collector *collector = open_collector(&lineage, false);
	struct recording recording = {.size = 0};
	struct err err = {.text = ""};
	int fd, before;
	pid_t pid;

	(void)state;
	pid = start_command(&fd);
	assert_int_equal(collector->kind->follow(collector, pid, &err), 0);
	assert_int_equal(collector->kind->enable(collector, false, &err), 0);
	pass(collector, &recording);
	before = count_of(&recording, PERF_RECORD_SWITCH, 0);
	close(fd);
	waitpid(pid, NULL, 0);
	pass(collector, &recording);
	assert_int_equal(count_of(&recording, PERF_RECORD_FORK, 0), 2);
	assert_int_equal(count_of(&recording, PERF_RECORD_SWITCH, 0), before);
	release(&recording, collector);
	lineage_release(&lineage);
}

static void requests_that_need_tracepoints_are_refused(void **state)
{
	static const struct {
		bool wide, stacks;
		const char *said;
	} cases[] = {
		{true, false, "all threads of the machine cannot be recorded"},
		{false, true, "where threads block cannot be recorded"},
	};
	struct err err = {.text = ""};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lineage lineage = {.wide = cases[i].wide};
		const struct collector_options options = {.stacks = cases[i].stacks,
							  .lineage = &lineage};

		assert_null(task_collector_open(&options, &err));
		assert_memory_equal(err.text, cases[i].said, strlen(cases[i].said));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(all_threads_of_a_process_that_keeps_creating_them_are_seen_once),
	cmocka_unit_test(all_threads_of_a_chain_of_births_are_seen_once),
	cmocka_unit_test(a_command_is_seen_with_all_that_it_creates),
	cmocka_unit_test(alone_the_threads_that_a_thread_creates_are_not_seen),
	cmocka_unit_test(while_it_is_off_births_are_seen_and_switches_are_not),
	cmocka_unit_test(requests_that_need_tracepoints_are_refused),
};

TEST_FILE(tests);
