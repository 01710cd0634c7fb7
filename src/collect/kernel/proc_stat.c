/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/proc_stat.h"

#include "base/alloc.h"
#include "base/parse.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void copy_comm(char *out, const char *from, const char *end)
{
	size_t length = (size_t)(end - from);

	if (length >= PROC_COMM_SIZE)
		length = PROC_COMM_SIZE - 1;
	for (size_t i = 0; i < length; i++)
		out[i] = iscntrl((unsigned char)from[i]) ? '?' : from[i];
	out[length] = '\0';
}

/* Returns the start, field 22 of proc(5). `fields` begins with field 3, the state. */
static uint64_t start_of(const char *fields)
{
	enum { AFTER_STATE = 22 - 3 };

	fields += strspn(fields, " ");
	for (int i = 0; fields && i < AFTER_STATE; i++) {
		fields = strchr(fields, ' ');
		fields += fields != NULL;
	}
	return fields ? strtoull(fields, NULL, 10) : 0;
}

static int parse_stat(struct proc_stat *stat, const char *text)
{
	const char *open = strchr(text, '(');
	const char *close = strrchr(text, ')'); /* after the name there are only numbers */

	if (!open || !close || close < open)
		return -1;
	if (sscanf(text, "%d", &stat->id) != 1)
		return -1;
	if (sscanf(close + 1, " %c %d", &stat->state, &stat->parent) != 2)
		return -1;
	stat->start_ticks = start_of(close + 1);
	copy_comm(stat->comm, open + 1, close);
	return 0;
}

int proc_stat_read(struct proc_stat *stat, const char *path)
{
	return proc_stat_read_at(stat, AT_FDCWD, path);
}

int proc_stat_of(struct proc_stat *stat, const char *proc, pid_t pid, pid_t tid)
{
	char path[256];

	if (tid)
		snprintf(path, sizeof(path), "%s/%d/task/%d/stat", proc, (int)pid, (int)tid);
	else
		snprintf(path, sizeof(path), "%s/%d/stat", proc, (int)pid);
	return proc_stat_read(stat, path);
}

int proc_stat_read_at(struct proc_stat *stat, int dir, const char *path)
{
	char text[1024]; /* enough for the fields up to the start */
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return -1;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return -1;
	text[length] = '\0';
	return parse_stat(stat, text);
}

int proc_ids(pid_t **ids, size_t *count, const char *path)
{
	return proc_ids_at(ids, count, AT_FDCWD, path);
}

int proc_ids_at(pid_t **ids, size_t *count, int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	size_t capacity = 0;

	*ids = NULL;
	*count = 0;
	if (!directory)
		return -1;
	while ((entry = readdir(directory))) {
		uint64_t id;

		if (parse_u64(&id, entry->d_name, INT_MAX))
			continue;
		array_reserve(ids, &capacity, *count + 1);
		(*ids)[(*count)++] = (pid_t)id;
	}
	closedir(directory);
	return 0;
}

int proc_scan(const char *path, const char *format, ...)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int found = 0;

	while (file && found <= 0 && getline(&line, &size, file) > 0) {
		va_list args;

		va_start(args, format);
		found = vsscanf(line, format, args);
		va_end(args);
	}
	free(line);
	if (file)
		fclose(file);
	return found > 0 ? found : 0;
}

pid_t proc_process_of(pid_t id, const char *proc)
{
	char path[256];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/%d/status", proc, (int)id);
	return proc_scan(path, "Tgid: %d", &pid) ? pid : 0;
}

uint64_t proc_now_ticks(void)
{
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * hz + (uint64_t)now.tv_nsec * hz / 1000000000;
}

/* Reads a line of a CPU. Times of guests are included in user and nice, proc(5). */
static void read_cpu_line(struct cpu_ticks *cpus, size_t count, const char *line)
{
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal;
	size_t cpu;

	if (sscanf(line,
		   "cpu%zu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &cpu, &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal) != 9 ||
	    cpu >= count)
		return;
	cpus[cpu] = (struct cpu_ticks){user + nice + system + irq + softirq + steal, steal};
}

void proc_cpu_ticks(struct cpu_ticks *cpus, size_t count, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[256];

	memset(cpus, 0, count * sizeof(*cpus));
	while (file && fgets(line, sizeof(line), file) && strncmp(line, "cpu", 3) == 0)
		if (line[3] != ' ')
			read_cpu_line(cpus, count, line);
	if (file)
		fclose(file);
}

struct cpu_ticks proc_cpu_ticks_since(const struct cpu_ticks *now, const struct cpu_ticks *before)
{
	/* A CPU that is starting is busy. */
	if (!before->busy || now->busy < before->busy || now->steal < before->steal)
		return (struct cpu_ticks){0, 0};
	return (struct cpu_ticks){now->busy - before->busy, now->steal - before->steal};
}
