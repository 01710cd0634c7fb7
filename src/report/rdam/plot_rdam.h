/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The row that costs most as a picture: how its durations are spread, what was lost with which of
 * them and why, and in which threads.
 */
#ifndef PSCAL_REPORT_RDAM_PLOT_RDAM_H
#define PSCAL_REPORT_RDAM_PLOT_RDAM_H

#include "report/rdam/rdam_view.h"

struct err;

/*
 * Of what view->path names, into the file `path` as plot_save says. The view's rdam has the classes
 * of its first row. 0, or -1 with a sentence.
 */
int plot_rdam(const struct rdam_view *view, const char *path, struct err *err);

#endif
