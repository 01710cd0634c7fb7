/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The script of a plot, for the file that writes it and the one that draws it. */
#ifndef PSCAL_REPORT_PLOT_PRIVATE_H
#define PSCAL_REPORT_PLOT_PRIVATE_H

#include "report/plot.h"

/* All of it so far. Borrowed until something is added. */
const char *plot_script_get(struct plot_script *script);
void plot_script_free(struct plot_script *script);

/* The drawing in lines of `columns` characters. NULL with a sentence. The caller frees. */
char *plot_with_characters(struct plot_script *script, int columns, int rows, struct err *err);

#endif
