/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/thunk.h"

#include "probe/block_entry.h"

enum { JUMP_OPCODE = 0xe9 };

static void put(uint8_t *to, const void *from, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[i] = ((const uint8_t *)from)[i];
}

static bool put_displacement(uint8_t *at, uint64_t target, uint64_t end)
{
	int64_t distance = (int64_t)(target - end);
	int32_t displacement = (int32_t)distance;

	put(at, &displacement, sizeof(displacement));
	return displacement == distance;
}

bool thunk_put_jump(uint8_t jump[JUMP_BYTES], uint64_t runs_at, uint64_t target)
{
	jump[0] = JUMP_OPCODE;
	return put_displacement(jump + 1, target, runs_at + JUMP_BYTES);
}

static void put_call(struct thunk *thunk, uint64_t block)
{
	static const uint8_t code[THUNK_CALL_BYTES] = {
		0x41, 0x53, 0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x15, 0, 0, 0, 0, 0x41, 0x5b};
	int32_t to_stub =
		(int32_t)(offsetof(struct thunk, stub) - offsetof(struct thunk, code) - 18);

	thunk->stub = (uintptr_t)probe_stub_enter;
	put(thunk->code, code, sizeof(code));
	put(thunk->code + 4, &block, 8);
	put(thunk->code + 14, &to_stub, 4);
}

bool thunk_make(struct thunk *thunk, const struct plan_patch *patch, uint64_t base)
{
	uint8_t *moved = thunk->code + THUNK_CALL_BYTES;
	uint64_t runs_at = (uintptr_t)moved;

	put_call(thunk, base + patch->block);
	put(moved, patch->moved, patch->moved_length);
	for (size_t i = 0; i < patch->fixup_count; i++)
		if (!put_displacement(moved + patch->fixups[i].at, base + patch->fixups[i].target,
				      runs_at + patch->fixups[i].end))
			return false;
	return thunk_put_jump(moved + patch->moved_length, runs_at + patch->moved_length,
			      base + patch->address + patch->length);
}
