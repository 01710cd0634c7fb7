/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/block_spool.h"

#include "base/err.h"
#include "base/monotonic.h"
#include "probe/spool_ends.h"
#include "random.h"
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

enum { ONE_WINDOW = SPOOL_HEADER_BYTES + SPOOL_WINDOW };

/* Idle threads of this process, by number. */
enum { THREADS = 4 };

static pid_t tids[THREADS];

static void *do_nothing(void *tid)
{
	__atomic_store_n((pid_t *)tid, gettid(), __ATOMIC_RELEASE);
	for (;;)
		pause();
	return NULL;
}

static int begin_threads(void **state)
{
	pthread_t thread;

	(void)state;
	for (size_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_create(&thread, NULL, do_nothing, &tids[i]), 0);
		pthread_detach(thread);
		while (!__atomic_load_n(&tids[i], __ATOMIC_ACQUIRE))
			usleep(100);
	}
	return 0;
}

static int number_of(pid_t tid)
{
	for (int i = 0; i < THREADS; i++)
		if (tids[i] == tid)
			return i;
	return -1;
}

/* A thread that writes as the probe library does, into one window. */
struct writer {
	struct spool_header *header;
	struct spool_record *next;
};

struct fixture {
	struct block_spool spool;
	int begun, ended;
	char notes[2000]; /* "KIND TEXT;" */
};

static void process_begun(void *context, pid_t pid)
{
	((struct fixture *)context)->begun += pid == getpid();
}

static void process_notes(void *context, struct spool_process *process, enum spool_note kind,
			  char *text)
{
	struct fixture *f = context;
	size_t used = strlen(f->notes);

	(void)process;
	snprintf(f->notes + used, sizeof(f->notes) - used, "%c %s;", (char)kind, text);
}

static void process_ended(void *context, struct spool_process *process)
{
	(void)process;
	((struct fixture *)context)->ended++;
}

static const struct spool_process_calls calls = {process_begun, process_notes, process_ended};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err err = {.text = ""};

	assert_non_null(f);
	if (block_spool_open(&f->spool, &calls, f, &err))
		fail_msg("%s", err.text);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	char path[200];

	snprintf(path, sizeof(path), "%s", f->spool.path);
	block_spool_close(&f->spool);
	assert_int_equal(access(path, F_OK), -1); /* the socket is removed */
	free(f);
	return 0;
}

/* The threads of tests do not exist; the spool must not find them dead. */
static void let_live(struct fixture *f)
{
	f->spool.checked_ns = monotonic_ns() + UINT64_C(3600000000000);
}

static struct writer begin_image(const struct fixture *f, pid_t tid, uint64_t image)
{
	const struct spool_offer offer = {.kind = SPOOL_OFFER_THREAD,
					  .pid = getpid(),
					  .tid = tid,
					  .image = image,
					  .clock = SPOOL_MONOTONIC};
	struct writer writer;
	int fd;

	writer.header = spool_ends_make(&fd, ONE_WINDOW);
	writer.header->window_count = 1;
	writer.header->turned = 1;
	writer.next = (void *)((char *)writer.header + SPOOL_HEADER_BYTES);
	spool_ends_offer(f->spool.path, offer, fd);
	return writer;
}

static struct writer begin(const struct fixture *f, int number)
{
	return begin_image(f, tids[number], 1);
}

static void put(struct writer *writer, enum spool_kind kind, uint64_t time, uint64_t block)
{
	*writer->next++ = (struct spool_record){time, spool_word(kind, block, 0)};
}

static void end(struct writer *writer)
{
	munmap(writer->header, ONE_WINDOW);
}

/* "4:1 5:2 ": the blocks in order, each with the last digit of its thread. */
static void assert_pass(struct fixture *f, bool last, const char *want)
{
	char text[256] = "";
	const struct spool_thread *thread;

	block_spool_begin_pass(&f->spool, last);
	while ((thread = block_spool_first(&f->spool))) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%d:%d ", (int)thread->event.block,
			 number_of(thread->reader.tid));
		block_spool_drop_first(&f->spool);
	}
	assert_string_equal(text, want);
}

static void events_of_all_threads_come_in_the_order_of_time(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin(f, 1), two = begin(f, 2);
	struct writer three = begin(f, 3);

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

static void events_later_than_the_pass_wait_for_the_next_one(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin(f, 1), two = begin(f, 2);
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

#if defined(__x86_64__)

static struct writer begin_ticks(const struct fixture *f, int number)
{
	struct writer writer;
	int fd;

	writer.header = spool_ends_make(&fd, ONE_WINDOW);
	writer.header->window_count = 1;
	writer.header->turned = 1;
	writer.next = (void *)((char *)writer.header + SPOOL_HEADER_BYTES);
	spool_ends_offer(f->spool.path,
			 (struct spool_offer){.kind = SPOOL_OFFER_THREAD,
					      .pid = getpid(),
					      .tid = tids[number],
					      .image = 1,
					      .clock = SPOOL_TSC},
			 fd);
	return writer;
}

/* The rate of clocks is a thousand times too high, until the second pass. */
static void an_event_that_waits_gets_its_time_from_clocks_read_after_it(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin_ticks(f, 1);
	uint64_t ticks = __builtin_ia32_rdtsc(), ns = monotonic_ns();

	let_live(f);
	clock_pairs_release(&f->spool.clocks);
	clock_pairs_add(&f->spool.clocks, (struct clock_pair){ticks - 1000000, ns - 1000000000});
	put(&one, SPOOL_ENTER, ticks + 100000000, 1);
	put(&one, SPOOL_LEAVE, ticks + 100001000, 2);
	assert_pass(f, false, "");
	while (__builtin_ia32_rdtsc() < ticks + 110000000)
		usleep(1000);
	assert_pass(f, false, "1:1 2:1 ");
	end(&one);
}

#endif

static void a_stack_belongs_to_the_event_after_it(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin(f, 1);
	const struct spool_thread *thread;

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

static void the_file_of_a_thread_that_has_ended_is_given_back_once_it_is_read(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin_image(f, getpid(), 1);

	put(&one, SPOOL_ENTER, 100, 1);
	one.header->ended = 1;
	one.header->full = 5;
	usleep(1000); /* five events take at least five nanoseconds */
	block_spool_begin_pass(&f->spool, false);
	block_spool_drop_first(&f->spool);
	for (int i = 0; i < 3; i++)
		assert_pass(f, false, "");
	assert_int_equal(f->spool.thread_count, 0);
	assert_int_equal(one.header->taken, UINT64_MAX);
	assert_int_equal(block_spool_losses(&f->spool).missing, 5);
	assert_int_equal(block_spool_losses(&f->spool).torn, 0);
	end(&one);
}

static void a_process_that_has_died_is_read_to_its_end(void **state)
{
	struct fixture *f = *state;
	pid_t pid = fork();

	if (pid == 0) {
		struct writer one = begin_image(f, getpid(), 1);

		put(&one, SPOOL_ENTER, 100, 1);
		one.next++; /* an event that was never written */
		put(&one, SPOOL_LEAVE, 300, 1);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	block_spool_begin_pass(&f->spool, true);
	for (int i = 0; i < 2; i++) {
		assert_non_null(block_spool_first(&f->spool));
		block_spool_drop_first(&f->spool);
	}
	assert_null(block_spool_first(&f->spool));
	assert_int_equal(block_spool_losses(&f->spool).missing, 0);
	assert_int_equal(block_spool_losses(&f->spool).torn, 1);
	assert_pass(f, true, "");
	assert_int_equal(f->spool.thread_count + f->spool.process_count, 0);
	assert_int_equal(f->ended, 1);
}

/* After an exec the thread is alive, and writes another file. */
static void the_program_before_an_exec_is_over(void **state)
{
	static const struct {
		int number; /* the thread that exists afterwards; less than 0: the same */
		uint64_t image;
	} cases[] = {{-1, 10}, {-1, 21}, {2, 31}};
	struct fixture *f = *state;

	let_live(f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pid_t tid = cases[i].number < 0 ? getpid() : tids[cases[i].number];
		struct writer one = begin_image(f, getpid(), 10 * (i + 1)), two;

		put(&one, SPOOL_ENTER, 100, 1);
		block_spool_begin_pass(&f->spool, false);
		block_spool_drop_first(&f->spool);
		put(&one, SPOOL_LEAVE, 110, 1);
		two = begin_image(f, tid, cases[i].image);
		put(&two, SPOOL_ENTER, 200, 2);
		block_spool_begin_pass(&f->spool, false);
		for (int block = 1; block <= 2; block++) {
			assert_int_equal(block_spool_first(&f->spool)->event.block, block);
			block_spool_drop_first(&f->spool);
		}
		assert_pass(f, false, "");
		assert_int_equal(one.header->taken, UINT64_MAX);
		assert_int_equal(two.header->taken, 0);
		two.header->ended = 1;
		for (int pass = 0; pass < 3; pass++)
			assert_pass(f, false, "");
		assert_int_equal(f->spool.thread_count, 0);
		end(&one);
		end(&two);
	}
}

/* --- Notes --------------------------------------------------------------------------------- */

static struct spool_notes *note(const struct fixture *f, unsigned kind, uint64_t image,
				const char *text)
{
	int fd;
	struct spool_notes *notes = spool_ends_make(&fd, sizeof(*notes));

	strcpy(notes->text, text);
	spool_ends_offer(f->spool.path,
			 (struct spool_offer){
				 .kind = kind, .pid = getpid(), .tid = getpid(), .image = image},
			 fd);
	return notes;
}

static void notes_are_passed_on_once_and_as_a_whole(void **state)
{
	struct fixture *f = *state;
	struct spool_notes *notes = note(f, SPOOL_OFFER_PROGRAM, 1, "n5 one\nmmaps\nn6 tw");

	assert_pass(f, false, "");
	assert_string_equal(f->notes, "n 5 one;m maps;");
	strcat(notes->text, "o\nn7 three\n");
	block_spool_read_notes(&f->spool, f->spool.processes[0]);
	block_spool_read_notes(&f->spool, f->spool.processes[0]);
	assert_string_equal(f->notes, "n 5 one;m maps;n 6 two;n 7 three;");
	strcat(notes->text, "n8 late\n");
	f->spool.deadline_ns = 0; /* the recorder has waited for a CPU */
	block_spool_read_notes(&f->spool, f->spool.processes[0]);
	assert_string_equal(f->notes, "n 5 one;m maps;n 6 two;n 7 three;n 8 late;");
	munmap(notes, sizeof(*notes));
	/* Another program counts as another process. */
	notes = note(f, SPOOL_OFFER_PROGRAM, 2, "n8 four\n");
	assert_pass(f, false, "");
	assert_int_equal(f->begun, 2);
	assert_int_equal(f->spool.process_count, 2);
	munmap(notes, sizeof(*notes));
	block_spool_end_processes(&f->spool);
	assert_int_equal(f->ended, 2);
}

/*
 * The recorder waits for a CPU between its look at the offers and the events; meanwhile the process
 * offers notes, writes more events, and does an exec.
 */
static void offers_during_a_pass_bring_notes_and_end_no_thread(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin_image(f, getpid(), 1), two;
	struct spool_notes *notes;
	struct spool_losses losses;

	let_live(f);
	put(&one, SPOOL_ENTER, 100, 1);
	block_spool_begin_pass(&f->spool, false);
	put(&one, SPOOL_LEAVE, monotonic_ns(), 2);
	notes = note(f, SPOOL_OFFER_CHILD, 1, "mmaps\n");
	two = begin_image(f, getpid(), 2);
	f->spool.deadline_ns = 0;
	block_spool_read_notes(&f->spool, f->spool.processes[0]);
	assert_string_equal(f->notes, "m maps;");
	assert_int_equal(f->spool.deadline_ns, 0);
	assert_int_equal(f->spool.thread_count, 2);
	assert_int_equal(block_spool_first(&f->spool)->event.block, 1);
	block_spool_drop_first(&f->spool);
	assert_null(block_spool_first(&f->spool));
	block_spool_begin_pass(&f->spool, false);
	assert_int_equal(block_spool_first(&f->spool)->event.block, 2);
	block_spool_drop_first(&f->spool);
	losses = block_spool_losses(&f->spool);
	assert_int_equal(losses.unread + losses.missing + losses.torn, 0);
	assert_null(f->spool.trouble);
	munmap(notes, sizeof(*notes));
	end(&one);
	end(&two);
}

/* All offers of a pass share one limit of time. */
static void offers_during_a_pass_are_taken_for_a_limited_time(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin_image(f, getpid(), 1);
	struct spool_notes *notes;

	let_live(f);
	put(&one, SPOOL_ENTER, 100, 1);
	block_spool_begin_pass(&f->spool, false);
	assert_true(f->spool.again_ns > 0);
	f->spool.again_ns = 0;
	notes = note(f, SPOOL_OFFER_CHILD, 1, "mmaps\n");
	block_spool_read_notes(&f->spool, f->spool.processes[0]);
	assert_string_equal(f->notes, "");
	block_spool_drop_first(&f->spool);
	assert_pass(f, false, "");
	assert_string_equal(f->notes, "m maps;");
	munmap(notes, sizeof(*notes));
	end(&one);
}

/* Two threads of a child offer notes at the same time: each may continue in either file. */
static void notes_of_a_process_are_read_in_all_files(void **state)
{
	struct fixture *f = *state;
	struct spool_notes *one = note(f, SPOOL_OFFER_CHILD, 1, "n5 one\n"), *two;

	two = note(f, SPOOL_OFFER_CHILD, 1, "n6 two\n");
	assert_pass(f, false, "");
	strcat(one->text, "n7 three\n");
	strcat(two->text, "n8 four\n");
	block_spool_read_notes(&f->spool, f->spool.processes[0]);
	assert_string_equal(f->notes, "n 5 one;n 6 two;n 7 three;n 8 four;");
	munmap(one, sizeof(*one));
	munmap(two, sizeof(*two));
}

/* A NUL may also be the last byte of a part that is read at once. */
static void an_empty_note_is_ignored(void **state)
{
	struct fixture *f = *state;
	struct spool_notes *notes = note(f, SPOOL_OFFER_PROGRAM, 1, "");

	memset(notes->text, '\n', 40 * SPOOL_LINE_MAX);
	strcpy(notes->text + 40 * SPOOL_LINE_MAX, "n5 one\n");
	assert_pass(f, false, "");
	block_spool_end_processes(&f->spool);
	assert_string_equal(f->notes, "n 5 one;");
	munmap(notes, sizeof(*notes));
}

/* The process was killed while a thread wrote the second note. */
static void an_incomplete_note_is_ignored_at_the_end(void **state)
{
	struct fixture *f = *state;
	struct spool_notes *notes = note(f, SPOOL_OFFER_PROGRAM, 1, "n5 one\n");

	memcpy(notes->text + strlen("n5 one\n"), "\0006 two\nn7 three\n", 17);
	assert_pass(f, false, "");
	assert_string_equal(f->notes, "n 5 one;");
	block_spool_end_processes(&f->spool);
	assert_string_equal(f->notes, "n 5 one;n 7 three;");
	munmap(notes, sizeof(*notes));
}

static void trouble_of_a_process_is_reported(void **state)
{
	static const struct {
		const char *notes, *told;
	} cases[] = {
		{"tit cannot be done\ntnor that\n", "it cannot be done"},
		{"t\033[2J\tnot\r\n", "?[2J?not?"},
		{"c\n", "a process restricted its system calls (seccomp): from then on it and its "
			"children are not recorded"},
		{"c\nu\n", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f;
		struct spool_notes *notes;

		set_up((void **)&f);
		notes = note(f, SPOOL_OFFER_PROGRAM, 1, cases[i].notes);
		assert_null(f->spool.trouble);
		assert_pass(f, false, "");
		block_spool_end_processes(&f->spool);
		if (cases[i].told && strstr(f->spool.trouble, " says: "))
			assert_string_equal(strstr(f->spool.trouble, " says: ") + 7, cases[i].told);
		else if (cases[i].told)
			assert_string_equal(f->spool.trouble, cases[i].told);
		else
			assert_null(f->spool.trouble);
		munmap(notes, sizeof(*notes));
		tear_down((void **)&f);
	}
}

/* --- Refusals ------------------------------------------------------------------------------ */

static int unsealed(void)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, ONE_WINDOW), 0);
	return fd;
}

static int on_disk(void)
{
	char path[] = "/var/tmp/spool-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	assert_int_equal(ftruncate(fd, ONE_WINDOW), 0);
	return fd;
}

static int read_only(void)
{
	int fd;

	munmap(spool_ends_make(&fd, ONE_WINDOW), ONE_WINDOW);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
	return fd;
}

static int no_whole_window(void)
{
	int fd;

	munmap(spool_ends_make(&fd, ONE_WINDOW + 1), ONE_WINDOW + 1);
	return fd;
}

static int too_small(void)
{
	int fd;

	munmap(spool_ends_make(&fd, SPOOL_HEADER_BYTES), SPOOL_HEADER_BYTES);
	return fd;
}

static int pipe_end(void)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	close(ends[1]);
	return ends[0];
}

static int directory(void)
{
	return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int zeros(void)
{
	return open("/dev/zero", O_RDWR | O_CLOEXEC);
}

static int none(void)
{
	return -1;
}

static void only_sealed_memory_is_accepted(void **state)
{
	static int (*const files[])(void) = {unsealed,	      on_disk,	 read_only,
					     no_whole_window, too_small, pipe_end,
					     directory,	      zeros,	 none};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct fixture *f;

		set_up((void **)&f);
		spool_ends_offer(f->spool.path,
				 (struct spool_offer){.kind = SPOOL_OFFER_THREAD,
						      .pid = getpid(),
						      .tid = getpid()},
				 files[i]());
		assert_pass(f, false, "");
		if (!f->spool.trouble || !strstr(f->spool.trouble, "memory that it offers"))
			fail_msg("case %zu: %s", i, f->spool.trouble);
		assert_int_equal(f->spool.thread_count, 0);
		tear_down((void **)&f);
	}
}

/* The kernel tells which process makes an offer. */
static void no_process_makes_an_offer_for_another_one(void **state)
{
	static const struct {
		pid_t pid, tid; /* 0: its own */
		const char *told;
	} cases[] = {{1, 1, "another PID namespace"}, {0, 1, "thread 1, which belongs to another"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f;
		int fd;

		set_up((void **)&f);
		munmap(spool_ends_make(&fd, ONE_WINDOW), ONE_WINDOW);
		spool_ends_offer(f->spool.path,
				 (struct spool_offer){.kind = SPOOL_OFFER_THREAD,
						      .pid = cases[i].pid ? cases[i].pid : getpid(),
						      .tid = cases[i].tid},
				 fd);
		assert_pass(f, false, "");
		assert_non_null(f->spool.trouble);
		assert_non_null(strstr(f->spool.trouble, cases[i].told));
		tear_down((void **)&f);
	}
}

static void a_library_of_another_version_is_reported(void **state)
{
	struct fixture *f = *state;
	const struct spool_offer offer = {
		.magic = SPOOL_MAGIC, .version = SPOOL_VERSION + 1, .kind = SPOOL_OFFER_PROGRAM};

	spool_ends_send(f->spool.path, &offer, sizeof(offer), -1);
	assert_pass(f, false, "");
	assert_int_equal(f->begun, 1); /* the library is loaded */
	assert_non_null(strstr(f->spool.trouble, "another version of pscal"));
}

static void messages_of_any_length_are_refused(void **state)
{
	struct fixture *f = *state;
	char bytes[300] = "";

	for (size_t length = 1; length < sizeof(bytes); length += 7)
		spool_ends_send(f->spool.path, bytes, length, -1);
	for (int i = 0; i < 2; i++)
		assert_pass(f, false, "");
	assert_non_null(strstr(f->spool.trouble, "not memory of the probe library"));
}

/* Callers that connect and send nothing do not delay other callers. */
static void silent_callers_delay_no_other_caller(void **state)
{
	enum { SILENT = 3 * SPOOL_CALLERS_MAX };
	struct fixture *f = *state;
	int callers[SILENT];
	struct writer one;

	for (size_t i = 0; i < SILENT; i++)
		callers[i] = spool_ends_connect(f->spool.path);
	one = begin(f, 1);
	put(&one, SPOOL_ENTER, 100, 1);
	let_live(f);
	for (int i = 0; i < 2 * SILENT && !f->spool.thread_count; i++)
		block_spool_begin_pass(&f->spool, false);
	assert_int_equal(f->spool.thread_count, 1);
	for (size_t i = 0; i < SILENT; i++)
		close(callers[i]);
	end(&one);
}

/* A thread may have to wait for a CPU between connecting and sending. */
static void a_caller_may_connect_long_before_it_sends(void **state)
{
	const struct spool_offer offer = {
		.magic = SPOOL_MAGIC, .version = SPOOL_VERSION + 1, .kind = SPOOL_OFFER_PROGRAM};
	struct fixture *f = *state;
	int caller = spool_ends_connect(f->spool.path);

	assert_pass(f, false, "");
	usleep(200000);
	assert_pass(f, false, "");
	assert_int_equal(send(caller, &offer, sizeof(offer), MSG_NOSIGNAL), sizeof(offer));
	assert_pass(f, false, "");
	assert_non_null(strstr(f->spool.trouble, "another version of pscal"));
	close(caller);
}

static void damaged_files_are_dropped_with_a_sentence(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin(f, 1), two = begin(f, 2);

	let_live(f);
	one.header->turned = UINT64_C(1) << 63;
	put(&two, SPOOL_ENTER, 100, 2);
	assert_pass(f, false, "2:2 ");
	assert_pass(f, false, "");
	assert_int_equal(f->spool.thread_count, 1);
	assert_non_null(strstr(f->spool.trouble, "the data of thread"));
	end(&one);
	end(&two);
}

/* Random numbers of windows; two windows have memory. At the end only these are read. */
static void at_the_end_only_windows_with_memory_are_read(void **state)
{
	enum { WINDOWS = 64 };
	struct fixture *f = *state;
	struct random random = {3};

	for (int round = 0; round < 20; round++) {
		const struct spool_offer offer = {.kind = SPOOL_OFFER_THREAD,
						  .pid = getpid(),
						  .tid = tids[1],
						  .image = 1,
						  .clock = SPOOL_MONOTONIC};
		struct spool_record *first;
		struct spool_header *header;
		size_t turned = 4 + random_below(&random, WINDOWS - 4);
		int fd;

		header = spool_ends_make(&fd, SPOOL_HEADER_BYTES + WINDOWS * SPOOL_WINDOW);
		first = (void *)((char *)header + SPOOL_HEADER_BYTES);
		memset(first, 0, (size_t)2 * SPOOL_WINDOW);
		for (size_t i = 0; i < WINDOWS; i++)
			header->windows[i] = (uint32_t)(i % 2);
		*first = (struct spool_record){100, spool_word(SPOOL_ENTER, 1, 0)};
		header->window_count = WINDOWS;
		header->turned = turned;
		spool_ends_offer(f->spool.path, offer, fd);
		assert_pass(f, true, "");
		assert_non_null(f->spool.trouble);
		assert_non_null(strstr(f->spool.trouble, "is damaged"));
		munmap(header, SPOOL_HEADER_BYTES + (size_t)WINDOWS * SPOOL_WINDOW);
		assert_pass(f, true, "");
	}
}

/* Ends this process with its test. A change of its user undoes that. */
static void end_with_test(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Each process hands over one file; the second one changes its user before, the third one after
 * that. */
static void files_of_another_user_are_noticed(void **state)
{
	enum { NEVER, BEFORE, BEHIND };
	static const struct {
		int becomes;
		bool foreign;
	} cases[] = {{NEVER, false}, {BEFORE, true}, {BEHIND, true}};

	if (geteuid() != 0)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f;
		char done = 0;
		int ends[2];
		pid_t pid;

		(void)state;
		assert_int_equal(set_up((void **)&f), 0);
		assert_int_equal(pipe(ends), 0);
		pid = fork();
		if (pid == 0) {
			if (cases[i].becomes == BEFORE && setuid(NOBODY))
				_exit(1);
			begin_image(f, getpid(), 1);
			if (cases[i].becomes == BEHIND && setuid(NOBODY))
				_exit(1);
			end_with_test();
			if (write(ends[1], "", 1) == 1)
				pause();
			_exit(1);
		}
		assert_int_equal(read(ends[0], &done, 1), 1);
		assert_pass(f, false, "");
		assert_pass(f, true, "");
		assert_int_equal(f->spool.foreign, cases[i].foreign);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(ends[0]);
		close(ends[1]);
		tear_down((void **)&f);
	}
}

/* It changes its user in two steps, with a pass after each; it keeps the right to become root. */
static void only_a_process_of_root_becomes_another_user(void **state)
{
	enum { ROOT = 0, DAEMON = 1 };
	static const struct {
		uid_t first, then, seen;
	} cases[] = {{ROOT, NOBODY, NOBODY}, {NOBODY, ROOT, NOBODY}, {NOBODY, DAEMON, NOBODY}};

	(void)state;
	if (geteuid() != 0)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f;
		int to[2], from[2];
		char done;
		pid_t pid;

		assert_int_equal(set_up((void **)&f), 0);
		assert_int_equal(pipe(to) | pipe(from), 0);
		pid = fork();
		if (pid == 0) {
			if (seteuid(cases[i].first))
				_exit(1);
			begin_image(f, getpid(), 1);
			end_with_test();
			if (write(from[1], "", 1) != 1 || read(to[0], &done, 1) != 1 ||
			    seteuid(0) || seteuid(cases[i].then))
				_exit(1);
			end_with_test();
			if (write(from[1], "", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		assert_int_equal(read(from[0], &done, 1), 1);
		assert_pass(f, true, "");
		assert_int_equal(f->spool.process_count, 1);
		assert_int_equal(f->spool.processes[0]->uid, cases[i].first);
		assert_int_equal(write(to[1], "", 1), 1);
		assert_int_equal(read(from[0], &done, 1), 1);
		assert_pass(f, true, "");
		assert_int_equal(f->spool.processes[0]->uid, cases[i].seen);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		for (size_t end = 0; end < 2; end++) {
			close(to[end]);
			close(from[end]);
		}
		tear_down((void **)&f);
	}
}

/* Otherwise such an event would keep its place for ever. */
static void events_of_the_future_end_with_their_thread(void **state)
{
	struct fixture *f = *state;
	struct writer one = begin_image(f, 0x7fffff00, 1), two = begin(f, 2);

	put(&one, SPOOL_ENTER, monotonic_ns() + UINT64_C(3600000000000), 1);
	put(&two, SPOOL_ENTER, 100, 2);
	assert_pass(f, false, "2:2 ");
	assert_pass(f, false, "");
	assert_int_equal(f->spool.thread_count, 1);
	assert_int_equal(one.header->taken, UINT64_MAX);
	end(&one);
	end(&two);
}

static int open_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static void descriptors_that_are_refused_are_closed(void **state)
{
	struct fixture *f = *state;
	int before = open_descriptors(), end = 0;

	for (size_t length = 0; length < 30; length += 3)
		spool_ends_send(f->spool.path, "012345678901234567890123456789", length,
				open("/dev/null", O_RDONLY | O_CLOEXEC));
	for (int i = 0; i < 30 && end != before; i++) {
		assert_pass(f, false, "");
		usleep(10000);
		end = open_descriptors();
	}
	assert_int_equal(end, before);
}

/* A socket that takes as long to close as its peer, `*peer`, lives: it has data that no process
 * reads. */
static int make_lingering(int *peer)
{
	const struct linger linger = {1, 600};
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(address);
	static char data[1 << 16];

	assert_int_equal(bind(listener, (void *)&address, sizeof(address)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (void *)&address, &size), 0);
	assert_int_equal(connect(one, (void *)&address, sizeof(address)), 0);
	*peer = accept(listener, NULL, NULL);
	assert_true(*peer >= 0);
	close(listener);
	assert_int_equal(setsockopt(one, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
	while (send(one, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	return one;
}

/* Fails unless the other end of the descriptor is closed within the test's patience. */
static bool is_hung_up(int fd)
{
	struct pollfd pollfd = {.fd = fd};

	return poll(&pollfd, 1, 60000) == 1 && pollfd.revents & POLLHUP;
}

/*
 * A recorder with a pipe of its own gets a descriptor that it refuses and that cannot be closed
 * yet; then the recorder ends by itself, or is killed.
 */
static void a_descriptor_that_cannot_be_closed_keeps_no_other_one_open(void **state)
{
	(void)state;
	for (int killed = 0; killed < 2; killed++) {
		int ends[2], go[2], ready[2], status, peer, one = make_lingering(&peer);
		struct fixture *f;
		char done;
		pid_t pid;

		assert_int_equal(pipe(ends) | pipe(go) | pipe(ready), 0);
		pid = fork();
		if (pid == 0) {
			end_with_test();
			/* The test has closed its copy of the one, and holds the only copy of the
			 * other. */
			close(peer);
			if (read(go[0], &done, 1) != 1)
				_exit(1);
			set_up((void **)&f);
			spool_ends_send(f->spool.path, "", 1, one);
			assert_pass(f, false, "");
			tear_down((void **)&f);
			_exit(write(ready[1], "", 1) != 1 || (killed && pause()));
		}
		close(one);
		close(ends[1]);
		close(ready[1]);
		assert_int_equal(write(go[1], "", 1), 1);
		assert_int_equal(read(ready[0], &done, 1), 1);
		if (killed)
			kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(is_hung_up(ends[0]));
		close(peer);
		close(ends[0]);
		close(ready[0]);
		close(go[0]);
		close(go[1]);
	}
}

/* Files that the recorder already has are still read. */
static void a_process_that_offers_too_much_is_ignored_from_then_on(void **state)
{
	enum { WRONG = 70 };
	struct fixture *f = *state;
	struct writer one = begin(f, 1);

	let_live(f);
	assert_pass(f, false, "");
	for (int i = 0; i < WRONG && f->spool.listener.fd >= 0; i++) {
		spool_ends_send(f->spool.path, "", 1, open("/dev/null", O_RDONLY | O_CLOEXEC));
		assert_pass(f, false, "");
	}
	assert_int_equal(f->spool.listener.fd, -1);
	put(&one, SPOOL_ENTER, 100, 1);
	assert_pass(f, false, "1:1 ");
	end(&one);
}

static void notes_are_taken_a_few_times_from_a_process(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 20; i++) {
		munmap(note(f, SPOOL_OFFER_CHILD, 1, "n5 one\n"), sizeof(struct spool_notes));
		assert_pass(f, false, "");
	}
	assert_string_equal(f->notes, "n 5 one;n 5 one;n 5 one;n 5 one;");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	TEST(events_of_all_threads_come_in_the_order_of_time),
	TEST(events_later_than_the_pass_wait_for_the_next_one),
#if defined(__x86_64__)
	TEST(an_event_that_waits_gets_its_time_from_clocks_read_after_it),
#endif
	TEST(a_stack_belongs_to_the_event_after_it),
	TEST(the_file_of_a_thread_that_has_ended_is_given_back_once_it_is_read),
	TEST(a_process_that_has_died_is_read_to_its_end),
	TEST(the_program_before_an_exec_is_over),
	TEST(notes_are_passed_on_once_and_as_a_whole),
	TEST(offers_during_a_pass_bring_notes_and_end_no_thread),
	TEST(offers_during_a_pass_are_taken_for_a_limited_time),
	TEST(notes_of_a_process_are_read_in_all_files),
	TEST(an_empty_note_is_ignored),
	TEST(an_incomplete_note_is_ignored_at_the_end),
	cmocka_unit_test(trouble_of_a_process_is_reported),
	cmocka_unit_test(only_sealed_memory_is_accepted),
	cmocka_unit_test(no_process_makes_an_offer_for_another_one),
	TEST(a_library_of_another_version_is_reported),
	TEST(messages_of_any_length_are_refused),
	TEST(silent_callers_delay_no_other_caller),
	TEST(a_caller_may_connect_long_before_it_sends),
	TEST(damaged_files_are_dropped_with_a_sentence),
	TEST(at_the_end_only_windows_with_memory_are_read),
	TEST(files_of_another_user_are_noticed),
	TEST(only_a_process_of_root_becomes_another_user),
	TEST(events_of_the_future_end_with_their_thread),
	TEST(descriptors_that_are_refused_are_closed),
	TEST(a_process_that_offers_too_much_is_ignored_from_then_on),
	cmocka_unit_test(a_descriptor_that_cannot_be_closed_keeps_no_other_one_open),
	TEST(notes_are_taken_a_few_times_from_a_process),
};

TEST_FILE_WITH(tests, begin_threads, NULL);
