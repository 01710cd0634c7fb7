/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/probe_place.h"

#include "code/object.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* --- The cheapest place -------------------------------------------------------------------- */

#if defined(__x86_64__)

#include <capstone/capstone.h>

static bool is_done_by_kernel(const cs_insn *insn)
{
	const uint8_t *code = insn->bytes;

	if (insn->size == 1)
		return code[0] == 0x90 || (code[0] >= 0x50 && code[0] <= 0x57);
	if (insn->size == 2 && code[0] == 0x41)
		return code[1] >= 0x50 && code[1] <= 0x57;
	if (code[0] == 0x0f)
		return (code[1] & 0xf0) == 0x80;
	return code[0] == 0xe8 || code[0] == 0xe9 || code[0] == 0xeb || (code[0] & 0xf0) == 0x70;
}

/* Returns whether a register is an argument or a part of one. */
static bool is_argument(uint16_t reg, unsigned arguments)
{
	static const uint16_t parts[][4] = {
		{X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
		{X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
		{X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL},
		{X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL},
	};

	for (unsigned i = 0; i < arguments && i < sizeof(parts) / sizeof(parts[0]); i++)
		for (size_t part = 0; part < 4; part++)
			if (parts[i][part] == reg)
				return true;
	return false;
}

static bool is_stack_pointer(uint16_t reg)
{
	return reg == X86_REG_RSP || reg == X86_REG_ESP || reg == X86_REG_SP || reg == X86_REG_SPL;
}

/* The values that a probe at the beginning would find. */
struct needs {
	unsigned arguments;
	bool stack_pointer;
};

static bool changes_needed(csh handle, const cs_insn *insn, struct needs needs)
{
	cs_regs read, written;
	uint8_t reads = 0, writes = 0;

	if (cs_regs_access(handle, insn, read, &reads, written, &writes))
		return true;
	for (uint8_t i = 0; i < writes; i++)
		if (is_argument(written[i], needs.arguments) ||
		    (needs.stack_pointer && is_stack_pointer(written[i])))
			return true;
	return false;
}

static bool leads_elsewhere(csh handle, const cs_insn *insn)
{
	return cs_insn_group(handle, insn, CS_GRP_JUMP) ||
	       cs_insn_group(handle, insn, CS_GRP_CALL) ||
	       cs_insn_group(handle, insn, CS_GRP_RET) || cs_insn_group(handle, insn, CS_GRP_INT);
}

/* Finds the first instruction on the only path from the beginning that the kernel emulates. */
static bool find_first(size_t *place, csh handle, cs_insn *insn, const uint8_t *code, size_t size,
		       struct needs needs)
{
	uint64_t address = 0;

	while (cs_disasm_iter(handle, &code, &size, &address, insn)) {
		*place = (size_t)insn->address;
		if (is_done_by_kernel(insn))
			return true;
		if (leads_elsewhere(handle, insn) || changes_needed(handle, insn, needs))
			return false;
	}
	return false;
}

/* Returns whether a jump leads, or may lead, back to the place. */
static bool may_lead_back(csh handle, cs_insn *insn, const uint8_t *code, size_t size, size_t place)
{
	uint64_t address = 0;

	while (cs_disasm_iter(handle, &code, &size, &address, insn)) {
		const cs_x86_op *operand = &insn->detail->x86.operands[0];

		if (!cs_insn_group(handle, insn, CS_GRP_JUMP))
			continue;
		if (operand->type != X86_OP_IMM ||
		    (operand->imm > 0 && (uint64_t)operand->imm <= place))
			return true;
	}
	return size > 0; /* undecoded code may do anything */
}

struct probe_place probe_place_find(const uint8_t *code, size_t size, unsigned arguments,
				    bool returns)
{
	const struct needs needs = {arguments, returns};
	struct probe_place place = {.offset = 0};
	size_t first = 0;
	cs_insn *insn;
	csh handle;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle))
		return place;
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	insn = cs_malloc(handle);
	if (find_first(&first, handle, insn, code, size, needs) &&
	    (first == 0 || !may_lead_back(handle, insn, code, size, first)))
		place = (struct probe_place){first, true};
	cs_free(insn, 1);
	cs_close(&handle);
	return place;
}

#else

struct probe_place probe_place_find(const uint8_t *code, size_t size, unsigned arguments,
				    bool returns)
{
	(void)code, (void)size, (void)arguments, (void)returns;
	return (struct probe_place){.offset = 0};
}

#endif

/* The longest function that is searched. */
enum { CODE_MAX = 1 << 14 };

struct probe_place probe_place_in(const struct object *object, uint64_t offset, uint64_t size,
				  unsigned arguments, bool returns)
{
	struct probe_place place = {.offset = offset};
	uint8_t code[CODE_MAX];

	if (size > CODE_MAX || pread(object->fd, code, (size_t)size, (off_t)offset) < (ssize_t)size)
		return place;
	place = probe_place_find(code, (size_t)size, arguments, returns);
	place.offset += offset;
	return place;
}

/* --- The unwind table ---------------------------------------------------------------------- */

/* The stack pointer in the numbering of the ABI of x86-64, and the size of a return address. */
enum { STACK_POINTER = 7, RETURN_BYTES = 8 };

Dwarf_CFI *unwind_table_open(const struct object *object)
{
	return object->elf ? dwarf_getcfi_elf(object->elf) : NULL;
}

void unwind_table_close(Dwarf_CFI *table)
{
	if (table)
		dwarf_cfi_end(table);
}

/* Returns whether the stack pointer points to the return address, as right after the call. */
static bool has_just_been_called(Dwarf_Frame *frame)
{
	Dwarf_Op *words;
	size_t count;

	return dwarf_frame_cfa(frame, &words, &count) == 0 && count == 1 &&
	       words[0].atom == DW_OP_bregx && words[0].number == STACK_POINTER &&
	       words[0].number2 == RETURN_BYTES;
}

const char *unwind_table_trouble(Dwarf_CFI *table, uint64_t address)
{
	const char *why = NULL;
	Dwarf_Addr begin, end;
	Dwarf_Frame *frame;
	bool for_signals;

	if (!table)
		return NULL;
	if (dwarf_cfi_addrframe(table, address, &frame))
		return "is not in the unwind table: its use of the stack is unknown";
	if (dwarf_frame_info(frame, &begin, &end, &for_signals) < 0 || for_signals)
		why = "is never called: a signal handler returns there";
	else if (begin != address)
		why = "is inside a function of the unwind table";
	else if (!has_just_been_called(frame))
		why = "is part of a function that jumps to it";
	free(frame);
	return why;
}
