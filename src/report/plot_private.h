/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The script of a plot, for the file that writes it and the file that draws it. */
#ifndef PSCAL_REPORT_PLOT_PRIVATE_H
#define PSCAL_REPORT_PLOT_PRIVATE_H

#include "report/plot.h"

/* Returns the script so far, borrowed until something is added. */
const char *plot_script_get(struct plot_script *script);
void plot_script_free(struct plot_script *script);

/*
 * Returns the drawing in lines of `columns` characters, which the caller frees; NULL with an error.
 */
char *plot_with_characters(struct plot_script *script, int columns, int rows, struct err *err);

#endif
