/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/memory_room.h"

#include "base/alloc.h"
#include "collect/target/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t available(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	uint64_t kib = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib * 1024;
}

/* `missing` where the file is not there, or says "max". */
static uint64_t read_number(const char *group, const char *name, uint64_t missing)
{
	char *path = xasprintf(CGROUP_ROOT "%s/%s", group, name);
	FILE *file = fopen(path, "re");
	uint64_t number;

	if (!file || fscanf(file, "%" SCNu64, &number) != 1)
		number = missing;
	if (file)
		fclose(file);
	free(path);
	return number;
}

/* The line of version 2 is "0::/GROUP". */
static char *own_group(void)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[4096], *group = NULL;

	while (file && !group && fgets(line, sizeof(line), file))
		if (strncmp(line, "0::/", 4) == 0)
			group = xstrdup(line + 3);
	if (file)
		fclose(file);
	if (group)
		group[strcspn(group, "\n")] = '\0';
	return group;
}

/* The kernel first gives up pages of files, which can be read again. */
static uint64_t reclaimable(const char *group)
{
	char *path = xasprintf(CGROUP_ROOT "%s/memory.stat", group), line[256];
	FILE *file = fopen(path, "re");
	uint64_t bytes = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "inactive_file %" SCNu64, &bytes) == 1)
			break;
	if (file)
		fclose(file);
	free(path);
	return bytes;
}

static uint64_t left_in_groups(void)
{
	char *group = own_group();
	uint64_t left = UINT64_MAX;

	while (group && *group) {
		uint64_t limit = read_number(group, "memory.max", UINT64_MAX);
		uint64_t used = read_number(group, "memory.current", 0);

		used -= least(used, reclaimable(group));
		left = least(left, limit > used ? limit - used : 0);
		*strrchr(group, '/') = '\0';
	}
	free(group);
	return left;
}

uint64_t memory_room(void)
{
	return least(available(), left_in_groups());
}
