/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/guarded.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- The process ----------------------------------------------------------------------------- */

static void limit(__rlimit_resource_t resource, rlim_t most)
{
	struct rlimit now;

	if (getrlimit(resource, &now) || now.rlim_max < most)
		return;
	now = (struct rlimit){most, most};
	setrlimit(resource, &now);
}

/* Returns the pages of this process, proc(5); 0: not known, and memory is not limited. */
static uint64_t own_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages;
}

static void limit_all(const struct guarded_work *work)
{
	uint64_t pages = own_pages();

	limit(RLIMIT_CPU, work->cpu_s);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_CORE, 0);
	if (pages)
		limit(RLIMIT_AS, pages * (uint64_t)sysconf(_SC_PAGESIZE) + work->memory_bytes);
	/* A core that is piped to a program ignores RLIMIT_CORE, core(5). */
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* The last of the standard descriptors. */
enum { STANDARD_LAST = 2 };

/* Makes the socket standard input and closes the rest: messages of the library are not shown. */
static void close_others(int fd)
{
	int nowhere;

	dup2(fd, STDIN_FILENO);
	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	for (int i = STDOUT_FILENO; i <= STANDARD_LAST; i++)
		if (nowhere < 0 || dup2(nowhere, i) < 0)
			close(i);
	closefrom(STANDARD_LAST + 1);
}

/* Blocks all signals: those of the terminal are for the parent, which may have much to do yet. */
static void block_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

/* Ends the process without exit handlers and buffers, which belong to the parent. */
static void leave(void)
{
	_exit(1);
}

static void __attribute__((noreturn)) serve(const struct guarded_work *work, int fd)
{
	char question[GUARDED_MESSAGE_MAX], answer[GUARDED_MESSAGE_MAX];
	ssize_t size;

	block_signals();
	limit_all(work);
	close_others(fd);
	atexit(leave); /* runs before all other handlers */
	while ((size = recv(STDIN_FILENO, question, sizeof(question), 0)) > 0) {
		size_t answered = work->answer(work->context, answer, question, (size_t)size);

		if (send(STDIN_FILENO, answer, answered, MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

/* --- Questions ----------------------------------------------------------------------------- */

/* Processes that were killed and not waited for. */
static struct {
	pid_t *pids;
	size_t count, capacity;
} ending;

/* Reaps the processes that have ended since. */
static void reap_ended(void)
{
	size_t left = 0;

	for (size_t i = 0; i < ending.count; i++)
		if (waitpid(ending.pids[i], NULL, WNOHANG) == 0)
			ending.pids[left++] = ending.pids[i];
	ending.count = left;
}

static void leave_to_end(pid_t pid)
{
	array_reserve(&ending.pids, &ending.capacity, ending.count + 1);
	ending.pids[ending.count++] = pid;
}

int guarded_start(struct guarded *guarded, const struct guarded_work *work, struct err *err)
{
	int ends[2];

	reap_ended();
	*guarded = (struct guarded){.pid = 0};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return err_set(err, "cannot make a socket: %m");
	guarded->pid = fork();
	if (guarded->pid == 0)
		serve(work, ends[1]);
	close(ends[1]);
	if (guarded->pid < 0) {
		err_set(err, "cannot start a process: %m");
		close(ends[0]);
		guarded->pid = 0;
		return -1;
	}
	guarded->fd = ends[0];
	guarded->cpu_s = work->cpu_s;
	guarded->wait_s = work->wait_s;
	return 0;
}

/*
 * Kills the process. Returns its status of waitpid(), or 0 if it is not waited for: freeing much
 * memory takes a process a while.
 */
static int end_process(struct guarded *guarded, bool wait)
{
	int status = 0;

	kill(guarded->pid, SIGKILL);
	close(guarded->fd);
	if (!wait)
		leave_to_end(guarded->pid);
	else
		while (waitpid(guarded->pid, &status, 0) < 0 && errno == EINTR)
			;
	*guarded = (struct guarded){.pid = 0};
	return status;
}

void guarded_end(struct guarded *guarded)
{
	if (guarded->pid)
		end_process(guarded, !guarded->until_ns);
}

/*
 * Writes the fate of the process, whose socket is closed. It has ended by itself, so that the
 * signal of end_process changes nothing.
 */
static int tell_end(struct guarded *guarded, struct err *err)
{
	unsigned cpu_s = guarded->cpu_s;
	int status = end_process(guarded, true);

	if (WIFEXITED(status))
		return err_set(err, "ended with status %d", WEXITSTATUS(status));
	if (WTERMSIG(status) == SIGKILL)
		return err_set(err, "was ended, as after %u s of CPU time", cpu_s);
	return err_set(err, "was ended by signal %d, %s", WTERMSIG(status),
		       strsignal(WTERMSIG(status)));
}

static bool wait_for_answer(const struct guarded *guarded)
{
	uint64_t until_ns = monotonic_ns() + guarded->wait_s * UINT64_C(1000000000), now_ns;
	struct pollfd polled = {.fd = guarded->fd, .events = POLLIN};
	int ready;

	if (guarded->until_ns && guarded->until_ns < until_ns)
		until_ns = guarded->until_ns;
	do {
		now_ns = monotonic_ns();
		ready = poll(&polled, 1,
			     now_ns < until_ns ? (int)((until_ns - now_ns) / 1000000) + 1 : 0);
	} while (ready < 0 && errno == EINTR);
	return ready > 0;
}

ssize_t guarded_ask(void *answer, size_t room, struct guarded *guarded, const void *question,
		    size_t size, struct err *err)
{
	ssize_t got;

	if (send(guarded->fd, question, size, MSG_NOSIGNAL) < 0)
		return tell_end(guarded, err);
	if (!wait_for_answer(guarded)) {
		unsigned wait_s = guarded->wait_s;
		bool is_short = guarded->until_ns != 0;

		end_process(guarded, !is_short);
		return is_short ? err_set(err, "gave no answer in time")
				: err_set(err, "gave no answer within %u s", wait_s);
	}
	got = recv(guarded->fd, answer, room, 0);
	return got > 0 ? got : tell_end(guarded, err);
}
