/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/child.h"

#include "base/err.h"
#include "collect/kernel/proc_stat.h"
#include "collect/stop_signals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The exit status by which a shell reports a missing command. */
enum { EXEC_FAILED_STATUS = 127 };

/* Attributes that fork clears and exec keeps. */
struct bonds {
	int death_signal, is_reaper;
};

static struct bonds note_bonds(void)
{
	struct bonds bonds = {.death_signal = 0};

	prctl(PR_GET_PDEATHSIG, &bonds.death_signal);
	prctl(PR_GET_CHILD_SUBREAPER, &bonds.is_reaper);
	return bonds;
}

static void take_bonds(const struct bonds *bonds)
{
	prctl(PR_SET_PDEATHSIG, bonds->death_signal);
	prctl(PR_SET_CHILD_SUBREAPER, bonds->is_reaper);
}

static void give_back(const struct child_setup *setup)
{
	if (setup->files)
		setrlimit(RLIMIT_NOFILE, setup->files);
	if (setup->timers) {
		setitimer(ITIMER_REAL, &setup->timers->real, NULL);
		setitimer(ITIMER_VIRTUAL, &setup->timers->user, NULL);
		setitimer(ITIMER_PROF, &setup->timers->prof, NULL);
	}
	stop_signals_give_back(setup->signals);
}

static void __attribute__((noreturn))
become(const char *const *command, const struct child_setup *setup, int fd)
{
	union { /* execvp does not change its arguments, but its prototype allows it */
		const char *const *in;
		char *const *out;
	} args = {.in = command};
	int code = setup->prepare ? setup->prepare(setup->context) : 0;
	char go;

	if (read(fd, &go, 1) != 1)
		_exit(EXEC_FAILED_STATUS); /* the parent gave up, or is dead */
	if (code) {
		send(fd, &code, sizeof(code), MSG_NOSIGNAL);
		_exit(EXEC_FAILED_STATUS);
	}
	give_back(setup);
	if (setup->output != STDOUT_FILENO)
		dup2(setup->output, STDOUT_FILENO);
	execvp(command[0], args.out);
	send(fd, &errno, sizeof(errno), MSG_NOSIGNAL);
	_exit(EXEC_FAILED_STATUS);
}

int child_start(struct child *child, const char *const *command, const struct child_setup *setup,
		struct err *err)
{
	struct bonds bonds = note_bonds();
	int ends[2]; /* closed by exec, which shows the recorder that exec worked */

	*child = (struct child){.fd = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return err_set(err, "%s: cannot be started: %m", command[0]);
	child->pid = fork();
	if (child->pid < 0) {
		err_set(err, "%s: cannot be started: %m", command[0]);
		close(ends[0]);
		close(ends[1]);
		child->pid = 0;
		return -1;
	}
	if (child->pid == 0) {
		close(ends[0]);
		take_bonds(&bonds);
		become(command, setup, ends[1]);
	}
	close(ends[1]);
	child->fd = ends[0];
	return 0;
}

void child_abandon(struct child *child)
{
	if (child->pid <= 0)
		return;
	if (child->fd >= 0)
		close(child->fd);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*child = (struct child){.fd = -1};
}

/* Writes the error of exec. A whole line in quotes is one word, which names no program. */
static int refuse_command(const char *const *command, struct err *err)
{
	const char *name = command[0];
	bool is_line = errno == ENOENT && !command[1] && strchr(name, ' ');

	if (errno == EACCES)
		return err_set(err, "%s: cannot be started: %m; a program needs chmod +x", name);
	if (!is_line)
		return err_set(err, "%s: cannot be started: %m", name);
	if (strpbrk(name, "|&;<>$*?`"))
		return err_set(
			err,
			"%s: cannot be started: %m; a shell runs such a line: say -- sh -c '%s'",
			name, name);
	return err_set(err, "%s: cannot be started: %m; leave out the quotes: say -- %s", name,
		       name);
}

int child_release(struct child *child, const char *const *command, struct err *err)
{
	int code = 0;
	ssize_t got;

	if (send(child->fd, "", 1, MSG_NOSIGNAL) != 1)
		code = errno;
	do {
		got = read(child->fd, &code, sizeof(code));
	} while (got < 0 && errno == EINTR);
	if (code) {
		child_abandon(child);
	} else {
		close(child->fd);
		child->fd = -1;
	}
	errno = code;
	return code ? refuse_command(command, err) : 0;
}

bool child_is_zombie(const struct child *child)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == child->pid;
}

static uint64_t as_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

int child_ended(struct child *child, int *status)
{
	struct rusage usage;
	int raw;

	if (wait4(child->pid, &raw, WNOHANG, &usage) != child->pid)
		return 0;
	child->cpu_ns = as_ns(usage.ru_utime) + as_ns(usage.ru_stime);
	*status = WIFSIGNALED(raw) ? CHILD_SIGNAL_STATUS + WTERMSIG(raw) : WEXITSTATUS(raw);
	child->pid = 0;
	return 1;
}

/* A setuid program runs as its file's owner, for its caller. */
bool child_is_foreign(const struct child *child)
{
	unsigned own = geteuid(), users[3];
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)child->pid);
	return proc_scan(path, "Uid: %u %u %u", &users[0], &users[1], &users[2]) == 3 &&
	       (users[0] != own || users[1] != own || users[2] != own);
}

pid_t child_leave(struct child *child)
{
	pid_t pid = child->pid;

	child->pid = 0;
	return pid;
}
