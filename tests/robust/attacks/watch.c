/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a recorder, and prints facts about it while its command attacks it:
 *
 *	watch LATE_MS SIGNAL AFTER_MS RECORDER...
 *
 * SIGNAL is sent to it AFTER_MS after its command has begun (which has written its id into
 * attack.pid); 0: none. When the command has ended, or the signal was sent, the recorder may take
 * LATE_MS of CPU time until it ends, and WALL_TIMES as long if it waits; then it is killed.
 * Processes that either has left behind are killed, too. Prints "KEY VALUE" lines: `pid` of the
 * recorder; its exit `status`, or `signal`; `late_ms` from the end of the command or the signal to
 * its own end (-1: it was killed) and its CPU time meanwhile, `cpu_ms`; `memory_kb` and `files`,
 * the largest it had.
 */
#include "attack.h"

#include <dirent.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/*
 * A command that has not begun or not ended by COMMAND_MS is itself broken. Attacks last longer
 * than both limits, so that no recorder ends in time because its attack does.
 */
enum { COMMAND_MS = 60000, LATE_MAX_MS = 5000, WALL_TIMES = 8, STEP_MS = 5 };

_Static_assert(ATTACK_MS > COMMAND_MS + WALL_TIMES * LATE_MAX_MS, "attacks end too early");

struct watch {
	pid_t recorder;
	int command; /* a pidfd; -1: unknown yet */
	long memory_kb, files;
	uint64_t begin_ns, command_ns; /* of the recorder and the command; 0: not begun */
	uint64_t end_ns;	       /* from then on it has to end; 0: not yet */
	uint64_t cpu_ns, cpu_end_ns;   /* the recorder's CPU time, now and at end_ns */
};

static uint64_t ms(long count)
{
	return (uint64_t)count * 1000000;
}

/* Kernels since 6.2 state the number of open files, without a list of thousands. */
static long count_files(pid_t pid)
{
	char path[64];
	struct stat fd;
	long files = 0;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	if (stat(path, &fd) == 0 && fd.st_size > 0)
		return fd.st_size;
	fds = opendir(path);
	while (fds && readdir(fds))
		files++;
	if (fds)
		closedir(fds);
	return files;
}

static void look(struct watch *watch)
{
	char path[64], line[256];
	struct timespec cpu;
	clockid_t clock;
	FILE *status;
	long files;

	if (clock_getcpuclockid(watch->recorder, &clock) == 0 && clock_gettime(clock, &cpu) == 0)
		watch->cpu_ns = (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)watch->recorder);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmHWM: %ld", &watch->memory_kb) == 1)
			break;
	if (status)
		fclose(status);
	files = count_files(watch->recorder);
	if (files > watch->files)
		watch->files = files;
}

static void set_end(struct watch *watch, uint64_t now_ns)
{
	watch->end_ns = now_ns;
	watch->cpu_end_ns = watch->cpu_ns;
}

static void find_command(struct watch *watch)
{
	FILE *file = fopen("attack.pid", "re");
	int pid;

	if (file && fscanf(file, "%d", &pid) == 1) {
		watch->command = (int)syscall(SYS_pidfd_open, pid, 0);
		watch->command_ns = monotonic_ns();
		if (watch->command < 0) /* the command has ended already */
			set_end(watch, watch->command_ns);
	}
	if (file)
		fclose(file);
}

static bool has_command_ended(const struct watch *watch)
{
	struct pollfd end = {.fd = watch->command, .events = POLLIN};

	return watch->command >= 0 && poll(&end, 1, 0) > 0;
}

/* Kills all descendants of this process, which inherits them. */
static void kill_left(void)
{
	char path[64];
	int tries = 400, pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	do {
		FILE *children = fopen(path, "re");

		while (children && fscanf(children, "%d", &pid) == 1)
			kill(pid, SIGKILL);
		if (children)
			fclose(children);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		usleep(STEP_MS * 1000);
	} while (--tries && waitpid(-1, NULL, WNOHANG) >= 0);
}

static bool is_late(const struct watch *watch, uint64_t now_ns, long late_ms)
{
	if (!watch->end_ns)
		return now_ns > watch->begin_ns + ms(COMMAND_MS);
	return watch->cpu_ns > watch->cpu_end_ns + ms(late_ms) ||
	       now_ns > watch->end_ns + ms(late_ms * WALL_TIMES);
}

/* Returns true if it has ended by itself. */
static bool wait_for_end(struct watch *watch, int *status, long late_ms, int number, long after_ms)
{
	for (;;) {
		uint64_t now_ns = monotonic_ns();
		pid_t pid;

		while ((pid = waitpid(-1, status, WNOHANG)) > 0)
			if (pid == watch->recorder)
				return true;
		look(watch);
		if (watch->command < 0 && !watch->end_ns)
			find_command(watch);
		if (!watch->end_ns && number && watch->command_ns &&
		    now_ns >= watch->command_ns + ms(after_ms)) {
			kill(watch->recorder, number);
			set_end(watch, now_ns);
		}
		if (!watch->end_ns && !number && has_command_ended(watch))
			set_end(watch, now_ns);
		if (is_late(watch, now_ns, late_ms))
			return false;
		usleep(STEP_MS * 1000);
	}
}

int main(int count, char **words)
{
	struct watch watch = {.command = -1, .begin_ns = monotonic_ns()};
	int status = 0;

	if (count < 5)
		return 2;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	watch.recorder = fork();
	if (watch.recorder == 0) {
		execv(words[4], words + 4);
		_exit(127);
	}
	printf("pid %d\n", (int)watch.recorder);
	if (!wait_for_end(&watch, &status, atol(words[1]), atoi(words[2]), atol(words[3]))) {
		kill(watch.recorder, SIGKILL);
		printf("status killed\nlate_ms -1\n");
	} else {
		printf("%s %d\n", WIFSIGNALED(status) ? "signal" : "status",
		       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		printf("late_ms %ld\n",
		       watch.end_ns ? (long)((monotonic_ns() - watch.end_ns) / 1000000) : 0);
	}
	printf("cpu_ms %ld\n",
	       watch.end_ns ? (long)((watch.cpu_ns - watch.cpu_end_ns) / 1000000) : 0);
	printf("memory_kb %ld\nfiles %ld\n", watch.memory_kb, watch.files);
	fflush(stdout);
	kill_left();
	return 0;
}
