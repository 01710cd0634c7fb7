/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory with instructions. What this library has written itself is never both writable and
 * executable. Instructions of the program are from then on: somebody may begin to probe the same
 * functions from outside, for the whole system, and the kernel would then put its breakpoint on our
 * jump, and do in its place what the instruction of the file does, which is another. It puts none
 * into what is writable (kernel/events/uprobes.c, valid_vma()).
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

/*
 * Instructions of the process in `begin` .. `end` can be written as well as run from now on, and
 * the kernel changes none of them any more. False: the system does not allow it.
 */
bool code_memory_open(uint64_t begin, uint64_t end);
void code_memory_write(uint64_t at, const void *bytes, size_t length);

#endif
