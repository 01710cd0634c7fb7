/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is to be said of a fit besides its numbers: where the points, the curve or what is asked of
 * it deserve less trust than they look like.
 */
#ifndef PSCAL_REPORT_FIT_FIT_WARNINGS_H
#define PSCAL_REPORT_FIT_FIT_WARNINGS_H

#include <stddef.h>

struct fit_view;

/* A whole sentence each. The caller frees them, and the array. */
char **fit_warnings(size_t *count, const struct fit_view *view);

#endif
