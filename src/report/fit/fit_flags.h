/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What to know before believing a fit, in a word each: the same words in every format, for
 * programs that read them. The sentences are in fit_warnings.
 */
#ifndef PSCAL_REPORT_FIT_FIT_FLAGS_H
#define PSCAL_REPORT_FIT_FIT_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

struct fit_view;

enum { FIT_FLAGS = 16, POINT_FLAGS = 4 }; /* words at most */

/* Of the fit. Returns how many. */
size_t fit_flags(const char *words[FIT_FLAGS], const struct fit_view *view);

/* Of one of its points. */
size_t fit_point_flags(const char *words[POINT_FLAGS], const struct fit_view *view, size_t point);

/* Fewer points than that let a single one turn the result. */
enum { FIT_ENOUGH_POINTS = 6 };

/* Are the rows out of the order of N, with each N there once? Repeated ones often come in rounds,
 * and mixed on purpose. */
bool fit_is_unsorted(const struct fit_view *view);

#endif
