/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of tasks as a picture, drawn by graphviz. */
#ifndef PSCAL_REPORT_DAG_PLOT_DAG_H
#define PSCAL_REPORT_DAG_PLOT_DAG_H

#include "report/dag/report_dag.h"

struct err;

/* Returns -1 with a sentence when the ending of the name is not .svg, .png, .pdf, .dot or .gv. */
int plot_dag_check_path(const char *path, struct err *err);

/* Into the file `path`; .dot and .gv are what graphviz is given. 0, or -1 with a sentence. */
int plot_dag(const struct dag_view *view, const char *path, struct err *err);

#endif
