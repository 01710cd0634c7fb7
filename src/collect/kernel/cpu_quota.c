/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/proc_stat.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * --- The group ----------------------------------------------------------------------------------
 */

/* Returns whether a list like "cpu,cpuacct" contains the word. */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
		if (strncmp(at, word, length) == 0 && strcspn(at, ",") == length)
			return true;
	return false;
}

/*
 * Reads the group of a task: "/user/x" of "4:cpu,cpuacct:/user/x" (version 1) or of "0::/user/x".
 * Returns the version; 0: not known.
 */
static int read_group(char group[CPU_QUOTA_PATH], const char *root, pid_t pid)
{
	char *path = pid ? xasprintf("%s/proc/%d/cgroup", root, (int)pid)
			 : xasprintf("%s/proc/self/cgroup", root);
	FILE *file = fopen(path, "re");
	char line[CPU_QUOTA_PATH + 256];
	int version = 0;

	while (version != 1 && file && fgets(line, sizeof(line), file)) {
		char *controllers = strchr(line, ':');
		char *name = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!name || strlen(name) > CPU_QUOTA_PATH)
			continue;
		*name++ = '\0';
		name[strcspn(name, "\n")] = '\0';
		if (controllers[1] && !has_word(controllers + 1, "cpu"))
			continue;
		version = controllers[1] ? 1 : 2;
		strcpy(group, name);
	}
	if (file)
		fclose(file);
	free(path);
	return version;
}

struct group_mount {
	char top[CPU_QUOTA_PATH]; /* the group that is mounted */
	char at[CPU_QUOTA_PATH];  /* ... and its directory */
};

/* Parses "36 35 98:0 /TOP /AT OPTIONS ... - cgroup2 SOURCE OPTIONS", proc_pid_mountinfo(5). */
static bool read_mount(struct group_mount *mount, const char *line, int version)
{
	const char *rest = strstr(line, " - ");
	char kind[32], options[256];

	_Static_assert(CPU_QUOTA_PATH > 1023, "as wide as scanf reads");
	return rest && sscanf(line, "%*s %*s %*s %1023s %1023s", mount->top, mount->at) == 2 &&
	       sscanf(rest, " - %31s %*s %255s", kind, options) == 2 &&
	       strcmp(kind, version == 1 ? "cgroup" : "cgroup2") == 0 &&
	       (version != 1 || has_word(options, "cpu"));
}

/* Finds the mount of the hierarchy, or else takes its usual place. */
static void find_mount(struct group_mount *mount, const char *root, int version)
{
	char *path = xasprintf("%s/proc/self/mountinfo", root);
	FILE *file = fopen(path, "re");
	char line[4096];
	bool found = false;

	while (!found && file && fgets(line, sizeof(line), file))
		found = read_mount(mount, line, version);
	if (!found) {
		strcpy(mount->top, "/");
		strcpy(mount->at, version == 1 ? "/sys/fs/cgroup/cpu" : "/sys/fs/cgroup");
	}
	if (file)
		fclose(file);
	free(path);
}

/* Finds the group's directory below the visible mount. Returns the length of the mount, or -1. */
static int find_directory(char out[CPU_QUOTA_PATH], const struct group_mount *mount,
			  const char *root, const char *group)
{
	size_t top = strcmp(mount->top, "/") ? strlen(mount->top) : 0;
	bool below = strncmp(group, mount->top, top) == 0 && !strstr(group, "/..");
	int length =
		snprintf(out, CPU_QUOTA_PATH, "%s%s%s", root, mount->at, below ? group + top : "");

	while (length > 1 && length < CPU_QUOTA_PATH && out[length - 1] == '/')
		out[--length] = '\0';
	return length < CPU_QUOTA_PATH ? (int)(strlen(root) + strlen(mount->at)) : -1;
}

/*
 * --- The quota and its use ----------------------------------------------------------------------
 */

/* Reads a quota. "150000 100000" are us of CPU time and of the period; version 1 has two files. */
static bool read_limit(struct cpu_quota *quota, const char *directory)
{
	char *path = xasprintf("%s/cpu.max", directory);
	int64_t quota_us = 0, period_us = 0;

	if (proc_scan(path, "%" SCNd64 " %" SCNd64, &quota_us, &period_us) != 2) {
		free(path);
		path = xasprintf("%s/cpu.cfs_period_us", directory);
		proc_scan(path, "%" SCNd64, &period_us);
		strcpy(path + strlen(directory), "/cpu.cfs_quota_us");
		if (!proc_scan(path, "%" SCNd64, &quota_us))
			quota_us = 0;
	}
	free(path);
	if (quota_us <= 0 || period_us <= 0)
		return false;
	quota->quota_ns = (uint64_t)quota_us * 1000;
	quota->period_ns = (uint64_t)period_us * 1000;
	return true;
}

static bool is_tighter(const struct cpu_quota *one, const struct cpu_quota *other)
{
	return !other->quota_ns || (double)one->quota_ns * (double)other->period_ns <
					   (double)other->quota_ns * (double)one->period_ns;
}

int cpu_quota_find(struct cpu_quota *quota, const char *root, pid_t pid)
{
	char group[CPU_QUOTA_PATH], *end;
	struct cpu_quota here;
	struct group_mount mount;
	int version = read_group(group, root, pid), top;

	*quota = (struct cpu_quota){.quota_ns = 0};
	if (!version)
		return -1;
	find_mount(&mount, root, version);
	top = find_directory(here.group, &mount, root, group);
	if (top < 0)
		return -1;
	for (end = here.group + strlen(here.group); end && end - here.group >= top;
	     end = strrchr(here.group, '/')) {
		*end = '\0';
		if (read_limit(&here, here.group) && is_tighter(&here, quota))
			*quota = here;
	}
	return quota->quota_ns ? 0 : -1;
}

int cpu_quota_use(struct cpu_quota_use *use, const char *group)
{
	char *path = xasprintf("%s/cpu.stat", group), *usage = xasprintf("%s/cpuacct.usage", group);
	uint64_t us = 0;
	int rc;

	*use = (struct cpu_quota_use){.periods = 0};
	rc = proc_scan(path, "nr_periods %" SCNu64, &use->periods) ? 0 : -1;
	proc_scan(path, "nr_throttled %" SCNu64, &use->throttled);
	if (!proc_scan(path, "throttled_time %" SCNu64, &use->throttled_ns) &&
	    proc_scan(path, "throttled_usec %" SCNu64, &us))
		use->throttled_ns = us * 1000;
	if (!proc_scan(usage, "%" SCNu64, &use->used_ns) &&
	    proc_scan(path, "usage_usec %" SCNu64, &us))
		use->used_ns = us * 1000;
	free(usage);
	free(path);
	return rc;
}
