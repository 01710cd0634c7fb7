/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a function does with its stack, as far as that matters to who changes where it returns to:
 *
 *  - one that reads, writes or takes off its return address is told apart from others by where it
 *    was called from, or returns more often than it is called, or elsewhere: setjmp, vfork,
 *    getcontext, dlsym, dl_iterate_phdr, mcount, coroutines, the unwinder;
 *  - one that takes its stack from elsewhere returns on another one than it was called on.
 *
 * The instructions are followed from the entry along all jumps within the function, with the
 * distance of the stack pointer, and of the frame pointer where it is one, from where they began.
 * What is reached by no jump that names its target, so the cases of a switch and landing pads of
 * exceptions, is read with the distances of the jump that does not, or of the calls.
 */
#ifndef PSCAL_COLLECT_PATCH_STACK_USE_H
#define PSCAL_COLLECT_PATCH_STACK_USE_H

#include <stddef.h>
#include <stdint.h>

/*
 * `reader` is a csh of capstone for x86-64 with details. Returns NULL, or words that follow "left
 * alone, as it", which live for ever.
 */
const char *stack_use_trouble(size_t reader, const uint8_t *code, size_t size, uint64_t address);

#endif
