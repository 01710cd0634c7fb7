/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The name of the code of a task for people. */
#ifndef PSCAL_REPORT_DAG_TASK_NAME_H
#define PSCAL_REPORT_DAG_TASK_NAME_H

#include <stddef.h>

/*
 * gcc makes of the body of an OpenMP construct a function of its own: "fib._omp_fn.1", which is
 * "fib [clone ._omp_fn.1]" with parameters in front, is "fib (task 1)". Other names are as they
 * are. To be freed.
 */
char *task_name(const char *function, size_t length);

#endif
