/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plans the watching of functions of one file, and explains why some are left out: those that are
 * not known to be safe.
 *
 *  - functions excluded by their name or file (function_list.h);
 *  - code that the unwind table (code/probe_place.h) lacks, or marks as not called;
 *  - functions without room for a jump, or that may jump to their own entry (entry_patch.h);
 *  - functions that read their return address, or return elsewhere (entry_patch.h);
 *  - functions into which another function jumps (entry_jumps_find()).
 */
#ifndef PSCAL_COLLECT_PATCH_OBJECT_PATCHES_H
#define PSCAL_COLLECT_PATCH_OBJECT_PATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/patch/function_list.h"
#include "probe/patch_plan.h"

struct object_patch {
	struct plan_patch patch; /* except its name */
	const char *why;	 /* NULL, or a text that continues the function's name */
};

/*
 * Returns a patch for each of `count` functions of `table`, ascending by place. `forbidden` is a
 * reason against all of them, or NULL. The caller frees the patches.
 */
struct object_patch *object_patches_make(const struct function_table *table,
					 const struct listed_function *functions, size_t count,
					 const char *forbidden);

/*
 * Finds jumps behind the first instruction of an entry that is to be changed, as in assembly
 * functions that share code (mempcpy continues in memmove).
 *
 * Jumps and calls of 32 bits are searched at every byte, so that none is missed, except inside of
 * another instruction as decoded from the beginning of its function. Those of 8 bits are searched
 * in instructions, from known beginnings of functions on. Jumps by a register are not seen, except
 * within the function (entry_patch.h).
 */

struct changed_entry {
	uint64_t address, length; /* the bytes that are overwritten */
	bool jumped_into;
};

/*
 * Sets jumped_into. `entries` ascend by address, as do the `starts` of functions. `code` is the
 * executable code of the file, or a contiguous part, at `address`.
 */
void entry_jumps_find(struct changed_entry *entries, size_t count, const uint8_t *code, size_t size,
		      uint64_t address, const uint64_t *starts, size_t start_count);

#endif
