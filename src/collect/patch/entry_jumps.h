/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether anything in a file jumps behind the first instruction of an entry that is to be changed,
 * as functions in assembly do that share what follows (mempcpy goes on in memmove).
 *
 * Jumps and calls of 32 bits are looked for at every byte, so that none is overlooked but what is
 * inside of another instruction as its function is read from where it begins. Those of 8 bits are
 * looked for in instructions, from where functions are known to begin. Not seen are jumps by a
 * register, other than within the function (entry_patch.h).
 */
#ifndef PSCAL_COLLECT_PATCH_ENTRY_JUMPS_H
#define PSCAL_COLLECT_PATCH_ENTRY_JUMPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
