/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * neighbour N FILE: does N rounds in each of two threads; and then N times one in a thread, one in
 * a child and one in a grandchild whose parent has ended. In a round it takes and gives back a
 * mutex, calls neighbour_call() in between, and touches a new page. It begins when FILE exists. If
 * N is 0 it does rounds of all kinds until SIGTERM.
 *
 * On paper: 5 N rounds in 3 + 4 N threads. It prints "mutex ADDRESS", "pages ADDRESS", and
 * "pid PID" of each process.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* Far from the mappings of the kernel and of the C library. */
static char *const pages = (char *)(uintptr_t)0x600000000000;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Stays a function, and is called. */
#if defined(__clang__)
#define APART __attribute__((noinline, optnone))
#else
#define APART __attribute__((noipa))
#endif
long neighbour_call(long number);

APART long neighbour_call(long number)
{
	__asm__ volatile("" ::: "memory");
	return number + 1;
}

static void do_round(size_t slot)
{
	volatile char *page = pages + slot * PAGE;

	pthread_mutex_lock(&mutex);
	neighbour_call(1);
	pthread_mutex_unlock(&mutex);
	if (mmap((void *)(uintptr_t)page, PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		_exit(1);
	*page = 1;
	munmap((void *)(uintptr_t)page, PAGE);
}

struct work {
	size_t slot;
	long rounds;
};

static void *work(void *argument)
{
	const struct work *own = argument;

	for (long i = 0; i < own->rounds; i++)
		do_round(own->slot);
	return NULL;
}

static void run_threads(struct work *works, size_t count)
{
	pthread_t threads[2];

	for (size_t i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, &works[i]))
			_exit(1);
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* In one write, as its parents write there, too. */
static void say_pid(void)
{
	char line[32];
	int length = snprintf(line, sizeof(line), "pid %d\n", (int)getpid());

	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		_exit(1);
}

static void run_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		say_pid();
		do_round(0);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* The grandchild continues when its parent has ended, and closes `done` at its end. */
static void run_orphan(int go, int done)
{
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(1);
	say_pid();
	do_round(0);
	close(done);
	_exit(0);
}

static void run_grandchild(void)
{
	int go[2], done[2];
	char byte;
	pid_t pid;

	if (pipe(go) || pipe(done))
		_exit(1);
	pid = fork();
	if (pid == 0) {
		say_pid();
		if (fork() == 0)
			run_orphan(go[0], done[1]);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	close(done[1]);
	if (write(go[1], "x", 1) != 1 || read(done[0], &byte, 1) != 0)
		_exit(1);
	close(done[0]);
	close(go[0]);
	close(go[1]);
}

static void run_once(void)
{
	struct work one = {.slot = 1, .rounds = 1};

	run_threads(&one, 1);
	run_child();
	run_grandchild();
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 10;
	struct work both[] = {{1, rounds}, {2, rounds}};

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("mutex %p\npages %p\n", (void *)&mutex, (void *)pages);
	say_pid();
	while (argc > 2 && access(argv[2], F_OK))
		usleep(1000);
	if (rounds)
		run_threads(both, 2);
	for (long i = 0; i < rounds || !rounds; i++) {
		run_once();
		if (!rounds)
			usleep(500);
	}
	return 0;
}
