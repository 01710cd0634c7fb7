/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sleeping_threads N [SECONDS]: the main thread and N threads named "sleeper" that sleep until the
 * program is killed, or for SECONDS. Prints one line when all of them are there.
 *
 * On paper: N + 1 threads in state S, none of which runs.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *sleeper(void *unused)
{
	for (;;)
		pause();
	return unused;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;
	int seconds = argc > 2 ? atoi(argv[2]) : 0;
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (int i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, &attr, sleeper, NULL)) {
			perror("pthread_create");
			return 1;
		}
		pthread_setname_np(thread, "sleeper");
	}
	puts("ready");
	fflush(stdout);
	if (seconds)
		sleep((unsigned)seconds);
	else
		pause();
	return 0;
}
