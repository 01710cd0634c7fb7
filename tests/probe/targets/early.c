/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library that begins threads before the program begins, and these call functions of the
 * program. */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

unsigned long early_calls(void);

static unsigned long calls;
static pthread_t thread;

__attribute__((noinline)) static unsigned long watch_early(unsigned long value)
{
	__asm__ volatile("" : "+r"(value));
	return (value ^ value >> 3) * 5 + 1;
}

static void *call(void *context)
{
	for (int i = 0; i < 1000; i++)
		calls = watch_early(calls);
	return context;
}

__attribute__((constructor)) static void begin(void)
{
	if (pthread_create(&thread, NULL, call, NULL))
		_exit(99);
}

unsigned long early_calls(void)
{
	pthread_join(thread, NULL);
	return calls;
}
