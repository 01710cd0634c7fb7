/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plans the watching of functions of one file, and says why some are left alone: those that are not
 * known to be safe.
 *
 *  - what is to be left alone by its name or its file (function_list.h);
 *  - code that the unwind table (code/probe_place.h) does not know, or says is not called;
 *  - what has no room for a jump, or may jump to its own entry (entry_patch.h);
 *  - what looks at where it was called from, or returns elsewhere (entry_patch.h);
 *  - what another function jumps into (entry_jumps_find()).
 */
#ifndef PSCAL_COLLECT_PATCH_OBJECT_PATCHES_H
#define PSCAL_COLLECT_PATCH_OBJECT_PATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/patch/function_list.h"
#include "probe/patch_plan.h"

struct object_patch {
	struct plan_patch patch; /* but for its name */
	const char *why;	 /* NULL, or words after the name of the function */
};

/*
 * One for each of `count` functions, which rise by place, all of `table`; to be freed. `forbidden`
 * is why not for all of them, or NULL.
 */
struct object_patch *object_patches_make(const struct function_table *table,
					 const struct listed_function *functions, size_t count,
					 const char *forbidden);

/*
 * Looks for jumps behind the first instruction of an entry that is to be changed, as functions in
 * assembly do that share what follows (mempcpy goes on in memmove).
 *
 * Jumps and calls of 32 bits are looked for at every byte, so that none is overlooked but what is
 * inside of another instruction as its function is read from where it begins. Those of 8 bits are
 * looked for in instructions, from where functions are known to begin. Not seen are jumps by a
 * register, other than within the function (entry_patch.h).
 */

struct changed_entry {
	uint64_t address, length; /* what is overwritten */
	bool jumped_into;
};

/*
 * `entries` rise by address, as do the `starts` of functions. `code` is what is run of the file, or
 * a part of it that is contiguous, at `address`.
 */
void entry_jumps_find(struct changed_entry *entries, size_t count, const uint8_t *code, size_t size,
		      uint64_t address, const uint64_t *starts, size_t start_count);

#endif
