/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thread_storm N [K]: N threads that do nothing, K (default 1) at a time: the next K are created
 * once the last K have ended. Prints the time of the run.
 *
 * On paper: 1 + N threads, of which 1 + K at most are alive.
 */
#include "meter.h"

#include <pthread.h>
#include <stdlib.h>

static void *nothing(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000;
	int at_a_time = argc > 2 ? atoi(argv[2]) : 1;
	uint64_t begin_ns = now_ns(CLOCK_MONOTONIC);
	pthread_t *threads = calloc((size_t)at_a_time, sizeof(*threads));

	if (!threads)
		return 1;
	for (int done = 0, now; done < count; done += now) {
		now = count - done < at_a_time ? count - done : at_a_time;
		for (int i = 0; i < now; i++)
			if (pthread_create(&threads[i], NULL, nothing, NULL)) {
				perror("pthread_create");
				return 1;
			}
		for (int i = 0; i < now; i++)
			pthread_join(threads[i], NULL);
	}
	free(threads);
	print_taken(begin_ns);
	return 0;
}
