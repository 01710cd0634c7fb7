/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exec_by_thread: the second thread of the process does an exec of `sleep 0.05`, while the first
 * waits for it.
 *
 * On paper: two threads up to the exec, which ends the first; the second continues with its number.
 * So three threads are recorded: two with the number of the process, one after the other, and the
 * second under its first number.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void *become(void *argument)
{
	const struct timespec nap = {0, 20000000};

	(void)argument;
	nanosleep(&nap, NULL);
	execlp("sleep", "sleep", "0.05", (char *)NULL);
	perror("sleep");
	return NULL;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, become, NULL))
		return 1;
	pthread_join(thread, NULL);
	return 1;
}
