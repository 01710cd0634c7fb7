/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/uprobes.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/kernel/run_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "pscal_"

void uprobes_group(char group[UPROBES_GROUP_SIZE], const char *purpose,
		   const struct run_directory *run)
{
	/* The other digits remain secret. */
	snprintf(group, UPROBES_GROUP_SIZE, PREFIX "%s_%.16s", purpose,
		 run->path ? strrchr(run->path, '/') + 1 : "");
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

int uprobes_explain(struct err *err, int code, const char *instead)
{
	if (code == ENOENT)
		return err_set(err,
			       "the kernel makes no probes on functions, as it lacks "
			       "CONFIG_UPROBE_EVENTS: %s",
			       instead);
	if (code == EACCES || code == EPERM)
		return err_set(err, "this user may not make probes in tracefs: run as root");
	return 0;
}

int uprobes_check(const char *root, struct err *err)
{
	char *path = xasprintf("%s/uprobe_events", root);
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0 && !uprobes_explain(err, errno, "take --probe and --sync=futex"))
		err_set(err, "%s: cannot write: %m", path);
	free(path);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

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

/* Removes an event. The kernel may still be closing a perf event on it. Returns 0, or errno. */
static int remove_event(const char *root, const char *group, const char *name)
{
	enum { TRIES = 100, PAUSE_US = 10000 };
	char *line = xasprintf("-:%s/%s\n", group, name);
	int code = command(root, line);

	for (int i = 0; i < TRIES && code == EBUSY; i++) {
		usleep(PAUSE_US);
		code = command(root, line);
	}
	free(line);
	return code == ENOENT ? 0 : code;
}

/* --- Remains of a killed recorder ---------------------------------------------------------- */

static bool is_ours(const char *group)
{
	return strncmp(group, PREFIX, strlen(PREFIX)) == 0 && strlen(group) < UPROBES_GROUP_SIZE &&
	       strspn(group, "abcdefghijklmnopqrstuvwxyz_0123456789") == strlen(group);
}

int uprobes_undo(const char *root, const char *group)
{
	char *path = xasprintf("%s/events/%s", root, group);
	DIR *events = is_ours(group) ? opendir(path) : NULL;
	const struct dirent *event;
	int removed = 0, code = is_ours(group) && !events && errno != ENOENT ? errno : 0;

	free(path);
	while (!code && events && (event = readdir(events))) {
		if (event->d_type != DT_DIR || *event->d_name == '.')
			continue;
		code = remove_event(root, group, event->d_name);
		removed += !code;
	}
	if (events)
		closedir(events);
	errno = code;
	return code ? -1 : removed;
}

/* --- Making probes --------------------------------------------------------------------------- */

int uprobes_init(struct uprobes *probes, const char *root, const char *purpose,
		 struct run_directory *run, struct err *err)
{
	*probes = (struct uprobes){.root = xstrdup(root), .run = run};
	if (run_directory_open(run, err))
		return -1;
	uprobes_group(probes->group, purpose, run);
	return run_directory_note(run, UPROBES_NOTE, probes->group, err);
}

int uprobes_add(struct uprobes *probes, const struct uprobe *probe)
{
	char *line;
	int code;

	/* tracefs would take a word behind a blank in the path for an argument. */
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
		if (remove_event(probes->root, probes->group, probes->names[i]))
			run_directory_keep(probes->run);
		free(probes->names[i]);
	}
	free(probes->names);
	free(probes->root);
	*probes = (struct uprobes){.count = 0};
}
