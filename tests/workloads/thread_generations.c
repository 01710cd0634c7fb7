/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thread_generations P T: starts P processes one after the other, each of which starts T threads
 * one after the other and waits for each.
 *
 * On paper: 1 + P * (1 + T) threads in all, of which two at most are alive beside the first.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *nothing(void *unused)
{
	return unused;
}

static int run_threads(int count)
{
	for (int i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, nothing, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int processes = argc > 1 ? atoi(argv[1]) : 1;
	int threads = argc > 2 ? atoi(argv[2]) : 1;

	for (int i = 0; i < processes; i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0)
			_exit(run_threads(threads));
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
			perror("a process");
			return 1;
		}
	}
	return 0;
}
