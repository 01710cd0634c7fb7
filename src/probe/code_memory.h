/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory with instructions, none of which is ever both writable and executable. Instructions of the
 * program are not changed where they are: a changed copy takes the place of their pages, and is
 * memory of the process from then on instead of the file's. So the same functions may be probed
 * from outside, for the whole system: in a file's memory the kernel would put its
 * breakpoint on our jump, and do in its place what the instruction of the file does, which is
 * another (kernel/events/uprobes.c, valid_vma() and prepare_uprobe()).
 */
#ifndef PSCAL_PROBE_CODE_MEMORY_H
#define PSCAL_PROBE_CODE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Maps zeros for `bytes` from where a jump of 32 bits leads to anywhere in `begin` .. `end`, to be
 * written now, and for code_memory_seal() to be run. NULL: there is no room, or the system does not
 * let what has been written be run.
 */
void *code_memory_map(uint64_t begin, uint64_t end, size_t bytes);

/* It can be run from now on, and no more be written. False: not even that. */
bool code_memory_seal(void *at, size_t bytes);

enum { CODE_PAGES_KNOWN = 64 };

/* Pages of the program, and the copy that is to take their place. */
struct code_pages {
	uint64_t begin, end;
	uint8_t *copy; /* of the pages from `begin` on, to be written to */
	long pagemap;
	uint64_t known[CODE_PAGES_KNOWN]; /* what /proc/self/pagemap says ... */
	uint64_t first;			  /* ... from this page on; 0: nothing so far */
};

/* The pages of `begin` .. `end`, all of which can be read. False: the system does not allow it. */
bool code_pages_copy(struct code_pages *pages, uint64_t begin, uint64_t end);

/*
 * Has anything changed the pages of these bytes, as the kernel does for its probes? The kernel
 * would find its breakpoints in the file's memory alone, so such pages stay as they are.
 */
bool code_pages_are_changed(struct code_pages *pages, uint64_t at, size_t length);

/*
 * The copy takes the place of the pages, but for those that were changed before, and has the
 * protection `flags` (PF_R, PF_W, PF_X). False: some of the pages are as they were. It is
 * the end of `pages` in any case.
 */
bool code_pages_put(struct code_pages *pages, uint32_t flags);

#endif
