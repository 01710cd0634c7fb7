/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/cpu_busy.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };

double cpu_busy_s(const char *root)
{
	char *path = xasprintf("%s/proc/stat", root);
	FILE *file = fopen(path, "re");
	unsigned long long ticks[COLUMNS] = {0};
	int read = 0;

	free(path);
	if (!file)
		return -1;
	/* Kernels before 2.6.11 have fewer columns; what runs as a guest is in user already. */
	read = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[USER],
		      &ticks[NICE], &ticks[SYSTEM], &ticks[IDLE], &ticks[IOWAIT], &ticks[IRQ],
		      &ticks[SOFTIRQ], &ticks[STEAL]);
	fclose(file);
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
