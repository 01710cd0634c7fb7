/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/probe_place.h"

#include <stdbool.h>

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

/* Any part of it counts as all of it. */
static bool is_argument(uint16_t reg, unsigned arguments)
{
	static const uint16_t parts[][4] = {
		{X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
		{X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
		{X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL},
	};

	for (unsigned i = 0; i < arguments && i < sizeof(parts) / sizeof(parts[0]); i++)
		for (size_t part = 0; part < 4; part++)
			if (parts[i][part] == reg)
				return true;
	return false;
}

static bool changes_argument(csh handle, const cs_insn *insn, unsigned arguments)
{
	cs_regs read, written;
	uint8_t reads = 0, writes = 0;

	if (cs_regs_access(handle, insn, read, &reads, written, &writes))
		return true;
	for (uint8_t i = 0; i < writes; i++)
		if (is_argument(written[i], arguments))
			return true;
	return false;
}

static bool leads_elsewhere(csh handle, const cs_insn *insn)
{
	return cs_insn_group(handle, insn, CS_GRP_JUMP) ||
	       cs_insn_group(handle, insn, CS_GRP_CALL) ||
	       cs_insn_group(handle, insn, CS_GRP_RET) || cs_insn_group(handle, insn, CS_GRP_INT);
}

/* The first instruction on the one way from the beginning that the kernel does itself. */
static bool find_first(size_t *place, csh handle, cs_insn *insn, const uint8_t *code, size_t size,
		       unsigned arguments)
{
	uint64_t address = 0;

	while (cs_disasm_iter(handle, &code, &size, &address, insn)) {
		*place = (size_t)insn->address;
		if (is_done_by_kernel(insn))
			return true;
		if (leads_elsewhere(handle, insn) || changes_argument(handle, insn, arguments))
			return false;
	}
	return false;
}

/* Also where something jumps nobody knows where. */
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
	return size > 0; /* what cannot be read may do anything */
}

size_t probe_place_find(const uint8_t *code, size_t size, unsigned arguments)
{
	size_t place = 0;
	cs_insn *insn;
	csh handle;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle))
		return 0;
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	insn = cs_malloc(handle);
	if (!find_first(&place, handle, insn, code, size, arguments) ||
	    may_lead_back(handle, insn, code, size, place))
		place = 0;
	cs_free(insn, 1);
	cs_close(&handle);
	return place;
}

#else

size_t probe_place_find(const uint8_t *code, size_t size, unsigned arguments)
{
	(void)code, (void)size, (void)arguments;
	return 0;
}

#endif
