/* SPDX-License-Identifier: GPL-3.0-or-later */
/* behaviour_processes [NAME]: ends, threads and processes, see behaviour.h. */
#include "behaviour.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

extern char **environ;

static const char self[] = "/proc/self/exe";

/* --- Ends ---------------------------------------------------------------------------------- */

static int exits_with_3(void)
{
	return 3;
}

static int exits_with_255(void)
{
	_exit(255);
}

static void at_exit(void)
{
	printf("at exit\n");
}

static int exits_in_order(void)
{
	atexit(at_exit);
	run_threads(1);
	exit(4);
}

static int exits_quickly(void)
{
	at_quick_exit(at_exit);
	run_threads(1);
	fflush(stdout);
	quick_exit(5);
}

static int is_terminated(void)
{
	return raise(SIGTERM);
}

static int is_killed(void)
{
	return raise(SIGKILL);
}

static int ends_by_a_real_time_signal(void)
{
	return raise(SIGRTMIN + 2);
}

static int aborts(void)
{
	limit(RLIMIT_CORE, 0);
	abort();
}

static int dumps_core(void)
{
	limit(RLIMIT_CORE, RLIM_INFINITY);
	raise(SIGSEGV);
	return 0;
}

static int overflows_its_stack(void)
{
	limit(RLIMIT_CORE, 0);
	return deep(1);
}

static int ends_while_threads_run(void)
{
	pthread_t thread;

	MUST(!pthread_create(&thread, NULL, (void *(*)(void *))(void (*)(void))pause, NULL));
	return 6;
}

static void *outlives(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	printf("alone\n");
	exit(7);
}

static int ends_its_first_thread(void)
{
	static pthread_t first, second;

	first = pthread_self();
	MUST(!pthread_create(&second, NULL, outlives, &first));
	pthread_exit(NULL);
}

/* --- Threads ------------------------------------------------------------------------------- */

static int has_300_threads(void)
{
	printf("%d threads\n", run_threads(300));
	return 0;
}

static int has_threads_with_small_stacks(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *result;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	for (int i = 0; i < 20; i++) {
		MUST(!pthread_create(&thread, &attributes, touch, NULL));
		pthread_join(thread, &result);
		MUST(result == (void *)1);
	}
	return 0;
}

static void clean(void *name)
{
	printf("cleaned %s\n", (char *)name);
}

static void *wait_for_end(void *how)
{
	static char up[] = "up";

	pthread_cleanup_push(clean, up);
	pthread_setcanceltype(how ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, NULL);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return NULL;
}

static int cancels_threads(void)
{
	for (long i = 0; i < 2; i++) {
		pthread_t thread;
		void *result;

		MUST(!pthread_create(&thread, NULL, wait_for_end, (void *)i)); // NOLINT
		pthread_cancel(thread);
		pthread_join(thread, &result);
		printf("%s\n", result == PTHREAD_CANCELED ? "cancelled" : "not");
	}
	return 0;
}

static void *keep_value(void *argument)
{
	pthread_key_t *key = argument;

	pthread_setspecific(*key, "of a thread");
	return touch(NULL);
}

static int has_keys_of_threads(void)
{
	pthread_key_t keys[40];
	pthread_t thread;

	for (int i = 0; i < 40; i++)
		MUST(!pthread_key_create(&keys[i], clean));
	MUST(!pthread_create(&thread, NULL, keep_value, &keys[39]));
	pthread_join(thread, NULL);
	return 0;
}

static void *fork_here(void *argument)
{
	pid_t child = fork();

	if (child == 0)
		_exit(run_threads(3));
	*(int *)argument = end_of(child);
	return NULL;
}

static int forks_in_a_thread(void)
{
	pthread_t thread;
	int end = 0;

	MUST(!pthread_create(&thread, NULL, fork_here, &end));
	pthread_join(thread, NULL);
	return 10 + end;
}

static void *become_other(void *argument)
{
	execl(self, self, "exits_with_3", NULL);
	return argument;
}

static int becomes_another_in_a_thread(void)
{
	pthread_t thread;

	MUST(!pthread_create(&thread, NULL, become_other, NULL));
	pthread_join(thread, NULL);
	return 98;
}

/* --- Processes ----------------------------------------------------------------------------- */

static int forks(void)
{
	int sum = 0;

	for (int i = 0; i < 5; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit((int)behaviour_touch(i));
		sum += end_of(child);
	}
	return sum;
}

static int vforks(void)
{
	pid_t child = vfork();

	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "exit 4", NULL);
		_exit(5);
	}
	return end_of(child);
}

static int spawns(void)
{
	char sh[] = "sh", option[] = "-c", script[] = "echo spawned; exit 8";
	char *words[] = {sh, option, script, NULL};
	pid_t child;

	MUST(!posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ));
	return end_of(child);
}

static int uses_the_shell(void)
{
	FILE *pipe = popen("echo piped", "r");
	char line[64] = "";

	MUST(pipe && fgets(line, sizeof(line), pipe));
	printf("%s%d\n", line, pclose(pipe));
	return system("exit 6") >> 8;
}

static int becomes_itself(void)
{
	execl(self, "another name", "exits_with_3", NULL);
	return 98;
}

static int becomes_a_file_without_a_name(void)
{
	int from = open(self, O_RDONLY | O_CLOEXEC), to = memfd_create("copy", MFD_CLOEXEC);
	char copy[] = "copy", name[] = "exits_with_255", *words[] = {copy, name, NULL};
	char bytes[65536];
	ssize_t length;

	MUST(from >= 0 && to >= 0);
	while ((length = read(from, bytes, sizeof(bytes))) > 0)
		MUST(write(to, bytes, (size_t)length) == length);
	fexecve(to, words, environ);
	return 98;
}

static int becomes_nothing(void)
{
	execl("./nothing", "nothing", NULL);
	printf("%s\n", strerror(errno));
	return (int)behaviour_touch(10);
}

static int empties_its_environment(void)
{
	char env[] = "env", *words[] = {env, NULL}, *nothing[] = {NULL};

	execve("/usr/bin/env", words, nothing);
	return 98;
}

static int waits_for_all(void)
{
	int count = 0;

	for (int i = 0; i < 3; i++)
		if (fork() == 0)
			_exit(i);
	while (wait(NULL) > 0)
		count++;
	printf("%d children, %s\n", count, strerror(errno));
	return 0;
}

static int gets_orphans(void)
{
	pid_t child;
	int count = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	child = fork();
	if (child == 0) {
		if (fork() == 0)
			_exit(9);
		_exit(0);
	}
	while (wait(NULL) > 0)
		count++;
	printf("%d\n", count);
	return 0;
}

static int lets_children_go(void)
{
	signal(SIGCHLD, SIG_IGN);
	if (fork() == 0)
		_exit(1);
	tell(waitpid(-1, NULL, 0));
	return 0;
}

static int stops_and_continues(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		raise(SIGSTOP);
		for (;;)
			pause();
	}
	MUST(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
	kill(child, SIGCONT);
	MUST(waitpid(child, &status, WCONTINUED) == child && WIFCONTINUED(status));
	kill(child, SIGTERM);
	return end_of(child);
}

static int leads_a_session(void)
{
	pid_t child = fork();

	if (child == 0) {
		setsid();
		signal(SIGTERM, SIG_IGN);
		kill(0, SIGTERM);
		_exit(getpgrp() == getpid() ? 12 : 13);
	}
	return end_of(child);
}

static int is_traced(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(self, self, "exits_with_3", NULL);
		_exit(98);
	}
	MUST(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
	printf("stopped by %d\n", WSTOPSIG(status));
	ptrace(PTRACE_CONT, child, NULL, NULL);
	return end_of(child);
}

static int is_in_another_namespace(void)
{
	pid_t child;

	if (unshare(CLONE_NEWPID))
		return printf("may not\n");
	child = fork();
	if (child == 0)
		_exit(getpid() == 1 ? 10 + run_threads(2) : 98);
	return end_of(child);
}

static const struct behaviour cases[] = {
	CASE(exits_with_3),
	CASE(exits_with_255),
	CASE(exits_in_order),
	CASE(exits_quickly),
	CASE(is_terminated),
	CASE(is_killed),
	CASE(ends_by_a_real_time_signal),
	CASE(aborts),
	CASE(dumps_core),
	CASE(overflows_its_stack),
	CASE(ends_while_threads_run),
	CASE(ends_its_first_thread),
	CASE(has_300_threads),
	CASE(has_threads_with_small_stacks),
	CASE(cancels_threads),
	CASE(has_keys_of_threads),
	CASE(forks_in_a_thread),
	CASE(becomes_another_in_a_thread),
	CASE(forks),
	CASE(vforks),
	CASE(spawns),
	CASE(uses_the_shell),
	CASE(becomes_itself),
	CASE(becomes_a_file_without_a_name),
	CASE(becomes_nothing),
	CASE(empties_its_environment),
	CASE(waits_for_all),
	CASE(gets_orphans),
	CASE(lets_children_go),
	CASE(stops_and_continues),
	CASE(leads_a_session),
	CASE(is_traced),
	CASE(is_in_another_namespace),
	{NULL, NULL},
};

int main(int words, char **word)
{
	return behaviour_main(cases, words, word);
}
