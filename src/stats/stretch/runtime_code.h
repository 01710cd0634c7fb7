/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that does not belong to what a program has to do, but to its being done in parallel: by
 * names, which are all in a table of runtime_code.c. It is that of
 *
 *  - the runtimes of OpenMP and of tasks (libgomp, libomp, libiomp5, libtbb, libopencilk) and
 *    pscal's own libraries;
 *  - the functions of the C library, and those of C++, that make threads and let them wait for each
 *    other (pthread_*, sem_*, futexes, ...), with what the kernel does for these.
 *
 * Loops that wait are known by their instructions (wait_loop.h). Where these are too long for that,
 * by the names that are in the table as well: libomp's __kmp_wait_*; by their reading the time
 * stamp counter (stretch_places.c); or by how long threads are in them (waiting_runs.h), as in
 * sched_yield, which libomp calls after each task.
 */
#ifndef PSCAL_STATS_STRETCH_RUNTIME_CODE_H
#define PSCAL_STATS_STRETCH_RUNTIME_CODE_H

enum code_part {
	CODE_OF_PROGRAM,
	CODE_OF_RUNTIME,
	CODE_OF_WAITING, /* in a runtime, which does nothing but wait there */
	CODE_OF_LIBRARY, /* that of C: it is what its caller is */
};

/* `path` is that of the file that it is in, `function` NULL where it is not known. */
enum code_part runtime_code_part(const char *path, const char *function);

#endif
