/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/cpu_list.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORD_BITS = 8 * sizeof(unsigned long) };

int cpu_list_read(struct cpu_list *list, const char *path, struct err *err)
{
	FILE *file = fopen(path, "re");
	size_t size = 0;
	uint64_t *numbers;
	char *line = NULL;
	int rc;

	*list = (struct cpu_list){0};
	if (!file)
		return err_set(err, "%s: cannot open: %m", path);
	if (getline(&line, &size, file) < 0) {
		rc = err_set(err, "%s: has no list of CPUs", path);
	} else {
		line[strcspn(line, "\n")] = '\0';
		rc = parse_list(&numbers, &list->count, line, 0, CPU_LIST_MAX - 1, err);
		if (rc)
			err_wrap(err, "%s", path);
	}
	free(line);
	fclose(file);
	if (rc) {
		list->count = 0;
		return -1;
	}
	list->cpus = xcalloc(list->count, sizeof(*list->cpus));
	for (size_t i = 0; i < list->count; i++)
		list->cpus[i] = (int)numbers[i];
	free(numbers);
	return 0;
}

void cpu_list_release(struct cpu_list *list)
{
	free(list->cpus);
	*list = (struct cpu_list){0};
}

size_t cpu_numbers(const char *path, struct err *err)
{
	struct cpu_list possible;
	size_t numbers;

	if (cpu_list_read(&possible, path, err))
		return 0;
	numbers = (size_t)possible.cpus[possible.count - 1] + 1;
	cpu_list_release(&possible);
	return numbers;
}

int cpu_mask_add_affinity(struct cpu_mask *mask, pid_t tid)
{
	unsigned long words[CPU_LIST_MAX / WORD_BITS] = {0};
	/* The C library's function does not return the kernel's number of bytes. */
	long bytes = syscall(SYS_sched_getaffinity, tid, sizeof(words), words);

	if (bytes < 0)
		return -1;
	for (int cpu = 0; cpu < (int)bytes * 8; cpu++)
		if (words[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1)
			mask->has[cpu] = true;
	return 0;
}

bool cpu_mask_is_empty(const struct cpu_mask *mask)
{
	return memchr(mask->has, true, sizeof(mask->has)) == NULL;
}

/* Counts cores. Siblings have the same list, whose first CPU stands for the core. */
size_t cpu_mask_cores(const struct cpu_mask *mask, const char *root)
{
	struct cpu_mask firsts = {{false}};
	size_t count = 0;

	for (int cpu = 0; cpu < CPU_LIST_MAX; cpu++) {
		struct cpu_list siblings;
		struct err ignored;
		char *path;
		int rc;

		if (!mask->has[cpu])
			continue;
		path = xasprintf("%s/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
				 root, cpu);
		rc = cpu_list_read(&siblings, path, &ignored);
		free(path);
		if (rc)
			return 0;
		count += !firsts.has[siblings.cpus[0]];
		firsts.has[siblings.cpus[0]] = true;
		cpu_list_release(&siblings);
	}
	return count;
}

char *cpu_mask_format(const struct cpu_mask *mask)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *comma = "";

	if (!out)
		return xstrdup("");
	for (int first = 0, end; first < CPU_LIST_MAX; first = end + 1) {
		for (end = first; end < CPU_LIST_MAX && mask->has[end]; end++)
			;
		if (end == first)
			continue;
		fprintf(out, "%s%d", comma, first);
		if (end - first > 1)
			fprintf(out, "-%d", end - 1);
		comma = ",";
	}
	fclose(out);
	return text;
}

/* Returns NULL on arm64, which shows only numbers. */
char *cpu_model(const char *root)
{
	char *path = xasprintf("%s/proc/cpuinfo", root);
	FILE *file = fopen(path, "re");
	char *line = NULL, *name = NULL;
	size_t size = 0;

	free(path);
	if (!file)
		return NULL;
	while (!name && getline(&line, &size, file) >= 0) {
		char *colon = strchr(line, ':');

		if (!colon || (strncmp(line, "model name", 10) && strncmp(line, "cpu\t", 4)))
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		colon[strcspn(colon, "\n")] = '\0';
		name = *colon ? xstrdup(colon) : NULL;
	}
	free(line);
	fclose(file);
	return name;
}
