/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in the source a step of a task is, as recordings have it: "FUNCTION FILE:LINE", or
 * "FUNCTION+0x12" where the line is not known.
 */
#ifndef PSCAL_STATS_TASKS_SITE_NAME_H
#define PSCAL_STATS_TASKS_SITE_NAME_H

#include <stdint.h>

/* `file` is NULL and `line` 0 where that is not known. */
struct site_name {
	const char *function, *file;
	int function_length, file_length;
	uint32_t line;
};

/*
 * In its parts, which are borrowed. The function is without the offset in it, and what a compiler
 * makes of one counts as that: "sort.part.3" is "sort". But the body of an OpenMP construct is a
 * task of its own: "sort._omp_fn.3" stays that.
 */
struct site_name site_name_of(const char *name);

#endif
