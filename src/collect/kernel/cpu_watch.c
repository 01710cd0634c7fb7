/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/cpu_watch.h"

#include "base/alloc.h"
#include "base/err.h"

enum { INTERVAL_NS = 1000000000 };

int cpu_watch_begin(struct cpu_watch *watch, const char *path, uint64_t now_ns, struct err *err)
{
	*watch = (struct cpu_watch){.path = path, .next_ns = now_ns + INTERVAL_NS};
	return cpu_list_read(&watch->online, path, err);
}

static bool has(const struct cpu_list *list, int cpu)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->cpus[i] == cpu)
			return true;
	return false;
}

void cpu_watch_look(struct cpu_watch *watch, uint64_t now_ns, struct cpu_list *fresh)
{
	struct cpu_list online;
	struct err ignored;

	*fresh = (struct cpu_list){0};
	if (now_ns < watch->next_ns)
		return;
	watch->next_ns = now_ns + INTERVAL_NS;
	if (cpu_list_read(&online, watch->path, &ignored))
		return;
	fresh->cpus = xcalloc(online.count, sizeof(*fresh->cpus));
	for (size_t i = 0; i < online.count; i++)
		if (!has(&watch->online, online.cpus[i]))
			fresh->cpus[fresh->count++] = online.cpus[i];
	cpu_list_release(&watch->online);
	watch->online = online;
}

void cpu_watch_release(struct cpu_watch *watch)
{
	cpu_list_release(&watch->online);
}
