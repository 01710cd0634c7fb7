/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts jumps to block_stub.S at the entries of functions, as a plan says. What differs from the
 * plan is left alone, with a sentence for the user.
 */
#ifndef PSCAL_PROBE_PATCHER_H
#define PSCAL_PROBE_PATCHER_H

#include <stddef.h>

struct plan_header;

/*
 * Applies `plan`, the whole file of `length` bytes, which must stay mapped. The caller has only one
 * thread. Returns the number of functions that are watched now.
 */
size_t patcher_apply(const struct plan_header *plan, size_t length);

#endif
