/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_DAG_REPORT_DAG_H
#define PSCAL_REPORT_DAG_REPORT_DAG_H

#include "report/dag/dag_view.h"
#include "report/report.h"

/*
 * All of it: as text what graphviz draws, or only what is to be said of it where it is drawn
 * already; as CSV the nodes, as JSON these, the edges and the facts.
 */
void report_dag(struct report *report, const struct dag_view *view, bool is_drawn);

#endif
