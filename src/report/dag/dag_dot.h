/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The graph of tasks in the language of graphviz (https://graphviz.org/doc/info/lang.html), after
 * comments that say what it shows. The critical path is red and bold.
 */
#ifndef PSCAL_REPORT_DAG_DAG_DOT_H
#define PSCAL_REPORT_DAG_DAG_DOT_H

#include <stdio.h>

#include "report/dag/dag_view.h"

void dag_dot_write(FILE *out, const struct dag_view *view);

#endif
