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
 * A reader of instructions. It serves any number of functions, as it takes time to make one. NULL:
 * there is no memory, or no reader for this machine.
 */
struct entry_reader *entry_reader_new(void);
void entry_reader_free(struct entry_reader *reader);

/*
 * Makes the patch of an entry. `reader` may be NULL, which is a reason against it. `code` is the
 * function at the virtual address `address`: `size` bytes, and up to `room` bytes behind them that
 * belong to no function, if they are padding. Fills in *patch except its name. Returns NULL, or the
 * reason against it, a constant text that continues the name of the function.
 */
const char *entry_patch_make(struct plan_patch *patch, struct entry_reader *reader,
			     const uint8_t *code, size_t size, size_t room, uint64_t address);

#endif
