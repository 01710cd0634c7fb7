/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How functions of one file are to be watched, or why not. Left alone is whatever is not known to
 * be safe:
 *
 *  - what is to be left alone by its name or its file (function_list.h);
 *  - code that the unwind table (code/probe_place.h) does not know, or says is not called;
 *  - what has no room for a jump, or may jump to its own entry (entry_patch.h);
 *  - what looks at where it was called from, or returns elsewhere (stack_use.h);
 *  - what another function jumps into (entry_jumps.h).
 */
#ifndef PSCAL_COLLECT_PATCH_OBJECT_PATCHES_H
#define PSCAL_COLLECT_PATCH_OBJECT_PATCHES_H

#include <stddef.h>

#include "collect/patch/function_list.h"
#include "probe/patch_plan.h"

struct object_patch {
	struct plan_patch patch; /* but for its name */
	const char *why;	 /* NULL, or words that follow "left alone, as it" */
};

/*
 * One for each of `count` functions, which rise by place, all of `table`; to be freed. `forbidden`
 * is why not for all of them, or NULL.
 */
struct object_patch *object_patches_make(const struct function_table *table,
					 const struct listed_function *functions, size_t count,
					 const char *forbidden);

#endif
