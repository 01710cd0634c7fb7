/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/calls_private.h"

#include "base/monotonic.h"
#include "base/sorted.h"
#include "code/mapped_files.h"

#include <gsl/gsl_statistics_double.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * The size of a measurement. A round is so short that on a busy machine most rounds, and their
 * median, are undisturbed.
 */
enum { ROUNDS = 15, LEAST_NS = 50 };

/* --- Calls ---------------------------------------------------------------------------------- */

static void call_library(int count)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < count / 2; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

/* Runs code with branches, calls and returns, as programs have it between their calls. */
static void work(uint32_t *numbers)
{
	enum { NUMBERS = 32 };
	char text[64];

	for (uint32_t i = 0; i < NUMBERS; i++)
		numbers[i] = numbers[i] * 1664525 + 1013904223;
	sort_items(numbers, NUMBERS, compare_u32);
	snprintf(text, sizeof(text), "%u %g %s", numbers[0], numbers[1] / 3., "text");
}

/*
 * Makes calls between work. The kernel clears the processor's predictions of branches and returns,
 * so that a program is slower behind a probe. A loop of calls alone does not show that.
 */
static void call_in_work(int count)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	uint32_t numbers[32] = {0};

	for (int i = 0; i < count / 2; i++) {
		pthread_mutex_lock(&mutex);
		work(numbers);
		pthread_mutex_unlock(&mutex);
		work(numbers);
	}
}

/* Makes system calls that wake no thread. */
static void call_system(int count)
{
	uint32_t word = 0;

	for (int i = 0; i < count; i++)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Sends bytes, each of which is received, too. */
static void call_socket(int count)
{
	int pair[2];
	char byte = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return;
	for (int i = 0; i < count / 2; i++)
		if (send(pair[0], &byte, 1, MSG_NOSIGNAL) != 1 || recv(pair[1], &byte, 1, 0) != 1)
			break;
	close(pair[0]);
	close(pair[1]);
}

#if defined(__x86_64__)
__attribute__((naked, noinline)) static void stepped(void)
{
	__asm__("mov %rdi, %rax\n\tret");
}

__attribute__((naked, noinline)) static void cheap(void)
{
	__asm__("push %rbx\n\tpop %rbx\n\tret");
}
#else
__attribute__((noinline)) static void stepped(void)
{
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void cheap(void)
{
	__asm__ volatile("" ::: "memory");
	__asm__ volatile("" ::: "memory");
}
#endif

static void call_stepped(int count)
{
	for (int i = 0; i < count; i++)
		stepped();
}

static void call_cheap(int count)
{
	for (int i = 0; i < count; i++)
		cheap();
}

/* The trials. The records of all rounds together fit into the rings. */
static const struct {
	void (*call)(int count);
	int count;		/* in a round */
	void (*function)(void); /* the function that is probed for it; NULL: none */
} trials[CALL_TRIALS] = {
	[CALL_OF_LIBRARY] = {call_library, 100, NULL},
	[CALL_IN_WORK] = {call_in_work, 100, NULL},
	[CALL_OF_SYSTEM] = {call_system, 100, NULL},
	[CALL_OF_SOCKET] = {call_socket, 100, NULL},
	[CALL_OF_STEPPED] = {call_stepped, 50, stepped},
	[CALL_OF_CHEAP] = {call_cheap, 50, cheap},
};

uint64_t call_cost_place(enum call_trial trial)
{
	const uint64_t address = (uint64_t)(uintptr_t)trials[trial].function;
	struct proc_maps maps = {.count = 0};
	uint64_t place = 0;

	proc_maps_add(&maps, getpid(), false, "/proc");
	for (size_t i = 0; i < maps.count; i++)
		if (address >= maps.maps[i].start && address < maps.maps[i].end)
			place = address - maps.maps[i].start + maps.maps[i].offset;
	proc_maps_release(&maps);
	return place;
}

/* --- Times ---------------------------------------------------------------------------------- */

static double measure_trial(enum call_trial trial)
{
	const int count = trials[trial].count;
	double each_ns[ROUNDS];

	trials[trial].call(count); /* warm-up */
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		trials[trial].call(count);
		each_ns[i] = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns) / count;
	}
	return gsl_stats_median(each_ns, 1, ROUNDS);
}

void call_cost_measure(struct call_cost *cost, unsigned wanted)
{
	for (int i = 0; i < CALL_TRIALS; i++)
		cost->ns[i] = wanted & 1U << i ? measure_trial((enum call_trial)i) : 0;
}

void call_cost_added(struct call_cost *added, const struct call_cost *bare,
		     const struct call_cost *watched)
{
	for (int i = 0; i < CALL_TRIALS; i++) {
		double more_ns = watched->ns[i] - bare->ns[i];

		added->ns[i] = more_ns > LEAST_NS ? more_ns : 0;
	}
}
