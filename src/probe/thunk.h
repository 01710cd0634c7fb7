/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a watched function has of its own, near to it:
 *
 *	push %r11; mov block, %r11; call *stub(%rip); pop %r11; what is moved; jmp behind it there
 */
#ifndef PSCAL_PROBE_THUNK_H
#define PSCAL_PROBE_THUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/patch_plan.h"

enum { JUMP_BYTES = 5, THUNK_CALL_BYTES = 20 };

struct thunk {
	uint64_t stub;
	uint8_t code[THUNK_CALL_BYTES + PLAN_MOVED_MAX + JUMP_BYTES];
};

/* For an object that is loaded at `base`. False: something is too far away from it. */
bool thunk_make(struct thunk *thunk, const struct plan_patch *patch, uint64_t base);

/* A jump that runs at the address `runs_at`. False: the target is too far away. */
bool thunk_put_jump(uint8_t jump[JUMP_BYTES], uint64_t runs_at, uint64_t target);

#endif
