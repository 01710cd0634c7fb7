/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in a function a probe that fires once for each call of it is cheapest. Of most instructions
 * the kernel runs a copy, step by step, after a trap; some it does itself, which takes a tenth of
 * the time (arch/x86/kernel/uprobes.c: nop, push of a register, and jumps and calls to a place that
 * the instruction names).
 */
#ifndef PSCAL_COLLECT_PROBE_PLACE_H
#define PSCAL_COLLECT_PROBE_PLACE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes from the function's beginning. `code` is its `size` bytes; its first `arguments` arguments
 * still are in their registers at that place. 0, the beginning itself, where nothing better is
 * certain: up to the place there is one way only, and nothing in the function leads back to it.
 */
size_t probe_place_find(const uint8_t *code, size_t size, unsigned arguments);

#endif
