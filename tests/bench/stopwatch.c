/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stopwatch FILE COMMAND [ARG...]: runs a command and writes to FILE "WALL_S OWN_CPU_S PEAK_BYTES":
 * its wall time, and the CPU time and peak memory of the command itself. Unlike those of time(1),
 * they exclude the children of the command, such as the target of a recorder. Exits as the command.
 */
#include "../workloads/meter.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads a line of /proc, without its end. */
static int read_line(char *out, size_t size, pid_t pid, const char *name)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file = fopen(path, "r");
	if (!file)
		return -1;
	if (!fgets(out, (int)size, file))
		*out = '\0';
	return fclose(file);
}

/*
 * The CPU time of a process that has ended but was not waited for. schedstat counts nanoseconds,
 * but only of the first thread; stat counts all threads, but in ticks, rounded down. So the larger
 * one.
 */
static double own_cpu_s(pid_t pid)
{
	char line[1024];
	const char *after_name;
	unsigned long user, system;
	double ns = 0, ticks_s = 0;

	if (read_line(line, sizeof(line), pid, "schedstat") == 0)
		ns = strtod(line, NULL);
	if (read_line(line, sizeof(line), pid, "stat") == 0) {
		after_name = strrchr(line, ')');
		if (after_name &&
		    sscanf(after_name, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
			   &user, &system) == 2)
			ticks_s = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
	}
	return ns / 1e9 > ticks_s ? ns / 1e9 : ticks_s;
}

/* The peak memory of a process that has ended; or that of one of its children, if larger. */
static long peak_bytes(pid_t pid)
{
	struct rusage usage;

	return wait4(pid, NULL, 0, &usage) == pid ? usage.ru_maxrss * 1024 : 0;
}

static int write_taken(const char *path, double wall_s, double taken_s, long bytes)
{
	FILE *file = fopen(path, "w");

	if (!file || fprintf(file, "%.6f %.6f %ld\n", wall_s, taken_s, bytes) < 0 || fclose(file)) {
		perror(path);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t begin_ns = now_ns(CLOCK_MONOTONIC);
	siginfo_t info;
	double wall_s, taken_s;
	pid_t pid;

	if (argc < 3) {
		fputs("Usage: stopwatch FILE COMMAND [ARG...]\n", stderr);
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT)) {
		perror("stopwatch");
		return 1;
	}
	wall_s = (double)(now_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9;
	taken_s = own_cpu_s(pid);
	if (write_taken(argv[1], wall_s, taken_s, peak_bytes(pid)))
		return 1;
	return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}
