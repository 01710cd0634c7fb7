/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pipe_pingpong N [RATE [wait]]: two processes hand a byte to and fro through pipes, N times. With
 * a RATE other than 0 they pause from time to time, so that they switch at most so often a second.
 * With `wait` they print a line when both exist, and begin at a line of standard input. Prints the
 * time of the run.
 *
 * On paper: on one CPU, without other programs, each process blocks N times, so 2 N switches in
 * all.
 */
#include "meter.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BURST = 50 }; /* round trips between pauses */

/* Serves N bytes, or returns them. */
static int play(int from, int to, long count, int serve)
{
	char ball = 0;

	for (long i = 0; i < count; i++) {
		if (serve && write(to, &ball, 1) != 1)
			return 1;
		if (read(from, &ball, 1) != 1)
			return 1;
		if (!serve && write(to, &ball, 1) != 1)
			return 1;
	}
	return 0;
}

static int serve(int from, int to, long count, long rate)
{
	uint64_t begin_ns = now_ns(CLOCK_MONOTONIC);

	if (!rate)
		return play(from, to, count, 1);
	for (long done = 0; done < count; done += BURST) {
		if (play(from, to, count - done < BURST ? count - done : BURST, 1))
			return 1;
		sleep_until(begin_ns + (uint64_t)(done + BURST) * 2000000000 / (uint64_t)rate);
	}
	return 0;
}

static void wait_for_a_line(void)
{
	puts("ready");
	fflush(stdout);
	while (getchar() != '\n' && !feof(stdin))
		;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000;
	long rate = argc > 2 ? atol(argv[2]) : 0;
	uint64_t begin_ns;
	int there[2], back[2], status;
	pid_t pid;

	if (pipe(there) || pipe(back))
		return 1;
	pid = fork();
	close(there[pid == 0]); /* a process that is left alone must not wait for its partner */
	close(back[pid != 0]);
	if (pid == 0)
		_exit(play(there[0], back[1], count, 0));
	if (argc > 3)
		wait_for_a_line();
	begin_ns = now_ns(CLOCK_MONOTONIC);
	if (pid < 0 || serve(back[0], there[1], count, rate) || waitpid(pid, &status, 0) != pid ||
	    status != 0) {
		perror("pipe_pingpong");
		return 1;
	}
	print_taken(begin_ns);
	return 0;
}
