/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that do not return, or on another stack, or in another thread than they began in. */
#include "target.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

static jmp_buf back;
static volatile uint64_t sum;

WATCHED uint64_t watch_leaf(uint64_t value)
{
	HIDE(value);
	return value * 7 + 1;
}

/* --- longjmp -------------------------------------------------------------------------------- */

WATCHED void watch_jumper(int depth)
{
	if (!depth)
		longjmp(back, 1);
	watch_jumper(depth - 1);
	sum = sum + 1; /* never */
}

WATCHED uint64_t watch_catcher(volatile int depth)
{
	if (!setjmp(back))
		watch_jumper(depth);
	return watch_leaf((uint64_t)depth);
}

static void leave_many(void)
{
	uint64_t total = 0;

	for (int i = 0; i < 20000; i++)
		mix(&total, watch_catcher(i % 20));
	printf("%lu %lu\n", total, sum);
}

/* --- Signals -------------------------------------------------------------------------------- */

static sigjmp_buf out;
static volatile sig_atomic_t handled, jump_out;

static void handle(int number)
{
	(void)number;
	handled = handled + 1;
	sum = watch_leaf(watch_leaf(3));
	if (jump_out)
		siglongjmp(out, 1);
}

WATCHED uint64_t watch_busy(uint64_t rounds)
{
	uint64_t total = 0;

	for (uint64_t i = 0; i < rounds; i++)
		total += watch_leaf(i);
	return total;
}

static void ring(int flags)
{
	const struct itimerval timer = {{0, 200}, {0, 200}};
	struct sigaction action = {.sa_handler = handle, .sa_flags = flags};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void be_quiet(void)
{
	const struct itimerval off = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &off, NULL);
	printf("%lu %d\n", sum, handled >= 50);
}

static void signals(void)
{
	uint64_t total = 0;

	ring(0);
	for (int i = 0; handled < 50 || i < 20; i++)
		total = watch_busy(1000);
	be_quiet();
	printf("%lu\n", total);
}

/* Out of the handler, when the signal came in the middle of watched functions.
 */
static void jumps_of_handlers(void)
{
	jump_out = 1;
	ring(SA_NODEFER);
	while (handled < 50)
		if (!sigsetjmp(out, 1))
			watch_busy(100000000);
	jump_out = 0;
	be_quiet();
}

static void other_stack(void *memory)
{
	stack_t stack = {.ss_sp = memory, .ss_size = 32768};

	must(sigaltstack(&stack, NULL) == 0);
	handled = 0;
	ring(SA_ONSTACK);
	for (int i = 0; handled < 50 || i < 20; i++)
		watch_busy(1000);
	be_quiet();
}

static void *run_between(void *context)
{
	char *const *memory = context;

	other_stack(memory[0]);
	other_stack(memory[1]);
	return NULL;
}

/* On signal stacks below and above the stack of the thread. */
static void signal_stacks(void)
{
	enum { SIZE = 1 << 20 };
	char *all =
		mmap(NULL, 3 * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *memory[] = {all, all + 2 * SIZE};
	pthread_attr_t attributes;
	pthread_t thread;

	must(all != MAP_FAILED);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, all + SIZE, SIZE);
	/* The other thread gets all signals. */
	must(pthread_create(&thread, &attributes, run_between, memory) == 0);
	sigset_t mask;
	sigemptyset(&mask);
	sigaddset(&mask, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	pthread_join(thread, NULL);
}

/* --- Coroutines ----------------------------------------------------------------------------- */

enum { COROUTINES = 8, STACK = 65536 };

static ucontext_t scheduler, coroutines[COROUTINES];
static uint64_t totals[COROUTINES];

WATCHED uint64_t watch_yield(int which)
{
	must(swapcontext(&coroutines[which], &scheduler) == 0);
	return watch_leaf((uint64_t)which);
}

WATCHED uint64_t watch_nested(int which, int depth)
{
	uint64_t below = depth ? watch_nested(which, depth - 1) : watch_yield(which);

	HIDE(below);
	return below + (uint64_t)depth;
}

WATCHED void watch_coroutine(int which)
{
	for (int i = 0; i < 100; i++)
		mix(&totals[which], watch_nested(which, i % (which + 2)));
}

static void make_coroutines(void)
{
	for (volatile int i = 0; i < COROUTINES; i = i + 1) {
		must(getcontext(&coroutines[i]) == 0);
		coroutines[i].uc_stack.ss_sp = malloc(STACK);
		coroutines[i].uc_stack.ss_size = STACK;
		coroutines[i].uc_link = &scheduler;
		makecontext(&coroutines[i], (void (*)(void))watch_coroutine, 1, i);
	}
}

WATCHED void watch_resume(int which)
{
	must(swapcontext(&scheduler, &coroutines[which]) == 0);
}

static void *resume_some(void *context)
{
	int rounds = *(int *)context;

	for (int i = 0; i < rounds; i++)
		for (int k = 0; k < COROUTINES; k++)
			watch_resume(k);
	return NULL;
}

static void print_totals(void)
{
	uint64_t total = 0;

	for (int i = 0; i < COROUTINES; i++)
		mix(&total, totals[i]);
	printf("%lu\n", total);
}

static void run_coroutines(void)
{
	int rounds = 101;

	make_coroutines();
	resume_some(&rounds);
	print_totals();
}

/* Coroutines continue in one thread after the other. */
static void move_coroutines(void)
{
	int rounds = 1;

	make_coroutines();
	for (int i = 0; i < 101; i++) {
		pthread_t thread;

		must(pthread_create(&thread, NULL, resume_some, &rounds) == 0);
		pthread_join(thread, NULL);
	}
	print_totals();
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{"longjmp", leave_many},	   {"signals", signals},
		{"siglongjmp", jumps_of_handlers}, {"sigaltstack", signal_stacks},
		{"coroutines", run_coroutines},	   {"moving", move_coroutines},
	};

	return run_mode(modes, sizeof(modes) / sizeof(modes[0]), argc, argv);
}
