/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exceptions through recorded functions, and other ways to unwind the stack. */
#include "target.h"

#include <execinfo.h>
#include <pthread.h>
#include <stdexcept>
#include <unistd.h>

static uint64_t sum;

struct guard {
	int value;
	~guard()
	{
		mix(&sum, (uint64_t)value);
	}
};

extern "C" {

WATCHED uint64_t watch_leaf(uint64_t value)
{
	HIDE(value);
	return value * 7 + 1;
}

WATCHED int watch_throw(int depth)
{
	guard mine{depth};

	if (!depth)
		throw std::runtime_error("end");
	return watch_throw(depth - 1) + 1;
}

WATCHED int watch_rethrow(int depth)
{
	guard mine{depth};

	try {
		return watch_throw(depth);
	} catch (const std::exception &) {
		mix(&sum, watch_leaf(sum));
		if (depth % 3 == 0)
			throw;
		if (depth % 3 == 1)
			throw depth;
	}
	return depth;
}

WATCHED int watch_catch(int depth)
{
	mix(&sum, (uint64_t)depth);
	try {
		return watch_rethrow(depth);
	} catch (int value) {
		return (int)watch_leaf((uint64_t)value);
	} catch (const std::runtime_error &) {
		return -1;
	}
}

WATCHED int watch_uncaught(int depth)
{
	return depth ? watch_uncaught(depth - 1) + 1 : throw 5;
}

WATCHED int watch_backtrace(int depth)
{
	if (!depth) {
		void *frames[64];

		return backtrace(frames, 64);
	}
	int count = watch_backtrace(depth - 1);

	HIDE(count);
	return count;
}

WATCHED void watch_abort(int depth)
{
	if (!depth) {
		printf("%d\n", watch_backtrace(3));
		fflush(stdout);
		abort();
	}
	watch_abort(depth - 1);
	HIDE(depth);
}

WATCHED void watch_exit(int depth)
{
	guard mine{depth};

	if (!depth)
		pthread_exit(&sum);
	watch_exit(depth - 1);
	HIDE(depth);
}

WATCHED void watch_sleep(int depth)
{
	guard mine{depth};

	while (!depth) {
		watch_leaf(1);
		usleep(100);
	}
	watch_sleep(depth - 1);
	HIDE(depth);
}

/* A signal ends it at any instruction, so it must not need a clean-up. */
WATCHED void watch_spin(volatile int *begun, int depth)
{
	*begun = 1;
	while (!depth)
		HIDE(depth);
	watch_spin(begun, depth - 1);
	HIDE(depth);
}
}

static void exceptions()
{
	for (int i = 0; i < 3000; i++)
		mix(&sum, (uint64_t)watch_catch(i % 12));
	printf("%lu\n", sum);
}

static void deep_exception()
{
	try {
		watch_throw(20000);
	} catch (...) {
		mix(&sum, watch_leaf(1));
	}
	printf("%lu\n", sum);
}

static void uncaught()
{
	watch_uncaught(5);
}

static void count_frames()
{
	for (int i = 0; i < 20; i++)
		printf("%d\n", watch_backtrace(i));
}

static void aborts()
{
	watch_abort(10);
}

static void *run_exit(void *context)
{
	watch_exit(10);
	return context;
}

static void exits()
{
	pthread_t thread;
	void *result;

	must(pthread_create(&thread, nullptr, run_exit, nullptr) == 0);
	pthread_join(thread, &result);
	printf("%lu %d\n", sum, result == &sum);
}

static void *run_sleep(void *context)
{
	watch_sleep(10);
	return context;
}

static void *run_spin(void *context)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
	watch_spin((volatile int *)context, 10);
	return context;
}

static void cancel(void *(*run)(void *), volatile int *begun)
{
	pthread_t thread;
	void *result;

	must(pthread_create(&thread, nullptr, run, (void *)begun) == 0);
	while (begun && !*begun)
		usleep(100);
	usleep(20000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("%lu %d\n", sum, result == PTHREAD_CANCELED);
}

static void cancels()
{
	volatile int begun = 0;

	cancel(run_sleep, nullptr);
	cancel(run_spin, &begun);
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{"exceptions", exceptions},  {"deep", deep_exception}, {"uncaught", uncaught},
		{"backtrace", count_frames}, {"abort", aborts},	       {"exit", exits},
		{"cancel", cancels},
	};

	return run_mode(modes, sizeof(modes) / sizeof(modes[0]), argc, argv);
}
