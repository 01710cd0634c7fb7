/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/block_spool.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/collect_dir.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ONE_WINDOW = SPOOL_HEADER_BYTES + SPOOL_WINDOW };

/* A thread that writes as the probe library does, into one window. */
struct writer {
	struct spool_header *header;
	struct spool_record *next;
};

struct fixture {
	char root[64];
	struct block_spool spool;
	int ended; /* how many threads have been forgotten */
};

static void count_end(void *context, struct block_thread *thread)
{
	(void)thread;
	((struct fixture *)context)->ended++;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char prefix[80];
	struct err err;

	dir_make(f->root);
	snprintf(prefix, sizeof(prefix), "%s/file", f->root);
	assert_int_equal(block_spool_open(&f->spool, prefix, count_end, f, &err), 0);
	*state = f;
	return 0;
}

static int set_up_watched(void **state)
{
	struct fixture *f;
	struct err err;

	set_up(state);
	f = *state;
	assert_int_equal(block_spool_watch(&f->spool, &err), 0);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	block_spool_close(&f->spool);
	assert_int_equal(rmdir(f->root), 0); /* nothing is left */
	free(f);
	return 0;
}

/* Threads of tests are nobody's; they are not to be found dead. */
static void let_live(struct fixture *f)
{
	f->spool.checked_ns = monotonic_ns() + UINT64_C(3600000000000);
}

static struct writer begin(const struct fixture *f, const char *name, int pid, int tid)
{
	struct writer writer;
	char *path = NULL;
	int fd;

	assert_true(asprintf(&path, "%s/%s", f->spool.path, name) > 0);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	free(path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, ONE_WINDOW), 0);
	writer.header = mmap(NULL, ONE_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(writer.header != MAP_FAILED);
	close(fd);
	*writer.header = (struct spool_header){.magic = SPOOL_MAGIC,
					       .version = SPOOL_VERSION,
					       .clock = SPOOL_MONOTONIC,
					       .pid = pid,
					       .tid = tid,
					       .window_count = 1,
					       .turned = 1};
	writer.next = (void *)((char *)writer.header + SPOOL_HEADER_BYTES);
	return writer;
}

static void put(struct writer *writer, enum spool_kind kind, uint64_t time, uint64_t block)
{
	*writer->next++ = (struct spool_record){time, spool_word(kind, block, 0)};
}

static void end(struct writer *writer)
{
	munmap(writer->header, ONE_WINDOW);
}

/* "4:1 5:2 ": the blocks in their order, each with the last digit of its thread. */
static void assert_pass(struct fixture *f, bool last, const char *want)
{
	char text[256] = "";
	const struct block_thread *thread;

	block_spool_begin_pass(&f->spool, last);
	while ((thread = block_spool_first(&f->spool))) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%d:%d ", (int)thread->event.block,
			 thread->reader.tid % 10);
		block_spool_drop_first(&f->spool);
	}
	assert_string_equal(text, want);
}

static void events_of_all_threads_come_in_the_order_of_time(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin(f, "7-1-0", getpid(), 1), two = begin(f, "7-2-0", getpid(), 2);
	struct writer three = begin(f, "7-3-0", getpid(), 3);

	let_live(f);
	put(&one, SPOOL_ENTER, 100, 1);
	put(&one, SPOOL_LEAVE, 400, 1);
	put(&two, SPOOL_ENTER, 200, 2);
	put(&two, SPOOL_LEAVE, 300, 2);
	put(&three, SPOOL_ENTER, 50, 3);
	put(&three, SPOOL_LEAVE, 350, 3);
	assert_pass(f, false, "3:3 1:1 2:2 2:2 3:3 1:1 ");
	put(&two, SPOOL_ENTER, 500, 4);
	assert_pass(f, false, "4:2 ");
	end(&one);
	end(&two);
	end(&three);
}

static void what_comes_later_than_the_pass_waits_for_the_next_one(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin(f, "7-1-0", getpid(), 1), two = begin(f, "7-2-0", getpid(), 2);
	uint64_t soon_ns = monotonic_ns() + 200000000;

	let_live(f);
	put(&one, SPOOL_ENTER, soon_ns, 1);
	put(&two, SPOOL_ENTER, 100, 2);
	assert_pass(f, false, "2:2 ");
	put(&two, SPOOL_LEAVE, 200, 2);
	assert_pass(f, false, "2:2 ");
	while (monotonic_ns() <= soon_ns)
		usleep(1000);
	assert_pass(f, false, "1:1 ");
	end(&one);
	end(&two);
}

static void a_stack_belongs_to_the_event_behind_it(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin(f, "7-1-0", getpid(), 1);
	const struct block_thread *thread;

	*one.next++ = (struct spool_record){100, spool_word(SPOOL_STACK, 1, 2)};
	*one.next++ = (struct spool_record){0x1111, 0x2222};
	put(&one, SPOOL_ENTER, 101, 1);
	put(&one, SPOOL_LEAVE, 102, 1);
	block_spool_begin_pass(&f->spool, false);
	thread = block_spool_first(&f->spool);
	assert_int_equal(thread->event.kind, SPOOL_ENTER);
	assert_int_equal(thread->stack_depth, 2);
	assert_int_equal(thread->stack[2], 0x1111);
	assert_int_equal(thread->stack[3], 0x2222);
	block_spool_drop_first(&f->spool);
	thread = block_spool_first(&f->spool);
	assert_int_equal(thread->event.kind, SPOOL_LEAVE);
	assert_int_equal(thread->stack_depth, 0);
	block_spool_drop_first(&f->spool);
	end(&one);
}

static bool has_file(const struct fixture *f, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", f->spool.path, name);
	return access(path, F_OK) == 0;
}

static void the_file_of_a_thread_that_has_ended_is_removed_once_it_is_read(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin(f, "7-1-0", getpid(), getpid());

	put(&one, SPOOL_ENTER, 100, 1);
	one.header->ended = 1;
	one.header->full = 5;
	end(&one);
	block_spool_begin_pass(&f->spool, false);
	block_spool_drop_first(&f->spool);
	for (int i = 0; i < 3; i++)
		assert_pass(f, false, "");
	assert_false(has_file(f, "7-1-0"));
	assert_int_equal(f->ended, 1);
	assert_int_equal(block_spool_lost(&f->spool), 5);
	assert_int_equal(block_spool_missing(&f->spool), 5);
}

static void a_thread_that_has_died_is_read_to_its_end(void **state)
{
	struct fixture *f = *state;
	pid_t pid = fork();
	struct writer one;

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	one = begin(f, "7-1-0", pid, pid);
	put(&one, SPOOL_ENTER, 100, 1);
	one.next++; /* what it was about to write */
	put(&one, SPOOL_LEAVE, 300, 1);
	end(&one);
	block_spool_begin_pass(&f->spool, true);
	for (int i = 0; i < 2; i++) {
		assert_non_null(block_spool_first(&f->spool));
		block_spool_drop_first(&f->spool);
	}
	assert_null(block_spool_first(&f->spool));
	assert_int_equal(block_spool_lost(&f->spool), 1);
	assert_int_equal(block_spool_missing(&f->spool), 0);
	assert_pass(f, true, "");
	assert_false(has_file(f, "7-1-0"));
}

/* The thread has exec'ed: it is alive, and writes another file. */
static void the_program_before_an_exec_is_over(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin(f, "7-1-0", getpid(), getpid()), two;

	put(&one, SPOOL_ENTER, 100, 1);
	block_spool_begin_pass(&f->spool, false);
	block_spool_drop_first(&f->spool);
	put(&one, SPOOL_LEAVE, 110, 1);
	two = begin(f, "7-1-1", getpid(), getpid());
	put(&two, SPOOL_ENTER, 200, 2);
	block_spool_begin_pass(&f->spool, false);
	for (int i = 1; i <= 2; i++) {
		assert_int_equal(block_spool_first(&f->spool)->event.block, i);
		block_spool_drop_first(&f->spool);
	}
	assert_pass(f, false, "");
	assert_false(has_file(f, "7-1-0"));
	assert_true(has_file(f, "7-1-1"));
	end(&one);
	end(&two);
}

/* Another thread than the first one has exec'ed, and all that there were are over. */
static void all_threads_before_an_exec_are_over(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin(f, "7-1-0", getpid(), getpid()), two;

	put(&one, SPOOL_ENTER, 100, 1);
	block_spool_begin_pass(&f->spool, false);
	block_spool_drop_first(&f->spool);
	two = begin(f, "7-2-0", getpid(), getppid());
	two.header->image = one.header->image + 1;
	put(&two, SPOOL_ENTER, 200, 2);
	block_spool_begin_pass(&f->spool, false);
	assert_int_equal(block_spool_first(&f->spool)->event.block, 2);
	block_spool_drop_first(&f->spool);
	assert_pass(f, false, "");
	assert_false(has_file(f, "7-1-0"));
	assert_true(has_file(f, "7-2-0"));
	end(&one);
	end(&two);
}

static void what_is_no_file_of_events_is_counted_and_told(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin(f, "7-1-0", getpid(), 1);
	char *trouble;

	one.header->version++;
	end(&one);
	assert_pass(f, false, "");
	assert_int_equal(f->spool.unread, 1);
	trouble = block_spool_trouble(&f->spool);
	assert_non_null(strstr(trouble, "another version of pscal"));
	free(trouble);
}

static void what_could_not_be_done_in_a_process_is_told(void **state)
{
	struct fixture *f = *state;
	char *trouble = block_spool_trouble(&f->spool);

	assert_null(trouble);
	dir_put(f->spool.path, "trouble-7-1", "it cannot be done\nnor that\n");
	trouble = block_spool_trouble(&f->spool);
	assert_string_equal(trouble, "it cannot be done");
	free(trouble);
}

/* It is printed on somebody's terminal. */
static void what_a_process_says_is_a_line_of_a_few_words(void **state)
{
	struct fixture *f = *state;
	char *trouble, path[256], *text = xcalloc(1, 100001);

	snprintf(path, sizeof(path), "%s/trouble-1-1", f->spool.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(block_spool_trouble(&f->spool));
	memset(text, 'x', 100000);
	memcpy(text, "\033[2J\tnot\r", 9);
	dir_put(f->spool.path, "trouble-7-1", text);
	trouble = block_spool_trouble(&f->spool);
	assert_int_equal(strncmp(trouble, "?[2J?not?xxx", 9), 0);
	assert_int_equal(strlen(trouble), 511);
	free(trouble);
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_watched, tear_down)
/* Files are found by looking through the directory. */
#define TEST_UNWATCHED(name)                                         \
	{                                                            \
#name ", not watched", name, set_up, tear_down, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_of_all_threads_come_in_the_order_of_time),
		TEST(what_comes_later_than_the_pass_waits_for_the_next_one),
		TEST(a_stack_belongs_to_the_event_behind_it),
		TEST(the_file_of_a_thread_that_has_ended_is_removed_once_it_is_read),
		TEST(a_thread_that_has_died_is_read_to_its_end),
		TEST(the_program_before_an_exec_is_over),
		TEST(all_threads_before_an_exec_are_over),
		TEST(what_is_no_file_of_events_is_counted_and_told),
		TEST(what_could_not_be_done_in_a_process_is_told),
		TEST(what_a_process_says_is_a_line_of_a_few_words),
		TEST_UNWATCHED(events_of_all_threads_come_in_the_order_of_time),
		TEST_UNWATCHED(the_file_of_a_thread_that_has_ended_is_removed_once_it_is_read),
	};

	return RUN_TESTS(tests);
}
