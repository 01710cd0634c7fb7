/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/uprobes.h"

#include "base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "pscal_"

void uprobes_group(char group[UPROBES_GROUP_SIZE], const char *purpose, pid_t pid)
{
	snprintf(group, UPROBES_GROUP_SIZE, PREFIX "%s_%d", purpose, (int)pid);
}

const char *uprobes_argument(unsigned number)
{
	static const char *const registers[UPROBES_ARGUMENTS] = {
#if defined(__x86_64__)
		"%di",
		"%si",
		"%dx",
		"%cx",
#elif defined(__aarch64__)
		"%x0",
		"%x1",
		"%x2",
		"%x3",
#elif defined(__riscv)
		"%a0",
		"%a1",
		"%a2",
		"%a3",
#else
		NULL,
#endif
	};

	return number < UPROBES_ARGUMENTS ? registers[number] : NULL;
}

/* --- Commands to tracefs ------------------------------------------------------------------- */

/* Returns 0, or errno. */
static int command(const char *root, const char *line)
{
	char *path = xasprintf("%s/uprobe_events", root);
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), code = 0;

	free(path);
	if (fd < 0)
		return errno;
	if (write(fd, line, strlen(line)) != (ssize_t)strlen(line))
		code = errno;
	close(fd);
	return code;
}

/* The kernel may still be putting away a perf event that was on it. */
static void remove_event(const char *root, const char *group, const char *name)
{
	enum { TRIES = 20, PAUSE_US = 10000 };
	char *line = xasprintf("-:%s/%s\n", group, name);

	for (int i = 0; i < TRIES && command(root, line) == EBUSY; i++)
		usleep(PAUSE_US);
	free(line);
}

/* --- What others have left ----------------------------------------------------------------- */

/* The number that a group of ours ends in is that of a process, which is no longer there. */
static bool is_left_over(const char *group)
{
	const char *number = strrchr(group, '_');
	char *end;
	long pid;

	if (strncmp(group, PREFIX, strlen(PREFIX)) != 0 || number[1] < '0' || number[1] > '9')
		return false;
	pid = strtol(number + 1, &end, 10);
	return !*end && pid == (pid_t)pid && kill((pid_t)pid, 0) && errno == ESRCH;
}

static void remove_group(const char *root, const char *group)
{
	char *path = xasprintf("%s/events/%s", root, group);
	DIR *events = opendir(path);
	const struct dirent *event;

	free(path);
	while (events && (event = readdir(events)))
		if (event->d_type == DT_DIR && *event->d_name != '.')
			remove_event(root, group, event->d_name);
	if (events)
		closedir(events);
}

static void remove_left_overs(const struct uprobes *probes)
{
	char *path = xasprintf("%s/events", probes->root);
	DIR *groups = opendir(path);
	const struct dirent *group;

	free(path);
	while (groups && (group = readdir(groups)))
		if (strcmp(group->d_name, probes->group) == 0 || is_left_over(group->d_name))
			remove_group(probes->root, group->d_name);
	if (groups)
		closedir(groups);
}

/* --- Making them --------------------------------------------------------------------------- */

void uprobes_init(struct uprobes *probes, const char *root, const char *purpose)
{
	*probes = (struct uprobes){.root = xstrdup(root)};
	uprobes_group(probes->group, purpose, getpid());
	remove_left_overs(probes);
}

int uprobes_add(struct uprobes *probes, const struct uprobe *probe)
{
	char *line;
	int code;

	/* A word of the path behind a blank would be taken for an argument. */
	if (strpbrk(probe->path, " \t\n"))
		return EINVAL;
	line = xasprintf("%c:%s/%s %s:0x%" PRIx64 " %s\n", probe->at_return ? 'r' : 'p',
			 probes->group, probe->event, probe->path, probe->offset, probe->argument);
	code = command(probes->root, line);
	free(line);
	if (code || uprobes_has(probes, probe->event))
		return code;
	array_reserve(&probes->names, &probes->capacity, probes->count + 1);
	probes->names[probes->count++] = xstrdup(probe->event);
	return 0;
}

bool uprobes_has(const struct uprobes *probes, const char *event)
{
	for (size_t i = 0; i < probes->count; i++)
		if (strcmp(probes->names[i], event) == 0)
			return true;
	return false;
}

void uprobes_release(struct uprobes *probes)
{
	for (size_t i = 0; i < probes->count; i++) {
		remove_event(probes->root, probes->group, probes->names[i]);
		free(probes->names[i]);
	}
	free(probes->names);
	free(probes->root);
	*probes = (struct uprobes){.count = 0};
}
