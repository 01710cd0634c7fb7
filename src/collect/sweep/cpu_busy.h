/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of the machine is in use, by whomever. Source: proc(5), /proc/stat. */
#ifndef PSCAL_COLLECT_SWEEP_CPU_BUSY_H
#define PSCAL_COLLECT_SWEEP_CPU_BUSY_H

#include <stdbool.h>
#include <stdint.h>

/* Shorter than that, and the ticks that the kernel counts in are too coarse. */
#define CPU_BUSY_SHORTEST_S 0.2

/*
 * What all CPUs together have done since the machine was started, in seconds: what ran on them, and
 * what a hypervisor has taken from them. In steps of a tick (10 ms as a rule) and CPU. `root` is
 * where /proc is: "" for this machine. -1 where it cannot be read.
 */
double cpu_busy_s(const char *root);

/*
 * How many CPUs something else kept busy on the average of wall_s, in which the CPUs have worked
 * for busy_s and cpu_s of it was for us. Below 0 where wall_s is too short to tell, or one of the
 * others is below 0: not known.
 */
double cpu_busy_others(double busy_s, double cpu_s, double wall_s);

#endif
