/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that begin others, and the ways in which they end. */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

WATCHED uint64_t watch_leaf(uint64_t value)
{
	HIDE(value);
	return value * 7 + 1;
}

static void print(const char *name)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 100; i++)
		mix(&sum, watch_leaf(i));
	printf("%s %lu\n", name, sum);
	fflush(stdout);
}

static void wait_for(pid_t pid)
{
	int status = 0;

	must(pid > 0 && waitpid(pid, &status, 0) == pid);
	printf("%d\n", status);
	fflush(stdout);
}

/* Returns in both processes. */
WATCHED pid_t watch_fork(int how)
{
	pid_t pid = how == 0   ? fork()
		    : how == 1 ? _Fork()
			       : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	watch_leaf(1);
	HIDE(pid);
	return pid;
}

static void *fork_there(void *context)
{
	for (int how = 0; how < 3; how++) {
		pid_t pid = watch_fork(how);

		if (!pid) {
			print("child");
			_exit(how);
		}
		wait_for(pid);
		print("parent");
	}
	return context;
}

static void forks(void)
{
	pthread_t thread;

	print("begin");
	fork_there(NULL);
	must(pthread_create(&thread, NULL, fork_there, NULL) == 0);
	pthread_join(thread, NULL);
}

WATCHED pid_t watch_vfork(char **words)
{
	pid_t pid = vfork();

	if (!pid) {
		watch_leaf(2);
		execv("/proc/self/exe", words);
		_exit(9);
	}
	return pid;
}

WATCHED int watch_system(const char *command)
{
	int result = system(command);

	HIDE(result);
	return result;
}

static void programs(void)
{
	char *words[] = {(char *)"ends", (char *)"quick", NULL};
	char line[100];
	FILE *stream;
	pid_t pid;

	print("begin");
	wait_for(watch_vfork(words));
	must(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, words, environ) == 0);
	wait_for(pid);
	printf("%d\n", watch_system("exit 3"));
	stream = popen("echo from a pipe", "r");
	must(stream && fgets(line, sizeof(line), stream));
	printf("%s%d\n", line, pclose(stream));
	print("end");
}

static void quick(void)
{
	print("quick");
	_exit(4);
}

WATCHED void watch_exec(char **words)
{
	print("before");
	execv("/proc/self/exe", words);
	_exit(9);
}

static void execs(void)
{
	watch_exec((char *[]){(char *)"ends", (char *)"quick", NULL});
}

static void aborts(void)
{
	print("abort");
	abort();
}

WATCHED void watch_crash(volatile int *nowhere)
{
	print("crash");
	*nowhere = 1;
}

static void crashes(void)
{
	watch_crash(NULL);
}

static void is_killed(void)
{
	print("kill");
	kill(getpid(), SIGKILL);
	pause();
}

/* The program expects its own numbers of descriptors, and closes all that it does not know. */
static void descriptors(void)
{
	int fd = open("/dev/null", O_RDONLY);

	printf("%d\n", fd);
	print("begin");
	printf("%d\n", open("/dev/null", O_RDONLY));
	close_range(3, ~0U, 0);
	for (int i = 0; i < 1000; i++)
		print("closed");
	printf("%d\n", open("/dev/null", O_RDONLY));
}

/* Becomes a user that may not write to the spool. */
static void other_user(void)
{
	pthread_t thread;

	print("root");
	must(geteuid() != 0 || setuid(65534) == 0);
	print("user");
	must(pthread_create(&thread, NULL, fork_there, NULL) == 0);
	pthread_join(thread, NULL);
}

static void with_little_memory(void)
{
	print("little");
	for (size_t i = 0; i < 4; i++)
		must(malloc(16 << 20) != NULL);
}

/* In a PID namespace of its own; if that is not allowed, without one. */
static void elsewhere(void)
{
	pid_t pid;

	print("here");
	(void)!unshare(CLONE_NEWPID);
	pid = fork();
	if (!pid) {
		print("there");
		execl("/proc/self/exe", "ends", "quick", NULL);
	}
	wait_for(pid);
}

static void *print_some(void *context)
{
	print("thread");
	return context;
}

/* Limits that the program sets itself after its begin, with little room for other code. */
static void limits(void)
{
	const struct rlimit space = {100 << 20, 100 << 20}, data = {80 << 20, 80 << 20};
	pthread_attr_t attributes;
	pthread_t thread;

	for (int i = 0; i < 1000; i++)
		print("before");
	must(setrlimit(RLIMIT_AS, &space) == 0 && setrlimit(RLIMIT_DATA, &data) == 0);
	with_little_memory();
	pthread_attr_init(&attributes);
	must(pthread_attr_setstacksize(&attributes, 1 << 18) == 0);
	for (int i = 0; i < 7; i++) {
		must(pthread_create(&thread, &attributes, print_some, NULL) == 0);
		pthread_join(thread, NULL);
	}
}

static void much(void)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 2000000; i++)
		mix(&sum, watch_leaf(i));
	printf("%lu\n", sum);
}

/* --- Programs that confine themselves to some system calls ------------------------------------ */

static void *call_on(void *context)
{
	uint64_t *sum = context;

	for (uint64_t i = 0; i < 50000; i++)
		mix(sum, watch_leaf(i));
	return NULL;
}

static int set_filter(const struct sock_filter *code, size_t count)
{
	struct sock_fprog filter = {(unsigned short)count, (struct sock_filter *)code};

	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}

/* Only calls that write and exit; all other ones kill the program. */
static const struct sock_filter few_calls[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

/* All calls of usual programs at their begin. */
static const struct sock_filter usual_calls[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 3, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_flock, 2, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

/* A child that has called no watched function before. */
static void confine_child(void)
{
	uint64_t sum = 0;
	pid_t pid = fork();

	if (!pid) {
		must(set_filter(few_calls, sizeof(few_calls) / sizeof(few_calls[0])) == 0);
		call_on(&sum);
		print("confined child");
		_exit(7);
	}
	wait_for(pid);
}

/* An attempt that failed leaves the program without a filter. */
static void confined(void)
{
	uint64_t sum = 0;

	must(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == -1 && errno == EFAULT);
	must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 1) == -1 && errno == EFAULT);
	must(prctl(PR_SET_SECCOMP, 77, 1) == -1 && errno == EINVAL);
	print("free");
	confine_child();
	must(set_filter(few_calls, sizeof(few_calls) / sizeof(few_calls[0])) == 0);
	call_on(&sum);
	print("confined");
	call_on(&sum);
	printf("%lu\n", sum);
	fflush(stdout);
	_exit(5);
}

static void strict(void)
{
	uint64_t sum = 0;

	print("free");
	must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
	call_on(&sum);
	print("strict");
	printf("%lu\n", sum);
	fflush(stdout);
	syscall(SYS_exit, 6);
}

/* The next program has the filter, too. */
static void confined_program(void)
{
	must(set_filter(usual_calls, sizeof(usual_calls) / sizeof(usual_calls[0])) == 0);
	execl("/proc/self/exe", "ends", "quick", NULL);
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{"fork", forks},	  {"programs", programs},
		{"quick", quick},	  {"exec", execs},
		{"abort", aborts},	  {"crash", crashes},
		{"kill", is_killed},	  {"descriptors", descriptors},
		{"user", other_user},	  {"little", with_little_memory},
		{"much", much},		  {"limits", limits},
		{"elsewhere", elsewhere}, {"confined", confined},
		{"strict", strict},	  {"confined_program", confined_program},
	};

	return run_mode(modes, sizeof(modes) / sizeof(modes[0]), argc, argv);
}
