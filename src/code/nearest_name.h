/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What somebody may have meant who has named no function that there is. */
#ifndef PSCAL_CODE_NEAREST_NAME_H
#define PSCAL_CODE_NEAREST_NAME_H

struct function_table;

/*
 * At most three names that are few letters away from `glob`, or contain what it has beside its
 * stars, the nearest first: "a, b, c", to be freed. Empty: none is.
 */
char *nearest_names(const struct function_table *table, const char *glob);

#endif
