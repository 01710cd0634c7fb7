/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/err.h"
#include "collect/kernel/perf_events.h"

#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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

static struct perf_event births(void)
{
	struct perf_event event = {.name = "dummy", .attr = software(PERF_COUNT_SW_DUMMY)};

	event.attr.task = 1;
	return event;
}

static struct perf_event page_faults(void)
{
	struct perf_event event = {.name = "page-faults",
				   .attr = software(PERF_COUNT_SW_PAGE_FAULTS)};

	event.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return event;
}

/* Skips the test if the kernel does not allow events. */
static void need_events(void)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_DUMMY);
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		skip();
	close((int)fd);
}

static void open_with_rings(struct perf_events *events, struct perf_event *table, size_t count)
{
	struct err err = {.text = ""};

	if (perf_events_open(events, table, count, PERF_ON_THREADS, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(events->cpu_count, sysconf(_SC_NPROCESSORS_ONLN));
}

static void set_all(struct perf_events *events, bool on)
{
	struct err err = {.text = ""};

	for (size_t i = 0; i < events->event_count; i++)
		assert_int_equal(perf_events_set(events, i, on, &err), 0);
}

/* The number of the added thread with event `id`; -1: none. */
static ptrdiff_t origin_of(const struct perf_events *events, uint64_t id)
{
	size_t thread, index;

	return perf_events_find(events, id, &thread, &index) ? (ptrdiff_t)thread : -1;
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

/* Takes all records out of the rings. Returns the number of this type and of added thread
 * `origin`. */
static int records_of(struct perf_events *events, uint32_t type, ptrdiff_t origin)
{
	int count = 0;

	for (size_t i = 0; i < events->cpu_count; i++) {
		const struct perf_event_header *record;

		ring_read(&events->rings[i]);
		while ((record = ring_next(&events->rings[i]))) {
			uint64_t id;

			memcpy(&id, (const uint8_t *)record + record->size - sizeof(id),
			       sizeof(id));
			count += record->type == type && origin_of(events, id) == origin;
		}
		ring_consume(&events->rings[i]);
	}
	return count;
}

static void threads_that_a_thread_creates_are_seen_while_its_events_are_on(void **state)
{
	struct perf_event table[] = {births()};
	struct perf_events events;
	struct err err = {.text = ""};

	(void)state;
	need_events();
	open_with_rings(&events, table, 1);
	assert_int_equal(perf_events_add(&events, gettid(), &err), 1);
	create_thread();
	assert_int_equal(records_of(&events, PERF_RECORD_FORK, 0), 0);
	set_all(&events, true);
	create_thread();
	create_thread();
	assert_int_equal(records_of(&events, PERF_RECORD_FORK, 0), 2);
	set_all(&events, false);
	create_thread();
	assert_int_equal(records_of(&events, PERF_RECORD_FORK, 0), 0);
	perf_events_release(&events);
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
	struct perf_event table[] = {births(), births()};
	struct perf_events events;
	struct err err = {.text = ""};
	pthread_barrier_t barrier;
	pthread_t thread;

	(void)state;
	need_events();
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, wait_on, &barrier);
	pthread_barrier_wait(&barrier);
	open_with_rings(&events, table, 2);
	set_all(&events, true);
	assert_int_equal(perf_events_add(&events, getpid(), &err), 1);
	assert_int_equal(perf_events_add(&events, getpid(), &err), 1);
	assert_int_equal(origin_of(&events, 0), -1);
	assert_int_equal(origin_of(&events, events.ids[0]), 0);
	assert_int_equal(origin_of(&events, UINT64_MAX), -1);
	for (size_t i = 0; i < 2 * 2 * events.cpu_count; i++)
		assert_int_equal(origin_of(&events, events.ids[i]), i / (2 * events.cpu_count));
	create_thread();
	assert_int_equal(records_of(&events, PERF_RECORD_FORK, 1), 2); /* one of each event */
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	assert_int_equal(records_of(&events, PERF_RECORD_FORK, -1), 0);
	perf_events_release(&events);
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
	struct perf_event table[] = {births()};
	struct perf_events events;
	struct err err = {.text = ""};

	(void)state;
	need_events();
	open_with_rings(&events, table, 1);
	assert_int_equal(perf_events_add(&events, ended(), &err), 0);
	assert_int_equal(events.thread_count, 0);
	perf_events_release(&events);
}

/* The ring does not belong to the thread that was added first. */
static void rings_outlive_the_threads(void **state)
{
	struct perf_event table[] = {births()};
	struct perf_events events;
	struct err err = {.text = ""};
	int ends[2];
	pid_t pid;
	char byte;

	(void)state;
	need_events();
	open_with_rings(&events, table, 1);
	set_all(&events, true);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0)
		_exit(read(ends[0], &byte, 1) != 1);
	assert_int_equal(perf_events_add(&events, pid, &err), 1);
	assert_int_equal(write(ends[1], "", 1), 1);
	waitpid(pid, NULL, 0);
	assert_int_equal(records_of(&events, PERF_RECORD_EXIT, 0), 1);
	assert_int_equal(perf_events_add(&events, gettid(), &err), 1);
	create_thread();
	assert_int_equal(records_of(&events, PERF_RECORD_FORK, 1), 1);
	close(ends[0]);
	close(ends[1]);
	perf_events_release(&events);
}

/* The page faults of the test, and a few of other code around them. */
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

static void check_counts(const struct perf_events *events)
{
	for (size_t index = 1; index < 3; index++) {
		struct perf_count count = perf_events_count(events, 0, index);

		assert_in_range(count.value, 2 * FAULTS, 2 * FAULTS + FAULTS_AROUND);
		assert_true(count.enabled_ns > 0);
		assert_close((double)count.running_ns, (double)count.enabled_ns, 0.05);
	}
}

static void counts_are_those_of_the_thread_and_its_descendants(void **state)
{
	struct perf_event table[] = {births(), page_faults(), page_faults()};
	struct perf_events events;
	struct err err = {.text = ""};

	(void)state;
	need_events();
	table[2].in_group = true;
	for (int with_rings = 0; with_rings < 2; with_rings++) {
		if (with_rings)
			open_with_rings(&events, table, 3);
		else
			assert_int_equal(perf_events_open(&events, table, 3,
							  PERF_ON_THREADS_UNMAPPED, NULL, &err),
					 0);
		assert_int_equal(perf_events_add(&events, gettid(), &err), 1);
		fault(NULL);
		set_all(&events, true);
		fault_here_and_in_a_new_thread();
		set_all(&events, false);
		fault(NULL);
		check_counts(&events);
		perf_events_release(&events);
	}
}

static void too_few_open_files_are_reported_with_numbers(void **state)
{
	struct perf_event table[] = {births(), page_faults()};
	struct perf_events events;
	struct rlimit before, few;
	struct err err = {.text = ""};
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
		rc = perf_events_add(&events, gettid(), &err);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_int_equal(rc, -1);
	snprintf(want, sizeof(want), "%zu threads x %zu CPUs x 2 events need %zu open files",
		 events.thread_count + 1, events.cpu_count,
		 (events.thread_count + 1) * events.cpu_count * 2);
	assert_non_null(strstr(err.text, want));
	assert_non_null(strstr(err.text, "only 40 are allowed"));
	perf_events_release(&events);
}

/* Another user without locked memory, and with the single right to watch CPUs. */
static int become_nobody(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const uint32_t right = 1U << (CAP_PERFMON - 32);
	const struct __user_cap_data_struct rights[2] = {{0}, {right, right, 0}};
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_MEMLOCK, &none);
	prctl(PR_SET_KEEPCAPS, 1);
	return setgid(65534) || setuid(65534) ? -1 : (int)syscall(SYS_capset, &header, rights);
}

/* Finds out, in a process of its own, how a user with little memory fares. */
static int with_little_memory(enum perf_scope scope, int fd)
{
	struct perf_event table[] = {births()};
	struct perf_events events;
	struct err err = {.text = ""};
	size_t bytes;

	table[0].attr.inherit = scope == PERF_ON_THREADS;
	if (become_nobody() || perf_events_open(&events, table, 1, scope, NULL, &err))
		return 1;
	bytes = events.ring_bytes;
	for (size_t i = 0; i < events.cpu_count; i++)
		if (events.rings[i].size != bytes)
			return 2;
	perf_events_release(&events);
	return write(fd, &bytes, sizeof(bytes)) != sizeof(bytes);
}

/* The number in a file of /proc/sys/kernel. */
static int setting(const char *name)
{
	char path[128];
	int value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%d", &value) != 1)
		skip();
	fclose(file);
	return value;
}

static void rings_shrink_to_what_a_user_may_have(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int level = setting("perf_event_paranoid"), kib = setting("perf_event_mlock_kb");

	(void)state;
	if (level < 0 || level > 2 || geteuid() != 0)
		skip();
	need_events();
	for (enum perf_scope scope = PERF_ON_CPUS; scope <= PERF_ON_THREADS; scope++) {
		size_t ring_bytes = 0;
		int ends[2];
		pid_t pid;

		assert_int_equal(pipe(ends), 0);
		pid = fork();
		if (pid == 0)
			_exit(with_little_memory(scope, ends[1]));
		close(ends[1]);
		if (read(ends[0], &ring_bytes, sizeof(ring_bytes)) != sizeof(ring_bytes))
			fail_msg("scope %d: a user with little memory got no rings", (int)scope);
		close(ends[0]);
		waitpid(pid, NULL, 0);
		assert_true(ring_bytes >= page);
		assert_true(ring_bytes + page <= (size_t)kib << 10);
	}
}

/* --- CPUs that come online ----------------------------------------------------------------- */

/* Lists of CPUs of a machine; the kernel has two, whatever the list says. */
struct machine {
	char root[64], path[80];
	struct perf_event table[1];
	struct perf_events events;
	int prepared; /* number of the CPU; -1: none */
};

static void put_list(const struct machine *machine, const char *online)
{
	dir_put(machine->root, "online", online);
}

static void begin(struct machine *machine, const char *online)
{
	struct err err = {.text = ""};

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || geteuid() != 0)
		skip();
	need_events();
	*machine = (struct machine){.table = {births()}, .prepared = -1};
	machine->table[0].attr.inherit = 0;
	dir_make(machine->root);
	put_list(machine, online);
	snprintf(machine->path, sizeof(machine->path), "%s/online", machine->root);
	if (perf_events_open(&machine->events, machine->table, 1, PERF_ON_CPUS, machine->path,
			     &err))
		fail_msg("%s", err.text);
	set_all(&machine->events, true);
}

static void end(struct machine *machine)
{
	perf_events_release(&machine->events);
	dir_remove(machine->root);
}

static int note_prepared(void *context, size_t first, struct err *err)
{
	(void)err;
	((struct machine *)context)->prepared = (int)first;
	return 0;
}

/* Makes the regular look at CPUs. Returns the number of CPUs then. */
static size_t look(struct machine *machine, const char *online)
{
	struct err err = {.text = ""};

	put_list(machine, online);
	machine->prepared = -1;
	machine->events.next_look_ns = 0;
	assert_int_equal(perf_events_look(&machine->events, note_prepared, machine, &err), 0);
	return machine->events.cpu_count;
}

/* Births on a CPU in the ring of this number. */
static int births_seen(struct machine *machine, int cpu, size_t at)
{
	struct ring *ring = &machine->events.rings[at];
	const struct perf_event_header *record;
	cpu_set_t before, set;
	int count = 0;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_getaffinity(0, sizeof(before), &before);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
	create_thread();
	sched_setaffinity(0, sizeof(before), &before);
	perf_events_mark(&machine->events);
	while ((record = ring_next(ring)))
		count += record->type == PERF_RECORD_FORK;
	ring_consume(ring);
	return count;
}

static void a_cpu_that_comes_online_is_watched_like_the_rest(void **state)
{
	struct machine machine;

	(void)state;
	begin(&machine, "0\n");
	assert_int_equal(look(&machine, "0-1\n"), 2);
	assert_int_equal(machine.events.cpus[1], 1);
	assert_int_equal(machine.prepared, 1);
	assert_true(births_seen(&machine, 1, 1) > 0);
	assert_int_equal(look(&machine, "0-1\n"), 2);
	assert_int_equal(machine.prepared, -1);
	set_all(&machine.events, false);
	births_seen(&machine, 1, 1);
	assert_int_equal(births_seen(&machine, 1, 1), 0);
	end(&machine);
}

static void a_cpu_that_comes_back_online_has_a_second_number(void **state)
{
	struct machine machine;

	(void)state;
	begin(&machine, "0-1\n");
	assert_int_equal(look(&machine, "0\n"), 2);
	assert_int_equal(look(&machine, "0-1\n"), 3);
	assert_int_equal(machine.events.cpus[2], 1);
	assert_true(births_seen(&machine, 1, 2) > 0);
	end(&machine);
}

static void cpus_are_looked_for_once_a_second_and_bad_lists_ignored(void **state)
{
	struct machine machine;
	struct err err = {.text = ""};

	(void)state;
	begin(&machine, "0\n");
	put_list(&machine, "0-1\n");
	assert_int_equal(perf_events_look(&machine.events, NULL, NULL, &err), 0);
	assert_int_equal(machine.events.cpu_count, 1);
	assert_int_equal(look(&machine, "what?\n"), 1);
	assert_int_equal(look(&machine, "0-1\n"), 2);
	end(&machine);
}

static void nothing_is_open_on_a_cpu_that_cannot_have_a_ring(void **state)
{
	struct machine machine;
	struct err err = {.text = ""};

	(void)state;
	begin(&machine, "0\n");
	put_list(&machine, "0,8000-8100\n");
	machine.events.next_look_ns = 0;
	assert_int_equal(perf_events_look(&machine.events, NULL, NULL, &err), -1);
	for (size_t at = 1; at < machine.events.cpu_count; at++)
		assert_int_equal(perf_events_fd(&machine.events, 0, at), -1);
	end(&machine);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(threads_that_a_thread_creates_are_seen_while_its_events_are_on),
	cmocka_unit_test(records_tell_which_added_thread_they_come_from),
	cmocka_unit_test(a_thread_that_has_ended_is_no_failure),
	cmocka_unit_test(rings_outlive_the_threads),
	cmocka_unit_test(counts_are_those_of_the_thread_and_its_descendants),
	cmocka_unit_test(too_few_open_files_are_reported_with_numbers),
	cmocka_unit_test(rings_shrink_to_what_a_user_may_have),
	cmocka_unit_test(a_cpu_that_comes_online_is_watched_like_the_rest),
	cmocka_unit_test(a_cpu_that_comes_back_online_has_a_second_number),
	cmocka_unit_test(cpus_are_looked_for_once_a_second_and_bad_lists_ignored),
	cmocka_unit_test(nothing_is_open_on_a_cpu_that_cannot_have_a_ring),
};

TEST_FILE(tests);
