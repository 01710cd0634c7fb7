/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts jumps to block_stub.S at the entries of functions, as a plan says. What is not as the plan
 * has it is left alone, with a sentence for the user.
 */
#ifndef PSCAL_PROBE_PATCHER_H
#define PSCAL_PROBE_PATCHER_H

#include <stddef.h>

struct plan_header;

/*
 * `plan` is the whole file, `length` bytes, which stay where they are. To be called while there is
 * one thread. Returns how many functions are watched now.
 */
size_t patcher_apply(const struct plan_header *plan, size_t length);

#endif
