/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which counters of a recording are to be shown, as --show NAME,... says. */
#ifndef PSCAL_CMD_OPTIONS_SHOWN_COUNTERS_H
#define PSCAL_CMD_OPTIONS_SHOWN_COUNTERS_H

#include <stddef.h>

struct err;

/*
 * Which of `count` names `text` has, with commas between, or all of them for "all"; none for NULL.
 * The caller frees *shown. Returns 0, or -1 with a sentence where there is no such counter.
 */
int shown_counters_find(size_t **shown, size_t *shown_count, const char *text,
			const char *const *names, size_t count, struct err *err);

#endif
