/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides if a jump can replace the entry of a function, and moves its first instructions. Only
 * safe entries are patched: an entry that cannot be decoded, is too short, or may be a jump target
 * is left out, with the reason.
 */
#ifndef PSCAL_COLLECT_PATCH_ENTRY_PATCH_H
#define PSCAL_COLLECT_PATCH_ENTRY_PATCH_H

#include <stddef.h>
#include <stdint.h>

#include "probe/patch_plan.h"

/*
 * `code` is what stands at the virtual address `address`: `size` bytes of the function, and behind
 * them up to `room` bytes that belong to no function, if they turn out to be padding. Fills in all
 * of *patch but its name. Returns NULL, or why not: a few words after the name of the function,
 * which live for ever.
 */
const char *entry_patch_make(struct plan_patch *patch, const uint8_t *code, size_t size,
			     size_t room, uint64_t address);

#endif
