/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/entry_patch.h"

#include "collect/patch/stack_use.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)

#include <capstone/capstone.h>

/* A jump of 32 bits. */
enum { JUMP_BYTES = 5, ENDBR_BYTES = 4 };

/* A function while it is looked at. */
struct entry {
	csh handle;
	cs_insn *insn;
	const uint8_t *code; /* from where the jump goes on */
	size_t size, room;
	uint64_t address;
	bool only_saves; /* what is moved only makes room on the stack and saves registers there */
};

/* --- Instructions -------------------------------------------------------------------------- */

static bool is_in(const struct entry *entry, enum cs_group_type group)
{
	return cs_insn_group(entry->handle, entry->insn, (uint8_t)group);
}

/* A jump to a place that the instruction names, in *target. */
static bool names_target(const struct entry *entry, uint64_t *target)
{
	const cs_x86 *x86 = &entry->insn->detail->x86;

	if (!is_in(entry, CS_GRP_JUMP) || x86->op_count != 1 || x86->operands[0].type != X86_OP_IMM)
		return false;
	*target = (uint64_t)x86->operands[0].imm;
	return true;
}

static bool is_padding(const cs_insn *insn)
{
	return insn->id == X86_INS_NOP || insn->id == X86_INS_INT3;
}

static bool saves_registers(const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;

	if (insn->id == X86_INS_PUSH)
		return x86->operands[0].type == X86_OP_REG;
	if (insn->id == X86_INS_SUB || insn->id == X86_INS_MOV)
		return x86->operands[0].type == X86_OP_REG &&
		       (x86->operands[0].reg == X86_REG_RSP ||
			x86->operands[0].reg == X86_REG_RBP) &&
		       x86->operands[1].type != X86_OP_MEM;
	return false;
}

/* --- Moving one of them -------------------------------------------------------------------- */

static const char *add_fixup(struct plan_patch *patch, uint64_t target, size_t at, size_t end)
{
	if (patch->fixup_count == PLAN_FIXUPS_MAX)
		return "begins with too many references to where it stands";
	patch->fixups[patch->fixup_count].target = target;
	patch->fixups[patch->fixup_count].at = (uint8_t)at;
	patch->fixups[patch->fixup_count].end = (uint8_t)end;
	patch->fixup_count++;
	return NULL;
}

/* A short jump becomes a long one. */
static const char *move_jump(struct plan_patch *patch, const cs_insn *insn, uint64_t target)
{
	uint8_t *to = patch->moved + patch->moved_length;
	size_t at;

	if (insn->bytes[0] == 0xeb || insn->bytes[0] == 0xe9) {
		to[0] = 0xe9;
		at = 1;
	} else if ((insn->bytes[0] & 0xf0) == 0x70) {
		to[0] = 0x0f;
		to[1] = 0x80 | (insn->bytes[0] & 0x0f);
		at = 2;
	} else if (insn->bytes[0] == 0x0f && (insn->bytes[1] & 0xf0) == 0x80) {
		memcpy(to, insn->bytes, 2);
		at = 2;
	} else {
		return "begins with a jump that reaches only near places";
	}
	memset(to + at, 0, 4);
	at += patch->moved_length;
	patch->moved_length = (uint8_t)(at + 4);
	return add_fixup(patch, target, at, at + 4);
}

/* Operands that count from the instruction's end. */
static const char *move_relative(struct plan_patch *patch, const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;
	size_t begin = patch->moved_length, end = begin + insn->size;

	memcpy(patch->moved + begin, insn->bytes, insn->size);
	patch->moved_length = (uint8_t)end;
	for (size_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM && x86->operands[i].mem.base == X86_REG_RIP)
			return x86->encoding.disp_size == 4
				       ? add_fixup(patch,
						   insn->address + insn->size +
							   (uint64_t)x86->operands[i].mem.disp,
						   begin + x86->encoding.disp_offset, end)
				       : "begins with a reference in a form that is not known";
	return NULL;
}

static const char *move(struct entry *entry, struct plan_patch *patch)
{
	uint64_t target;

	if (patch->moved_length + entry->insn->size + 4 > PLAN_MOVED_MAX)
		return "begins with instructions that are too long";
	if (is_in(entry, CS_GRP_CALL))
		return "begins with a call, from where nobody could unwind the stack";
	if (is_in(entry, CS_GRP_INT))
		return "begins with a trap or a system call";
	if (names_target(entry, &target))
		return move_jump(patch, entry->insn, target);
	if (is_in(entry, CS_GRP_BRANCH_RELATIVE))
		return "begins with a jump that reaches only near places";
	return move_relative(patch, entry->insn);
}

/* --- The function -------------------------------------------------------------------------- */

/* Instructions until there is room for a jump; of padding nothing is moved. */
static const char *move_entry(struct entry *entry, struct plan_patch *patch)
{
	const uint8_t *code = entry->code;
	size_t left = entry->size + entry->room;
	uint64_t address = entry->address;

	entry->only_saves = true;
	while (patch->length < JUMP_BYTES) {
		const char *why = NULL;

		if (!cs_disasm_iter(entry->handle, &code, &left, &address, entry->insn))
			return patch->length < entry->size ? "begins with what cannot be read"
							   : "is too short for a jump";
		if (patch->length >= entry->size && !is_padding(entry->insn))
			return "is too short for a jump";
		if (patch->length < entry->size)
			why = move(entry, patch);
		if (why)
			return why;
		entry->only_saves &= saves_registers(entry->insn);
		patch->length = (uint8_t)(patch->length + entry->insn->size);
	}
	return NULL;
}

/* Nobody jumps to where the jump will be, or past its beginning. */
static const char *hold_jumps(struct entry *entry, size_t length)
{
	const uint8_t *code = entry->code;
	size_t left = entry->size;
	uint64_t address = entry->address, target;

	while (left) {
		if (!cs_disasm_iter(entry->handle, &code, &left, &address, entry->insn))
			return "holds what cannot be read, and so may jump to its entry";
		if (!is_in(entry, CS_GRP_JUMP))
			continue;
		if (names_target(entry, &target)) {
			if (target >= entry->address && target < entry->address + length)
				return "jumps back to its entry";
		} else if (!entry->only_saves) {
			return "jumps to places that are not known, maybe to its entry";
		}
	}
	return NULL;
}

static const char *make_entry(struct entry *entry, struct plan_patch *patch, uint64_t address)
{
	const char *why;

	*patch = (struct plan_patch){.address = entry->address, .block = address};
	why = move_entry(entry, patch);
	if (why)
		return why;
	memcpy(patch->before, entry->code, patch->length);
	why = hold_jumps(entry, patch->length);
	return why ? why
		   : stack_use_trouble(entry->handle, entry->code, entry->size, entry->address);
}

const char *entry_patch_make(struct plan_patch *patch, const uint8_t *code, size_t size,
			     size_t room, uint64_t address)
{
	static const uint8_t endbr[ENDBR_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t skip = size >= ENDBR_BYTES && !memcmp(code, endbr, ENDBR_BYTES) ? ENDBR_BYTES : 0;
	struct entry entry = {
		.code = code + skip, .size = size - skip, .room = room, .address = address + skip};
	const char *why = "cannot be read: memory is short";

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &entry.handle))
		return why;
	cs_option(entry.handle, CS_OPT_DETAIL, CS_OPT_ON);
	entry.insn = cs_malloc(entry.handle);
	if (entry.insn)
		why = make_entry(&entry, patch, address);
	if (entry.insn)
		cs_free(entry.insn, 1);
	cs_close(&entry.handle);
	return why;
}

#else

const char *entry_patch_make(struct plan_patch *patch, const uint8_t *code, size_t size,
			     size_t room, uint64_t address)
{
	(void)code, (void)size, (void)room, (void)address;
	*patch = (struct plan_patch){0};
	return "is of a machine whose functions are not patched";
}

#endif
