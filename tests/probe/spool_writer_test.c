/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/spool_writer.h"

#include "base/err.h"
#include "base/monotonic.h"
#include "collect/blocks/spool_reader.h"
#include "probe/spool_ends.h"
#include "probe/task.h"
#include "random.h"
#include "support.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { NOBODY = 65534 };

/* A spool with the file of one thread. */
struct spool {
	struct spool_listener listener;
	struct recorder_link link;
	struct spool_writer writer;
};

static void begin(struct spool *spool)
{
	static const struct spool_offer first = {.clock = SPOOL_TSC, .image = 7};

	*spool = (struct spool){.link = {.path = ""}};
	spool_ends_listen(&spool->listener, &(struct plan_header){.every = 1});
	assert_int_equal(recorder_link_open(&spool->link, spool->listener.path), 0);
	assert_int_equal(spool_writer_open(&spool->writer, &spool->link, &first), 0);
}

static void end(struct spool *spool)
{
	munmap((void *)(uintptr_t)spool->link.plan, spool->link.plan_bytes);
	spool_listener_close(&spool->listener);
}

/* Event number n has n % 8 values, of which the i-th is n + i. */
static void write_event(struct spool_writer *writer, uint64_t n)
{
	struct spool_record *head = spool_writer_take(writer, spool_records(n % 8));

	assert_non_null(head);
	for (unsigned i = 0; i < n % 8; i++)
		(&head[1].time)[i] = n + i;
	spool_writer_put(head, n, spool_word(SPOOL_ENTER, n, n % 8));
}

static void hold_event(const struct spool_event *event, uint64_t n)
{
	if (event->block != n || event->time != n || event->count != n % 8 ||
	    event->kind != SPOOL_ENTER)
		fail_msg("event %lu is block %lu", n, event->block);
	for (unsigned i = 0; i < event->count; i++)
		assert_int_equal(event->values[i], n + i);
}

static void open_reader(struct spool_reader *reader, struct spool *spool)
{
	struct spool_arrival arrival = spool_ends_take(&spool->listener, SPOOL_OFFER_THREAD);
	struct err err;

	assert_int_equal(spool_reader_open(reader, &arrival, &err), 0);
	assert_int_equal(reader->pid, getpid());
	assert_int_equal(reader->tid, gettid());
	assert_int_equal(reader->image, 7);
}

/* Reads the next event that is complete. */
static int read_next(struct spool_reader *reader, struct spool_event *event, bool last)
{
	spool_reader_look(reader);
	return spool_reader_next(reader, event, last);
}

/* The events fill many windows. */
static void all_written_events_are_read(void **state)
{
	enum { EVENTS = 400000 };
	struct spool spool;
	struct spool_reader reader;
	struct spool_event event;

	(void)state;
	begin(&spool);
	for (uint64_t n = 1; n <= EVENTS; n++)
		write_event(&spool.writer, n);
	open_reader(&reader, &spool);
	for (uint64_t n = 1; n <= EVENTS; n++) {
		assert_int_equal(read_next(&reader, &event, false), 1);
		hold_event(&event, n);
	}
	assert_int_equal(read_next(&reader, &event, false), 0);
	assert_false(reader.ended);
	spool_writer_close(&spool.writer);
	assert_int_equal(read_next(&reader, &event, false), 0);
	assert_true(reader.ended);
	assert_int_equal(reader.torn + reader.missing, 0);
	spool_reader_close(&reader);
	end(&spool);
}

/* The file has only as many windows as the writer is ahead of the reader. */
static void windows_that_have_been_read_are_used_again(void **state)
{
	enum { ROUNDS = 300, EVENTS = 1024 };
	struct spool spool;
	struct spool_reader reader;
	struct spool_event event;
	uint64_t written = 0, read = 0;

	(void)state;
	begin(&spool);
	open_reader(&reader, &spool);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < EVENTS; i++)
			write_event(&spool.writer, ++written);
		while (read_next(&reader, &event, false))
			hold_event(&event, ++read);
		assert_int_equal(read, written);
	}
	assert_true(reader.header->turned > 100);
	assert_in_range(reader.header->window_count, 1, 3);
	spool_reader_close(&reader);
	spool_writer_close(&spool.writer);
	end(&spool);
}

/* The resident part of the mapping at `begin`, by /proc/self/smaps. */
static size_t resident_bytes(const void *begin)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	char line[400], wanted[40];
	size_t kib = 0;
	bool is_it = false;

	assert_non_null(file);
	snprintf(wanted, sizeof(wanted), "%lx-", (unsigned long)begin);
	while (fgets(line, sizeof(line), file)) {
		is_it |= strncmp(line, wanted, strlen(wanted)) == 0;
		if (is_it && sscanf(line, "Rss: %zu kB", &kib) == 1)
			break;
	}
	fclose(file);
	return kib * 1024;
}

/* The reader is up to so many events behind, in more windows than it keeps. */
static void a_reader_that_is_late_loses_nothing_and_keeps_little(void **state)
{
	enum { ROUNDS = 40, LATE = 60000, KEEP = 16 };
	struct random random = {11};
	struct spool spool;
	struct spool_reader reader;
	struct spool_event event;
	uint64_t written = 0, read = 0;

	(void)state;
	begin(&spool);
	open_reader(&reader, &spool);
	reader.keep = KEEP;
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = random_below(&random, LATE); i; i--)
			write_event(&spool.writer, ++written);
		for (size_t i = random_below(&random, written - read + 1); i; i--) {
			assert_int_equal(read_next(&reader, &event, false), 1);
			hold_event(&event, ++read);
		}
		/* The kernel maps as much again around each page that is read. */
		assert_in_range(resident_bytes(reader.header), 1,
				SPOOL_HEADER_BYTES + (2 * KEEP + 4) * SPOOL_WINDOW);
	}
	while (read_next(&reader, &event, true))
		hold_event(&event, ++read);
	assert_int_equal(read, written);
	assert_int_equal(reader.missing + reader.torn, 0);
	assert_true(reader.header->window_count > 4 * KEEP);
	spool_reader_close(&reader);
	spool_writer_close(&spool.writer);
	end(&spool);
}

static void *write_many(void *context)
{
	struct spool *spool = context;

	for (uint64_t n = 1; n <= 1000000; n++)
		write_event(&spool->writer, n);
	return NULL;
}

static void events_are_read_while_more_are_written(void **state)
{
	struct spool spool;
	struct spool_reader reader;
	struct spool_event event;
	pthread_t thread;
	uint64_t read = 0;

	(void)state;
	begin(&spool);
	open_reader(&reader, &spool);
	assert_int_equal(pthread_create(&thread, NULL, write_many, &spool), 0);
	while (read < 1000000)
		if (read_next(&reader, &event, false))
			hold_event(&event, ++read);
	pthread_join(thread, NULL);
	assert_int_equal(read_next(&reader, &event, true), 0);
	spool_reader_close(&reader);
	spool_writer_close(&spool.writer);
	end(&spool);
}

/* A server begins as root and changes its user; its file still belongs to root. */
static void a_process_that_changes_its_user_continues(void **state)
{
	enum { EVENTS = 200000 };
	struct spool spool;
	struct spool_reader reader;
	struct spool_event event;

	(void)state;
	if (geteuid() != 0)
		skip();
	begin(&spool);
	assert_int_equal(seteuid(NOBODY), 0);
	for (uint64_t n = 1; n <= EVENTS; n++)
		write_event(&spool.writer, n);
	assert_int_equal(seteuid(0), 0);
	assert_true(spool.writer.header->window_count > 10);
	open_reader(&reader, &spool);
	for (uint64_t n = 1; n <= EVENTS; n++) {
		assert_int_equal(read_next(&reader, &event, false), 1);
		hold_event(&event, n);
	}
	assert_int_equal(reader.torn + reader.missing, 0);
	spool_reader_close(&reader);
	spool_writer_close(&spool.writer);
	end(&spool);
}

/* --- Signals ------------------------------------------------------------------------------- */

static struct spool handled;
static volatile sig_atomic_t in_handler;

static void handle(int number)
{
	struct spool_record *head = spool_writer_take(&handled.writer, 1);

	(void)number;
	in_handler++;
	spool_writer_put(head, 0, spool_word(SPOOL_LEAVE, 0, 0));
}

static void a_signal_handler_writes_in_between(void **state)
{
	const struct itimerval timer = {{0, 50}, {0, 50}}, off = {{0, 0}, {0, 0}};
	struct spool_reader reader;
	struct spool_event event;
	uint64_t n = 0, read = 0;
	int handlers = 0;

	(void)state;
	begin(&handled);
	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (in_handler < 300)
		write_event(&handled.writer, ++n);
	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGALRM, SIG_DFL);
	open_reader(&reader, &handled);
	while (read_next(&reader, &event, true))
		if (event.kind == SPOOL_LEAVE)
			handlers++;
		else
			hold_event(&event, ++read);
	assert_int_equal(read, n);
	assert_int_equal(handlers, in_handler);
	assert_int_equal(reader.torn, 0);
	spool_reader_close(&reader);
	spool_writer_close(&handled.writer);
	end(&handled);
}

/* --- Trouble ------------------------------------------------------------------------------- */

static void an_event_cut_by_a_crash_is_skipped(void **state)
{
	struct spool spool;
	struct spool_reader reader;
	struct spool_event event;
	uint64_t n, read = 0;

	(void)state;
	begin(&spool);
	for (n = 1; n <= 100; n++) {
		write_event(&spool.writer, n);
		if (n == 40)
			spool_writer_take(&spool.writer, 3); /* never completed */
	}
	open_reader(&reader, &spool);
	while (read_next(&reader, &event, false))
		hold_event(&event, ++read);
	assert_int_equal(read, 40); /* the rest may still come */
	while (read_next(&reader, &event, true))
		hold_event(&event, ++read);
	assert_int_equal(read, 100);
	assert_int_equal(reader.torn, 1);
	spool_reader_close(&reader);
	spool_writer_close(&spool.writer);
	end(&spool);
}

static void put_step(struct spool *spool, unsigned step, unsigned count)
{
	struct spool_record *head = spool_writer_take(&spool->writer, spool_records(count));

	if (count)
		head[1].time = spool_task_value(step, 9);
	spool_writer_put(head, 1, spool_word(SPOOL_TASK, 4096, count));
}

static void a_step_without_its_values_is_skipped(void **state)
{
	static const struct {
		unsigned step, count;
	} damaged[] = {{PSCAL_STEP_BEGIN, 2},
		       {PSCAL_STEP_SPAWN, 1},
		       {PSCAL_STEP_END, 0},
		       {PSCAL_STEP_END, 126},
		       {PSCAL_STEP_SYNC_OF, 3},
		       {PSCAL_STEP_SYNC, 1},
		       {0, 1},
		       {11, 1},
		       {255, 3}};
	enum { DAMAGED = sizeof(damaged) / sizeof(damaged[0]) };
	struct spool spool;
	struct spool_reader reader;
	struct spool_event event;

	(void)state;
	begin(&spool);
	for (size_t i = 0; i < DAMAGED; i++)
		put_step(&spool, damaged[i].step, damaged[i].count);
	put_step(&spool, PSCAL_STEP_END, 1);
	open_reader(&reader, &spool);
	assert_int_equal(read_next(&reader, &event, false), 1);
	assert_int_equal(event.kind, SPOOL_TASK);
	assert_int_equal(event.count, 1);
	assert_int_equal(spool_task(event.values[0]), 9);
	assert_int_equal(reader.torn, DAMAGED);
	spool_reader_close(&reader);
	spool_writer_close(&spool.writer);
	end(&spool);
}

/* A signal handler jumps out of the middle of writing, and the thread continues. */
static void an_abandoned_event_is_skipped(void **state)
{
	struct spool spool;
	struct spool_reader reader;
	struct spool_event event;
	struct spool_record *head;
	uint64_t n = 0, read = 0;

	(void)state;
	begin(&spool);
	while (n < 100)
		write_event(&spool.writer, ++n);
	head = spool_writer_take(&spool.writer, spool_records(5));
	for (unsigned i = 0; i < 5; i++)
		(&head[1].time)[i] = 0x0101000000001234; /* such words look like events */
	open_reader(&reader, &spool);
	while (n < 100000) {
		write_event(&spool.writer, ++n);
		while (read_next(&reader, &event, false))
			hold_event(&event, ++read);
		if (n < 2500)
			assert_int_equal(read, 100); /* the rest may still come */
	}
	assert_int_equal(read, n);
	assert_int_equal(reader.torn, 1);
	spool_reader_close(&reader);
	spool_writer_close(&spool.writer);
	end(&spool);
}

static void grow_until_full(struct spool *spool)
{
	enum { EVENTS = 400000 };
	uint64_t written = 0, full = spool->writer.header->full;
	uint32_t windows = spool->writer.header->window_count;

	for (int i = 0; i < EVENTS; i++) {
		struct spool_record *head = spool_writer_take(&spool->writer, 1);

		if (head)
			spool_writer_put(head, 0, spool_word(SPOOL_LEAVE, 0, 0));
		written += head != NULL;
	}
	assert_int_equal(spool->writer.header->window_count, windows);
	assert_int_equal(spool->writer.header->full - full + written, EVENTS);
}

/* The recorder was killed; or it reports that it has no room. */
static void no_file_grows_without_a_reader_or_without_room(void **state)
{
	static const struct {
		uint64_t ago_ns;
		bool room;
	} cases[] = {{UINT64_C(20) * 1000000000, true}, {0, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct spool spool;

		begin(&spool);
		for (uint64_t n = 1; n < 20000; n++)
			write_event(&spool.writer, n);
		assert_true(spool.writer.header->window_count > 3);
		assert_true(recorder_link_has_room(&spool.link));
		spool_listener_tell(&spool.listener, monotonic_ns() - cases[i].ago_ns,
				    cases[i].room);
		assert_int_equal(recorder_link_is_read(&spool.link), !cases[i].ago_ns);
		assert_false(recorder_link_has_room(&spool.link));
		grow_until_full(&spool);
		spool_writer_close(&spool.writer);
		end(&spool);
	}
}

static void a_released_thread_writes_no_further(void **state)
{
	struct spool_reader reader;
	struct spool spool;

	(void)state;
	begin(&spool);
	for (uint64_t n = 1; n < 20000; n++)
		write_event(&spool.writer, n);
	open_reader(&reader, &spool);
	spool_reader_let_go(&reader);
	grow_until_full(&spool);
	spool_writer_close(&spool.writer);
	end(&spool);
}

/* --- The plan ------------------------------------------------------------------------------ */

static void chown_plan(const char *path)
{
	char plan[256];

	snprintf(plan, sizeof(plan), "%s/plan", path);
	assert_int_equal(chown(plan, NOBODY, NOBODY), 0);
}

static void chown_directory(const char *path)
{
	assert_int_equal(chown(path, NOBODY, NOBODY), 0);
}

static void let_all_write(const char *path)
{
	assert_int_equal(chmod(path, 0777), 0);
}

static void link_plan(const char *path)
{
	char plan[256], more[256];

	snprintf(plan, sizeof(plan), "%s/plan", path);
	snprintf(more, sizeof(more), "%s/more", path);
	assert_int_equal(link(plan, more), 0);
}

static void put_link(const char *path)
{
	char plan[256], more[256];

	snprintf(plan, sizeof(plan), "%s/plan", path);
	snprintf(more, sizeof(more), "%s/more", path);
	assert_int_equal(rename(plan, more), 0);
	assert_int_equal(symlink(more, plan), 0);
}

static void cut_plan(const char *path)
{
	char plan[256];

	snprintf(plan, sizeof(plan), "%s/plan", path);
	assert_int_equal(truncate(plan, 20), 0);
}

static void change_token(const char *path)
{
	char plan[256];
	FILE *file;

	snprintf(plan, sizeof(plan), "%s/plan", path);
	file = fopen(plan, "r+e");
	assert_non_null(file);
	fseek(file, offsetof(struct plan_header, token), SEEK_SET);
	fputs("xxxx", file);
	fclose(file);
}

static void a_plan_is_taken_from_its_recorder_alone(void **state)
{
	static const struct {
		const char *name;
		void (*change)(const char *path);
	} cases[] = {{"another user's plan", chown_plan},
		     {"another user's directory", chown_directory},
		     {"a directory for all", let_all_write},
		     {"two names", link_plan},
		     {"a symbolic link", put_link},
		     {"cut short", cut_plan},
		     {"another directory's plan", change_token}};

	(void)state;
	if (geteuid() != 0)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct spool_listener listener;
		struct recorder_link link = {.path = ""};
		char path[200];

		spool_ends_listen(&listener, &(struct plan_header){.every = 1});
		snprintf(path, sizeof(path), "%s", listener.path);
		cases[i].change(path);
		if (!recorder_link_open(&link, path))
			fail_msg("%s is taken", cases[i].name);
		munmap(listener.plan, sizeof(*listener.plan));
		listener.plan = NULL; /* the plan may be shorter */
		spool_listener_close(&listener);
		assert_int_equal(access(path, F_OK), -1);
	}
}

static void relative_and_long_paths_are_refused(void **state)
{
	struct recorder_link link = {.path = ""};
	char path[300];

	(void)state;
	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(recorder_link_open(&link, path), -1);
	path[0] = '/';
	assert_int_equal(recorder_link_open(&link, path), -1);
	assert_int_equal(recorder_link_open(&link, "/a"), -1);
	assert_int_equal(recorder_link_open(&link, ""), -1);
	assert_int_equal(recorder_link_open(&link, NULL), -1);
}

/* --- Damage -------------------------------------------------------------------------------- */

static void damage(struct spool_writer *writer, struct random *random)
{
	uint8_t *bytes = (uint8_t *)writer->header;
	size_t head = random_below(random, 2) ? 256 : SPOOL_HEADER_BYTES + 3 * SPOOL_WINDOW;

	for (int i = 0; i < 20; i++)
		bytes[random_below(random, head)] = (uint8_t)random_below(random, 256);
}

static void reading_a_file_of_any_bytes_ends(void **state)
{
	struct random random = {1};

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct spool spool;
		struct spool_reader reader;
		struct spool_event event;
		uint64_t read = 0;

		begin(&spool);
		for (uint64_t n = 1; n <= 30000; n++)
			write_event(&spool.writer, n);
		damage(&spool.writer, &random);
		open_reader(&reader, &spool);
		while (read_next(&reader, &event, true) && read < 10000000)
			read++;
		assert_true(read < 10000000);
		spool_reader_close(&reader);
		spool_writer_close(&spool.writer);
		end(&spool);
	}
}

/* A process may write any number into its header. */
static void the_reader_does_not_wait_for_empty_or_missing_windows(void **state)
{
	static const struct {
		uint64_t turned;
		bool damaged;
	} claims[] = {{4, false},
		      {1000, true},
		      {SPOOL_WINDOWS, true},
		      {SPOOL_WINDOWS + 1, true},
		      {UINT64_C(1) << 40, true},
		      {UINT64_MAX, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		struct spool spool;
		struct spool_reader reader;
		struct spool_event event;
		uint64_t read = 0;

		begin(&spool);
		while (read < 10)
			write_event(&spool.writer, ++read);
		open_reader(&reader, &spool);
		__atomic_store_n(&spool.writer.header->turned, claims[i].turned, __ATOMIC_RELEASE);
		for (int last = 0; last <= 1; last++)
			while (read_next(&reader, &event, last))
				assert_true(read--);
		assert_int_equal(reader.damaged, claims[i].damaged);
		assert_true(reader.torn <= SPOOL_WINDOWS);
		spool_reader_close(&reader);
		spool_writer_close(&spool.writer);
		end(&spool);
	}
}

static void stacks_without_events_end_as_damage(void **state)
{
	struct spool spool;
	struct spool_reader reader;
	struct spool_event event;
	uint64_t read = 0;

	(void)state;
	begin(&spool);
	for (int i = 0; i < 40000; i++)
		spool_writer_put(spool_writer_take(&spool.writer, 2), 0,
				 spool_word(SPOOL_STACK, 1, 2));
	open_reader(&reader, &spool);
	while (read_next(&reader, &event, false))
		read++;
	assert_true(reader.damaged);
	assert_in_range(read, 1000, 20000);
	spool_reader_close(&reader);
	spool_writer_close(&spool.writer);
	end(&spool);
}

/* More than one event in each nanosecond of the run. */
static void an_impossible_count_is_ignored(void **state)
{
	struct spool spool;
	struct spool_reader reader;
	struct spool_event event;

	(void)state;
	begin(&spool);
	write_event(&spool.writer, 1);
	open_reader(&reader, &spool);
	spool.writer.header->full = UINT64_C(7226673749365208934);
	while (read_next(&reader, &event, true))
		;
	assert_int_equal(reader.missing, 0);
	usleep(1000);
	spool.writer.header->full = 5;
	assert_int_equal(read_next(&reader, &event, true), 0);
	assert_int_equal(reader.missing, 5);
	spool_reader_close(&reader);
	spool_writer_close(&spool.writer);
	end(&spool);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(all_written_events_are_read),
	cmocka_unit_test(windows_that_have_been_read_are_used_again),
	cmocka_unit_test(a_reader_that_is_late_loses_nothing_and_keeps_little),
	cmocka_unit_test(events_are_read_while_more_are_written),
	cmocka_unit_test(a_process_that_changes_its_user_continues),
	cmocka_unit_test(a_signal_handler_writes_in_between),
	cmocka_unit_test(an_event_cut_by_a_crash_is_skipped),
	cmocka_unit_test(a_step_without_its_values_is_skipped),
	cmocka_unit_test(an_abandoned_event_is_skipped),
	cmocka_unit_test(the_reader_does_not_wait_for_empty_or_missing_windows),
	cmocka_unit_test(no_file_grows_without_a_reader_or_without_room),
	cmocka_unit_test(a_released_thread_writes_no_further),
	cmocka_unit_test(a_plan_is_taken_from_its_recorder_alone),
	cmocka_unit_test(relative_and_long_paths_are_refused),
	cmocka_unit_test(stacks_without_events_end_as_damage),
	cmocka_unit_test(an_impossible_count_is_ignored),
	cmocka_unit_test(reading_a_file_of_any_bytes_ends),
};

TEST_FILE(tests);
