/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/conditions.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/printable.h"
#include "collect/kernel/cpu_list.h"
#include "collect/kernel/proc_stat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* --- Cores ------------------------------------------------------------------------------------ */

/* Reads the CPUs of the core of `cpu`; none if unknown. */
static void read_core(struct cpu_list *core, int cpu, const char *sys)
{
	/* The second is the name in kernels before 5.3. */
	static const char *const names[] = {"core_cpus_list", "thread_siblings_list"};
	struct err err;
	char path[512];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/cpu%d/topology/%s", sys, cpu, names[i]);
		if (cpu_list_read(core, path, &err) == 0)
			return;
	}
}

/* Returns the number of allowed CPUs of its core with a smaller number. */
static int rank_of(int cpu, const struct cpu_mask *allowed, const char *sys)
{
	struct cpu_list core = {0};
	int rank = 0;

	read_core(&core, cpu, sys);
	for (size_t i = 0; i < core.count && core.cpus[i] < cpu; i++)
		rank += allowed->has[core.cpus[i]];
	cpu_list_release(&core);
	return rank;
}

void cpu_order(struct cpu_list *order, const struct cpu_mask *allowed, const char *sys)
{
	int *ranks = xcalloc(CPU_LIST_MAX, sizeof(*ranks));
	size_t count = 0;

	for (int cpu = 0; cpu < CPU_LIST_MAX; cpu++) {
		ranks[cpu] = allowed->has[cpu] ? rank_of(cpu, allowed, sys) : -1;
		count += allowed->has[cpu];
	}
	*order = (struct cpu_list){.cpus = xcalloc(count, sizeof(*order->cpus))};
	for (int rank = 0; order->count < count; rank++)
		for (int cpu = 0; cpu < CPU_LIST_MAX; cpu++)
			if (ranks[cpu] == rank)
				order->cpus[order->count++] = cpu;
	free(ranks);
}

size_t cpu_order_cores(const struct cpu_mask *mask, const char *sys)
{
	size_t cores = 0;

	for (int cpu = 0; cpu < CPU_LIST_MAX; cpu++)
		cores += mask->has[cpu] && rank_of(cpu, mask, sys) == 0;
	return cores;
}

/* --- CPU time --------------------------------------------------------------------------------- */

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };

double cpu_busy_s(const char *root)
{
	char *path = xasprintf("%s/proc/stat", root);
	unsigned long long ticks[COLUMNS] = {0};
	/* Kernels before 2.6.11 have fewer columns. Time of guests is included in user. */
	int read = proc_scan(path, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[USER],
			     &ticks[NICE], &ticks[SYSTEM], &ticks[IDLE], &ticks[IOWAIT],
			     &ticks[IRQ], &ticks[SOFTIRQ], &ticks[STEAL]);

	free(path);
	if (read < COLUMNS)
		return -1;
	return (double)(ticks[USER] + ticks[NICE] + ticks[SYSTEM] + ticks[IRQ] + ticks[SOFTIRQ] +
			ticks[STEAL]) /
	       (double)sysconf(_SC_CLK_TCK);
}

double cpu_busy_others(double busy_s, double cpu_s, double wall_s)
{
	double others;

	if (busy_s < 0 || cpu_s < 0 || wall_s < CPU_BUSY_SHORTEST_S)
		return -1;
	others = (busy_s - cpu_s) / wall_s;
	return others > 0 ? others : 0;
}

/* --- Conditions ------------------------------------------------------------------------------- */

/* Returns the first line of a file; NULL: none. */
static char *first_line(const char *root, const char *path)
{
	char *name = xasprintf("%s%s", root, path);
	char line[512], *found = NULL;

	if (proc_scan(name, "%511[^\n]", line) == 1)
		found = xstrdup(line);
	free(name);
	return found;
}

/* Returns the word for a file with "1" or "0"; NULL for other contents. */
static char *word_for(const char *root, const char *path, const char *one, const char *zero)
{
	char *line = first_line(root, path);
	const char *word = NULL;

	if (line && strcmp(line, "1") == 0)
		word = one;
	else if (line && strcmp(line, "0") == 0)
		word = zero;
	free(line);
	return word ? xstrdup(word) : NULL;
}

static char *tell_host(const char *root)
{
	struct utsname uts;

	(void)root;
	return uname(&uts) ? NULL : xstrdup(uts.nodename);
}

static char *tell_kernel(const char *root)
{
	struct utsname uts;

	(void)root;
	return uname(&uts) ? NULL : xasprintf("%s %s %s", uts.sysname, uts.release, uts.machine);
}

static char *tell_allowed(const char *root)
{
	struct cpu_mask mask = {{false}};

	(void)root;
	return cpu_mask_add_affinity(&mask, 0) ? NULL : cpu_mask_format(&mask);
}

/* Lists the CPUs online; none if unknown. The caller releases the list. */
static void list_online(struct cpu_list *online, const char *root)
{
	char *path = xasprintf("%s" CPU_ORDER_SYS "/online", root);
	struct err err;

	if (cpu_list_read(online, path, &err))
		online->count = 0;
	free(path);
}

/* Returns "8 on 4 cores": all CPUs online, and their cores. */
static char *tell_threads(const char *root)
{
	char *sys = xasprintf("%s" CPU_ORDER_SYS, root), *text = NULL;
	struct cpu_mask mask = {{false}};
	struct cpu_list online;

	list_online(&online, root);
	for (size_t i = 0; i < online.count; i++)
		mask.has[online.cpus[i]] = true;
	if (online.count)
		text = xasprintf("%zu on %zu cores", online.count, cpu_order_cores(&mask, sys));
	cpu_list_release(&online);
	free(sys);
	return text;
}

/* Returns the governor of all CPUs online, or "mixed". */
static char *tell_governor(const char *root)
{
	struct cpu_list online;
	char *all = NULL;

	list_online(&online, root);
	for (size_t i = 0; i < online.count; i++) {
		char *path =
			xasprintf(CPU_ORDER_SYS "/cpu%d/cpufreq/scaling_governor", online.cpus[i]);
		char *one = first_line(root, path);
		bool differs = all && (!one || strcmp(all, one) != 0);

		free(path);
		free(all);
		all = one;
		if (!differs)
			continue;
		free(one);
		all = xstrdup("mixed");
		break;
	}
	cpu_list_release(&online);
	return all;
}

static char *tell_boost(const char *root)
{
	char *word = word_for(root, "/sys/devices/system/cpu/cpufreq/boost", "on", "off");

	if (!word) /* intel_pstate has the opposite meaning */
		word = word_for(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", "off", "on");
	return word;
}

static char *tell_smt(const char *root)
{
	return word_for(root, "/sys/devices/system/cpu/smt/active", "on", "off");
}

/* Returns the first three words: the means over 1, 5 and 15 minutes, proc(5). */
static char *tell_load(const char *root)
{
	char *line = first_line(root, "/proc/loadavg");
	char *end = line;

	for (int words = 0; end && words < 3; words++)
		end = strchr(words ? end + 1 : end, ' ');
	if (end)
		*end = '\0';
	return line;
}

static char *tell_date(const char *root)
{
	(void)root;
	return conditions_date();
}

/* The conditions: the first line of a file, or the result of a function. */
static const struct {
	const char *key, *path;
	char *(*tell)(const char *root);
	bool lasting;
} facts[] = {
	{"date", NULL, tell_date, false},
	{"host", NULL, tell_host, true},
	{"kernel", NULL, tell_kernel, true},
	{"cpu", NULL, cpu_model, true},
	{"cpus_online", CPU_ORDER_SYS "/online", NULL, true},
	{"cpus_allowed", NULL, tell_allowed, true},
	{"cpu_threads", NULL, tell_threads, true},
	{"numa_nodes", "/sys/devices/system/node/online", NULL, true},
	{"governor", NULL, tell_governor, true},
	{"boost", NULL, tell_boost, true},
	{"smt", NULL, tell_smt, true},
	{"load", NULL, tell_load, false},
};
_Static_assert(sizeof(facts) / sizeof(facts[0]) <= CONDITIONS_MAX, "there is room for all");

void conditions_read(struct conditions *conditions, const char *root)
{
	*conditions = (struct conditions){.count = sizeof(facts) / sizeof(facts[0])};
	for (int i = 0; i < conditions->count; i++) {
		char *value = facts[i].path ? first_line(root, facts[i].path) : facts[i].tell(root);

		if (!value || !*value) {
			free(value);
			value = xstrdup("unknown");
		}
		printable_mend(value);
		conditions->items[i] = (struct condition){facts[i].key, value, facts[i].lasting};
	}
}

void conditions_release(struct conditions *conditions)
{
	for (int i = 0; i < conditions->count; i++)
		free(conditions->items[i].value);
	*conditions = (struct conditions){.count = 0};
}

double conditions_load(const char *root)
{
	char *path = xasprintf("%s/proc/loadavg", root);
	double load;

	if (!proc_scan(path, "%lf", &load))
		load = -1;
	free(path);
	return load;
}

char *conditions_date(void)
{
	time_t now = time(NULL);
	struct tm parts;
	char text[32];

	gmtime_r(&now, &parts);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	return xstrdup(text);
}
