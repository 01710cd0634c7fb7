/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs of a few lines with behaviour that a recorder could easily disturb. Their output is the
 * same in each run.
 *
 *	behaviour_...		runs each, in a process of its own, and prints its result
 *	behaviour_... NAME	runs that one
 */
#ifndef PSCAL_WORKLOADS_BEHAVIOUR_H
#define PSCAL_WORKLOADS_BEHAVIOUR_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Ends the program if the call fails. */
#define MUST(condition)                                                     \
	do {                                                                \
		if (!(condition)) {                                         \
			printf("line %d: %s\n", __LINE__, strerror(errno)); \
			return 99;                                          \
		}                                                           \
	} while (0)

static __attribute__((noinline)) long behaviour_touch(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static inline void *touch(void *argument)
{
	return (void *)behaviour_touch((long)argument); // NOLINT: a number
}

/* Runs so many threads, at most 8 at a time. Returns how many have done their part. */
static inline int run_threads(int count)
{
	pthread_t threads[8];
	int done = 0, begun;

	for (int i = 0; i < count; i += begun) {
		for (begun = 0; begun < 8 && i + begun < count; begun++)
			if (pthread_create(&threads[begun], NULL, touch, NULL))
				break;
		if (!begun)
			return done;
		for (int k = 0; k < begun; k++) {
			void *result;

			done += !pthread_join(threads[k], &result) && result == (void *)1;
		}
	}
	return done;
}

/* The exit status that a shell would show. */
static inline int end_of(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static inline void limit(int resource, rlim_t most)
{
	struct rlimit limit;

	getrlimit((__rlimit_resource_t)resource, &limit);
	limit.rlim_cur = most;
	setrlimit((__rlimit_resource_t)resource, &limit);
}

static inline int deep(int n)
{
	volatile char room[4096];

	room[0] = (char)n;
	return n ? deep(n + 1) + room[0] : 0;
}

/* Prints the result of a call, and its error. */
static inline void tell(long result)
{
	printf("%ld %s\n", result, result < 0 ? strerror(errno) : "");
}

struct behaviour {
	const char *name;
	int (*run)(void);
};

// clang-format off
#define CASE(name) {#name, name}
// clang-format on

/* In a directory and a process group of its own. */
static inline void behaviour_begin(const char *self, const char *name)
{
	if (mkdir(name, 0777) || chmod(name, 0777) || chdir(name) || setpgid(0, 0))
		_exit(96);
	execl(self, self, name, NULL);
	_exit(95);
}

static inline int behaviour_each(const struct behaviour *cases, const char *self)
{
	for (; cases->name; cases++) {
		int status;
		pid_t child;

		printf("%s:\n", cases->name);
		child = fork();
		if (child == 0)
			behaviour_begin(self, cases->name);
		if (child < 0 || waitpid(child, &status, 0) != child)
			return 1;
		printf("-> %s %d%s\n", WIFSIGNALED(status) ? "signal" : "status",
		       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
		       WCOREDUMP(status) ? ", core" : "");
	}
	return 23;
}

static inline int behaviour_main(const struct behaviour *cases, int words, char **word)
{
	char *self = realpath("/proc/self/exe", NULL);

	setvbuf(stdout, NULL, _IOLBF, 1 << 12);
	if (words < 2)
		return behaviour_each(cases, self);
	free(self);
	while (cases->name && strcmp(cases->name, word[1]) != 0)
		cases++;
	return cases->name ? cases->run() : 97;
}

#endif
