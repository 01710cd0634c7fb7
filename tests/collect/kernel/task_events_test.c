/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "collect/kernel/task_events.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct perf_event_attr software(uint64_t config)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = config,
		.size = sizeof(struct perf_event_attr),
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static struct task_event births(void)
{
	struct task_event event = {.name = "dummy", .attr = software(PERF_COUNT_SW_DUMMY)};

	event.attr.task = 1;
	return event;
}

static struct task_event page_faults(void)
{
	struct task_event event = {.name = "page-faults",
				   .attr = software(PERF_COUNT_SW_PAGE_FAULTS)};

	event.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return event;
}

/* The kernel may not let us: then there is nothing to test here. */
static void need_events(void)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_DUMMY);
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		skip();
	close((int)fd);
}

static void online(struct cpu_list *cpus)
{
	struct err err;

	assert_int_equal(cpu_list_read(cpus, "/sys/devices/system/cpu/online", &err), 0);
}

static void open_with_rings(struct task_events *events, const struct task_event *table,
			    size_t count)
{
	struct cpu_list cpus;
	struct err err = {""};

	online(&cpus);
	if (task_events_open(events, table, count, &cpus, &err))
		fail_msg("%s", err.text);
	assert_int_equal(events->cpu_count, cpus.count);
	cpu_list_release(&cpus);
}

static void *nothing(void *unused)
{
	return unused;
}

static void create_thread(void)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, nothing, NULL), 0);
	pthread_join(thread, NULL);
}

/* Takes all records out of the rings. How many are of this type and of added thread `origin`? */
static int records_of(struct task_events *events, uint32_t type, ptrdiff_t origin)
{
	int count = 0;

	for (size_t i = 0; i < events->cpu_count; i++) {
		const struct perf_event_header *record;

		ring_read(&events->rings[i]);
		while ((record = ring_next(&events->rings[i]))) {
			uint64_t id;

			memcpy(&id, (const uint8_t *)record + record->size - sizeof(id),
			       sizeof(id));
			count += record->type == type && task_events_origin(events, id) == origin;
		}
		ring_consume(&events->rings[i]);
	}
	return count;
}

static void what_a_thread_creates_is_seen_while_its_events_are_on(void **state)
{
	const struct task_event table[] = {births()};
	struct task_events events;
	struct err err = {""};

	(void)state;
	need_events();
	open_with_rings(&events, table, 1);
	assert_int_equal(task_events_add(&events, gettid(), &err), 1);
	create_thread();
	assert_int_equal(records_of(&events, PERF_RECORD_FORK, 0), 0);
	assert_int_equal(task_events_switch(&events, true, &err), 0);
	create_thread();
	create_thread();
	assert_int_equal(records_of(&events, PERF_RECORD_FORK, 0), 2);
	assert_int_equal(task_events_switch(&events, false, &err), 0);
	create_thread();
	assert_int_equal(records_of(&events, PERF_RECORD_FORK, 0), 0);
	task_events_release(&events);
}

static void *wait_on(void *barrier)
{
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	create_thread();
	return NULL;
}

static void records_tell_which_added_thread_they_come_from(void **state)
{
	const struct task_event table[] = {births(), births()};
	struct task_events events;
	struct err err = {""};
	pthread_barrier_t barrier;
	pthread_t thread;

	(void)state;
	need_events();
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, wait_on, &barrier);
	pthread_barrier_wait(&barrier);
	open_with_rings(&events, table, 2);
	assert_int_equal(task_events_switch(&events, true, &err), 0);
	assert_int_equal(task_events_add(&events, getpid(), &err), 1);
	assert_int_equal(task_events_add(&events, getpid(), &err), 1);
	assert_int_equal(task_events_origin(&events, 0), -1);
	assert_int_equal(task_events_origin(&events, events.ids[0]), 0);
	assert_int_equal(task_events_origin(&events, UINT64_MAX), -1);
	for (size_t i = 0; i < 2 * 2 * events.cpu_count; i++)
		assert_int_equal(task_events_origin(&events, events.ids[i]),
				 i / (2 * events.cpu_count));
	create_thread();
	assert_int_equal(records_of(&events, PERF_RECORD_FORK, 1), 2); /* one of each event */
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	assert_int_equal(records_of(&events, PERF_RECORD_FORK, -1), 0);
	task_events_release(&events);
	pthread_barrier_destroy(&barrier);
}

/* The id of a thread that has ended and been waited for. */
static pid_t ended(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static void a_thread_that_has_ended_is_no_failure(void **state)
{
	const struct task_event table[] = {births()};
	struct task_events events;
	struct err err = {""};

	(void)state;
	need_events();
	open_with_rings(&events, table, 1);
	assert_int_equal(task_events_add(&events, ended(), &err), 0);
	assert_int_equal(events.thread_count, 0);
	task_events_release(&events);
}

/* The ring does not belong to the thread that was added first. */
static void rings_outlive_the_threads(void **state)
{
	const struct task_event table[] = {births()};
	struct task_events events;
	struct err err = {""};
	int ends[2];
	pid_t pid;
	char byte;

	(void)state;
	need_events();
	open_with_rings(&events, table, 1);
	assert_int_equal(task_events_switch(&events, true, &err), 0);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0)
		_exit(read(ends[0], &byte, 1) != 1);
	assert_int_equal(task_events_add(&events, pid, &err), 1);
	assert_int_equal(write(ends[1], "", 1), 1);
	waitpid(pid, NULL, 0);
	assert_int_equal(records_of(&events, PERF_RECORD_EXIT, 0), 1);
	assert_int_equal(task_events_add(&events, gettid(), &err), 1);
	create_thread();
	assert_int_equal(records_of(&events, PERF_RECORD_FORK, 1), 1);
	close(ends[0]);
	close(ends[1]);
	task_events_release(&events);
}

/* So many page faults, and a few for what is around them. */
enum { FAULTS = 200, FAULTS_AROUND = 50 };

static void *fault(void *unused)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = FAULTS * page;
	char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(bytes, MAP_FAILED);
	madvise(bytes, size, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < size; at += page)
		*(volatile char *)(bytes + at) = 1;
	munmap(bytes, size);
	return unused;
}

static void fault_here_and_in_a_new_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, fault, NULL);
	fault(NULL);
	pthread_join(thread, NULL);
}

static void check_counts(const struct task_events *events)
{
	for (size_t index = 1; index < 3; index++) {
		struct task_count count;

		assert_int_equal(task_events_count(&count, events, 0, index), 0);
		assert_in_range(count.value, 2 * FAULTS, 2 * FAULTS + FAULTS_AROUND);
		assert_true(count.enabled_ns > 0);
		assert_close((double)count.running_ns, (double)count.enabled_ns, 0.05);
	}
}

static void counts_are_those_of_the_thread_and_its_descendants(void **state)
{
	struct task_event table[] = {births(), page_faults(), page_faults()};
	struct task_events events;
	struct err err = {""};

	(void)state;
	need_events();
	table[2].in_group = true;
	for (int with_rings = 0; with_rings < 2; with_rings++) {
		if (with_rings)
			open_with_rings(&events, table, 3);
		else
			assert_int_equal(task_events_open(&events, table, 3, NULL, &err), 0);
		assert_int_equal(task_events_add(&events, gettid(), &err), 1);
		fault(NULL);
		assert_int_equal(task_events_switch(&events, true, &err), 0);
		fault_here_and_in_a_new_thread();
		assert_int_equal(task_events_switch(&events, false, &err), 0);
		fault(NULL);
		check_counts(&events);
		task_events_release(&events);
	}
}

static void too_few_open_files_are_told_with_numbers(void **state)
{
	const struct task_event table[] = {births(), page_faults()};
	struct task_events events;
	struct rlimit before, few;
	struct err err = {""};
	char want[64];
	int rc = 1;

	(void)state;
	need_events();
	open_with_rings(&events, table, 2);
	getrlimit(RLIMIT_NOFILE, &before);
	few = before;
	few.rlim_cur = 40;
	setrlimit(RLIMIT_NOFILE, &few);
	while (rc == 1 && events.thread_count < 41)
		rc = task_events_add(&events, gettid(), &err);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_int_equal(rc, -1);
	snprintf(want, sizeof(want), "%zu threads x %zu CPUs x 2 events need %zu open files",
		 events.thread_count + 1, events.cpu_count,
		 (events.thread_count + 1) * events.cpu_count * 2);
	assert_non_null(strstr(err.text, want));
	assert_non_null(strstr(err.text, "only 40 are allowed"));
	task_events_release(&events);
}

/* What a user of little memory gets is found out as one, in a process of its own. */
static int as_nobody(size_t *ring_bytes, int fd)
{
	const struct task_event table[] = {births()};
	const struct rlimit none = {0, 0};
	struct task_events events;
	struct cpu_list cpus;
	struct err err = {""};

	online(&cpus);
	setrlimit(RLIMIT_MEMLOCK, &none);
	if (setgid(65534) || setuid(65534))
		return 1;
	if (task_events_open(&events, table, 1, &cpus, &err))
		return 2;
	*ring_bytes = events.ring_bytes;
	task_events_release(&events);
	cpu_list_release(&cpus);
	return write(fd, ring_bytes, sizeof(*ring_bytes)) != sizeof(*ring_bytes);
}

static void rings_shrink_to_what_a_user_may_have(void **state)
{
	size_t ring_bytes = 0, page = (size_t)sysconf(_SC_PAGESIZE);
	int level = 3, kib = 0, ends[2];
	FILE *file;
	pid_t pid;

	(void)state;
	file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	if (!file || fscanf(file, "%d", &level) != 1 || level < 0 || level > 2 || geteuid() != 0)
		skip();
	fclose(file);
	file = fopen("/proc/sys/kernel/perf_event_mlock_kb", "re");
	if (!file || fscanf(file, "%d", &kib) != 1)
		skip();
	fclose(file);
	need_events();
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0)
		_exit(as_nobody(&ring_bytes, ends[1]));
	close(ends[1]);
	if (read(ends[0], &ring_bytes, sizeof(ring_bytes)) != sizeof(ring_bytes))
		fail_msg("an ordinary user got no rings");
	close(ends[0]);
	waitpid(pid, NULL, 0);
	assert_true(ring_bytes >= page);
	assert_true(ring_bytes + page <= (size_t)kib << 10);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_a_thread_creates_is_seen_while_its_events_are_on),
	cmocka_unit_test(records_tell_which_added_thread_they_come_from),
	cmocka_unit_test(a_thread_that_has_ended_is_no_failure),
	cmocka_unit_test(rings_outlive_the_threads),
	cmocka_unit_test(counts_are_those_of_the_thread_and_its_descendants),
	cmocka_unit_test(too_few_open_files_are_told_with_numbers),
	cmocka_unit_test(rings_shrink_to_what_a_user_may_have),
};

TEST_FILE(tests);
