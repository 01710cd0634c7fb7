/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/guarded.h"

#include "base/err.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEMORY = 64 << 20 };

/* The requests to the process. */
enum deed {
	COUNT, /* the number of requests so far */
	CRASH,
	ABORT,
	EXIT,
	SPIN,
	SLEEP,
	ALLOCATE, /* more than its limit */
	LOOK,	  /* for the file that this process has open */
	BE_ITSELF,
};

struct worker {
	int asked;
	int file;
};

static uint32_t allocate(void)
{
	void *memory = mmap(NULL, 2 * (size_t)MEMORY, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED;
}

static uint32_t perform(struct worker *worker, enum deed deed)
{
	switch (deed) {
	case CRASH:
		*(volatile char *)(uintptr_t)worker->asked = 1;
		return 0;
	case ABORT:
		abort();
	case EXIT:
		exit(7);
	case SPIN:
		for (;;)
			;
	case SLEEP:
		for (;;)
			pause();
	case ALLOCATE:
		return allocate();
	case LOOK:
		return fcntl(worker->file, F_GETFD) < 0 && errno == EBADF;
	case BE_ITSELF:
		return (uint32_t)getpid();
	default:
		return (uint32_t)worker->asked;
	}
}

static size_t answer(void *context, void *bytes, const void *question, size_t size)
{
	struct worker *worker = context;
	uint32_t deed, said;

	memcpy(&deed, question, sizeof(deed));
	worker->asked++;
	said = size == sizeof(deed) ? perform(worker, deed) : 0;
	memcpy(bytes, &said, sizeof(said));
	return sizeof(said);
}

static void start(struct guarded *guarded, struct worker *worker, unsigned cpu_s, unsigned wait_s)
{
	const struct guarded_work work = {answer, worker, cpu_s, wait_s, MEMORY};
	struct err err;

	if (guarded_start(guarded, &work, &err))
		fail_msg("%s", err.text);
}

/* Fails if the process does not answer. */
static uint32_t ask(struct guarded *guarded, uint32_t deed)
{
	struct err err = {.text = ""};
	uint32_t said;

	if (guarded_ask(&said, sizeof(said), guarded, &deed, sizeof(deed), &err) != sizeof(said))
		fail_msg("it %s", err.text);
	return said;
}

static void questions_are_answered_one_after_the_other(void **state)
{
	struct worker worker = {.asked = 0};
	struct guarded guarded;

	(void)state;
	start(&guarded, &worker, 10, 60);
	for (uint32_t i = 1; i <= 3; i++)
		assert_int_equal(ask(&guarded, COUNT), i);
	assert_int_equal(worker.asked, 0); /* the process has a copy */
	assert_int_equal(ask(&guarded, BE_ITSELF), guarded.pid);
	assert_int_not_equal(guarded.pid, getpid());
	guarded_end(&guarded);
	guarded_end(&guarded);
}

static void a_fault_of_the_process_harms_no_other_process(void **state)
{
	static const struct {
		enum deed deed;
		unsigned cpu_s, wait_s;
		const char *what;
	} cases[] = {
		{CRASH, 10, 60, "was ended by signal 11, "},
		{ABORT, 10, 60, "was ended by signal 6, "},
		{EXIT, 10, 60, "ended with status 1"},
		{SPIN, 1, 60, "was ended, as after 1 s of CPU time"},
		{SLEEP, 10, 1, "gave no answer within 1 s"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct worker worker = {.asked = 0};
		struct guarded guarded, other;
		uint32_t deed = cases[i].deed, said;
		struct err err = {.text = ""};

		start(&guarded, &worker, cases[i].cpu_s, cases[i].wait_s);
		start(&other, &worker, 10, 60);
		assert_int_equal(ask(&guarded, COUNT), 1);
		assert_int_equal(
			guarded_ask(&said, sizeof(said), &guarded, &deed, sizeof(deed), &err), -1);
		assert_memory_equal(err.text, cases[i].what, strlen(cases[i].what));
		assert_int_equal(guarded.pid, 0);
		assert_int_equal(ask(&other, COUNT), 1);
		guarded_end(&other);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
		assert_int_equal(errno, ECHILD);
	}
}

/* The process may end between two questions. */
static void a_process_that_has_ended_gives_no_answer(void **state)
{
	struct worker worker = {.asked = 0};
	struct guarded guarded;
	struct err err = {.text = ""};
	uint32_t deed = COUNT, said;
	siginfo_t info;

	(void)state;
	start(&guarded, &worker, 10, 60);
	kill(guarded.pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)guarded.pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(guarded_ask(&said, sizeof(said), &guarded, &deed, sizeof(deed), &err), -1);
	assert_memory_equal(err.text, "was ended, ", 11);
}

static void the_process_has_a_limit_of_memory(void **state)
{
	struct worker worker = {.asked = 0};
	struct guarded guarded;

	(void)state;
	start(&guarded, &worker, 10, 60);
	assert_int_equal(ask(&guarded, ALLOCATE), 1);
	guarded_end(&guarded);
}

static void the_process_has_no_other_file_open(void **state)
{
	struct worker worker = {.file = open("/dev/null", O_RDONLY)};
	struct guarded guarded;

	(void)state;
	assert_true(worker.file > STDERR_FILENO);
	start(&guarded, &worker, 10, 60);
	assert_int_equal(ask(&guarded, LOOK), 1);
	guarded_end(&guarded);
	close(worker.file);
}

/* Ctrl-C signals all processes of a terminal; only pscal itself decides how it ends. */
static void the_process_ignores_signals_that_ask_for_an_end(void **state)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM};
	struct worker worker = {.asked = 0};
	struct guarded guarded;

	(void)state;
	start(&guarded, &worker, 10, 60);
	ask(&guarded, COUNT); /* it has begun */
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		kill(guarded.pid, numbers[i]);
	assert_int_equal(ask(&guarded, COUNT), 2);
	guarded_end(&guarded);
}

static void a_process_that_ends_late_is_reaped_later(void **state)
{
	struct worker worker = {.file = -1};
	struct guarded first, second;
	siginfo_t ended;
	pid_t pid;

	(void)state;
	start(&first, &worker, 60, 60);
	pid = first.pid;
	first.until_ns = 1;
	guarded_end(&first);
	assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
	start(&second, &worker, 60, 60);
	assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), -1);
	assert_int_equal(errno, ECHILD);
	guarded_end(&second);
}

static int *exits;

static void count_exit(void)
{
	++*exits;
}

/* Libraries call exit() in the process if they have no memory; handlers of this process do not run
 * there. */
static void handlers_of_atexit_do_not_run_in_the_process(void **state)
{
	struct worker worker = {.asked = 0};
	uint32_t deed = EXIT, said;
	struct guarded guarded;
	struct err err;

	(void)state;
	exits = mmap(NULL, sizeof(*exits), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	assert_ptr_not_equal(exits, MAP_FAILED);
	atexit(count_exit);
	start(&guarded, &worker, 10, 60);
	assert_int_equal(guarded_ask(&said, sizeof(said), &guarded, &deed, sizeof(deed), &err), -1);
	assert_int_equal(*exits, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(questions_are_answered_one_after_the_other),
	cmocka_unit_test(a_fault_of_the_process_harms_no_other_process),
	cmocka_unit_test(a_process_that_has_ended_gives_no_answer),
	cmocka_unit_test(the_process_has_a_limit_of_memory),
	cmocka_unit_test(the_process_has_no_other_file_open),
	cmocka_unit_test(the_process_ignores_signals_that_ask_for_an_end),
	cmocka_unit_test(a_process_that_ends_late_is_reaped_later),
	cmocka_unit_test(handlers_of_atexit_do_not_run_in_the_process),
};

TEST_FILE(tests);
