/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/instruction.h"

#include "base/alloc.h"

#include <capstone.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct instruction_reader {
	enum instruction_set set;
	csh handle;
	cs_insn *insn;
};

struct instruction_reader *instruction_reader_new(enum instruction_set set)
{
	const bool x86 = set == INSTRUCTIONS_X86_64;
	struct instruction_reader *reader;
	csh handle;

	if (cs_open(x86 ? CS_ARCH_X86 : CS_ARCH_ARM64, x86 ? CS_MODE_64 : CS_MODE_ARM, &handle))
		return NULL;
	if (cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON)) {
		cs_close(&handle);
		return NULL;
	}
	reader = xcalloc(1, sizeof(*reader));
	reader->set = set;
	reader->handle = handle;
	reader->insn = cs_malloc(handle);
	if (!reader->insn) {
		instruction_reader_free(reader);
		return NULL;
	}
	return reader;
}

void instruction_reader_free(struct instruction_reader *reader)
{
	if (!reader)
		return;
	if (reader->insn)
		cs_free(reader->insn, 1);
	cs_close(&reader->handle);
	free(reader);
}

/* Returns whether the names, up to NULL, include this one. A '*' at an end stands for any end. */
static bool is_among(const char *name, const char *const *names)
{
	for (; *names; names++) {
		size_t length = strlen(*names) - 1;

		if ((*names)[length] == '*' ? !strncmp(name, *names, length)
					    : !strcmp(name, *names))
			return true;
	}
	return false;
}

/* --- x86-64 -------------------------------------------------------------------------------- */

/* The eight old registers, in the order of their numbers, with their parts. */
static const struct {
	uint16_t parts[5];
} x86_old[] = {
	{{X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH}},
	{{X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH}},
	{{X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH}},
	{{X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH}},
	{{X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_SIL}},
	{{X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_DIL}},
	{{X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_BPL}},
	{{X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_SPL}},
};
enum { X86_BIT_AX = 0, X86_BIT_R8 = 8 };

/* r8 to r15, and their parts, are consecutive in capstone's list. */
static const uint16_t x86_new[] = {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B};

static registers x86_register(unsigned reg)
{
	if (reg == X86_REG_INVALID || reg == X86_REG_RIP || reg == X86_REG_EIP ||
	    (reg >= X86_REG_CS && reg <= X86_REG_DS) || reg == X86_REG_FS || reg == X86_REG_GS)
		return 0;
	if (reg == X86_REG_EFLAGS)
		return REGISTERS_FLAGS;
	for (unsigned i = 0; i < COUNT(x86_old); i++)
		for (unsigned j = 0; j < COUNT(x86_old[i].parts); j++)
			if (x86_old[i].parts[j] == reg)
				return (registers)1 << i;
	for (unsigned i = 0; i < COUNT(x86_new); i++)
		if (reg >= x86_new[i] && reg < x86_new[i] + 8U)
			return (registers)1 << (X86_BIT_R8 + reg - x86_new[i]);
	return REGISTERS_OTHER;
}

/* Instructions that read the first operand and do not write it, whatever libcapstone says. */
static const char *const x86_only_read[] = {"cmp", "test", "bt", NULL};

/* Instructions that have a memory operand without an access. */
static const char *const x86_no_access[] = {"lea", "nop", "prefetch*", NULL};

/* PAUSE, "Improves the performance of spin-wait loops" (Intel SDM volume 2, PAUSE). */
static const char *const x86_relax[] = {"pause", "tpause", "umwait", NULL};

static const char *const x86_steps[] = {"add", "sub", "inc", "dec", "mov", NULL};

static void x86_flow(struct instruction *to, const cs_insn *insn, csh handle)
{
	const cs_x86 *x86 = &insn->detail->x86;
	bool direct = x86->op_count && x86->operands[0].type == X86_OP_IMM;

	if (cs_insn_group(handle, insn, X86_GRP_CALL) || cs_insn_group(handle, insn, X86_GRP_INT))
		to->flow = FLOW_CALL;
	else if (cs_insn_group(handle, insn, X86_GRP_RET) ||
		 cs_insn_group(handle, insn, X86_GRP_IRET) || insn->id == X86_INS_UD2 ||
		 insn->id == X86_INS_HLT)
		to->flow = FLOW_END;
	else if (cs_insn_group(handle, insn, X86_GRP_JUMP) || insn->id == X86_INS_LOOP)
		to->flow = !direct ? FLOW_END : insn->id == X86_INS_JMP ? FLOW_JUMP : FLOW_BRANCH;
	if (direct)
		to->target = (uint64_t)x86->operands[0].imm;
}

/* Adds the memory operand `at` of an instruction. */
static void x86_memory(struct instruction *to, const cs_insn *insn, const char *name, uint8_t at)
{
	const cs_x86 *x86 = &insn->detail->x86;
	const cs_x86_op *op = &x86->operands[at];
	registers base = x86_register(op->mem.base);

	to->places |= base | x86_register(op->mem.index);
	if (x86->prefix[0] == X86_PREFIX_LOCK || insn->id == X86_INS_XCHG) {
		to->attempts = true;
		to->loads = true;
		return;
	}
	if (is_among(name, x86_only_read) || (at && !(op->access & CS_AC_WRITE))) {
		to->loads = true;
		return;
	}
	to->stores = true;
	to->loads |= op->access & CS_AC_READ;
	to->on_stack = base & (x86_register(X86_REG_RSP) | x86_register(X86_REG_RBP)) &&
		       op->mem.index == X86_REG_INVALID;
}

/*
 * Adds the registers of an atomic operation: all operands change, and CMPXCHG has an implicit one.
 */
static void x86_attempt(struct instruction *to, const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;
	registers operands = 0;

	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_REG)
			operands |= x86_register(x86->operands[i].reg);
	to->sent = operands;
	to->reads |= operands;
	if (insn->id == X86_INS_CMPXCHG)
		operands = (registers)1 << X86_BIT_AX;
	if (insn->id == X86_INS_CMPXCHG || insn->id == X86_INS_XADD || insn->id == X86_INS_XCHG)
		to->writes |= operands;
	if (insn->id != X86_INS_XCHG)
		to->writes |= REGISTERS_FLAGS;
}

/* Returns whether an instruction makes its result 0 whatever it reads, as "xor eax, eax" does. */
static bool x86_zeroes(const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;

	return (insn->id == X86_INS_XOR || insn->id == X86_INS_SUB) && x86->op_count == 2 &&
	       x86->operands[0].type == X86_OP_REG && x86->operands[1].type == X86_OP_REG &&
	       x86->operands[0].reg == x86->operands[1].reg;
}

static bool x86_is_step(const struct instruction *to, const cs_insn *insn, const char *name)
{
	const cs_x86 *x86 = &insn->detail->x86;

	if (to->loads || to->stores || to->attempts)
		return false;
	if (insn->id == X86_INS_LEA)
		return x86->operands[1].mem.index == X86_REG_INVALID;
	if (!is_among(name, x86_steps) || !x86->op_count || x86->operands[0].type != X86_OP_REG)
		return false;
	return x86->op_count == 1 || x86->operands[1].type == X86_OP_IMM || insn->id == X86_INS_MOV;
}

static void x86_read(struct instruction *to, const cs_insn *insn, csh handle)
{
	const cs_x86 *x86 = &insn->detail->x86;
	const char *space = strrchr(insn->mnemonic, ' '); /* behind "lock", "rep", "repne" */
	const char *name = space ? space + 1 : insn->mnemonic;

	x86_flow(to, insn, handle);
	to->relaxes = is_among(name, x86_relax);
	/* PUSH stores through the stack pointer, without a memory operand. */
	to->stores = insn->id == X86_INS_PUSH || insn->id == X86_INS_PUSHFQ;
	to->on_stack = to->stores;
	if (!is_among(name, x86_no_access))
		for (uint8_t i = 0; i < x86->op_count; i++)
			if (x86->operands[i].type == X86_OP_MEM)
				x86_memory(to, insn, name, i);
	if (to->attempts)
		x86_attempt(to, insn);
	if (x86_zeroes(insn))
		to->reads = 0;
	to->steps = x86_is_step(to, insn, name);
}

/* --- aarch64 ------------------------------------------------------------------------------- */

enum { ARM_BIT_SP = 31 };

static registers arm_register(unsigned reg)
{
	if (reg == ARM64_REG_INVALID || reg == ARM64_REG_XZR || reg == ARM64_REG_WZR)
		return 0;
	if (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28)
		return (registers)1 << (reg - ARM64_REG_X0);
	if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30)
		return (registers)1 << (reg - ARM64_REG_W0);
	switch (reg) {
	case ARM64_REG_X29:
		return (registers)1 << 29;
	case ARM64_REG_X30:
		return (registers)1 << 30;
	case ARM64_REG_SP:
	case ARM64_REG_WSP:
		return (registers)1 << ARM_BIT_SP;
	case ARM64_REG_NZCV:
		return REGISTERS_FLAGS;
	default:
		return REGISTERS_OTHER;
	}
}

/* YIELD, WFE and ISB, which many programs use for a longer pause (Arm ARM, C6.2). */
static const char *const arm_relax[] = {"yield", "isb", "wfe", "wfet", NULL};

/* Exclusive stores, which may fail. */
static const char *const arm_attempts[] = {"stxr*", "stlxr*", NULL};

/* Instructions that write only flags, whatever libcapstone says. */
static const char *const arm_compares[] = {"cmp", "cmn", "tst", "ccmp", "ccmn", NULL};

/* Instructions that do not read the register that they write. */
static const char *const arm_sets[] = {"mov", "movz", "movn", "adr", "adrp", NULL};
static const char *const arm_steps[] = {"add", "sub", "subs", "adds", "mov", NULL};
static const char *const arm_ends[] = {"br", "ret", "eret", "brk", "hlt", "udf", NULL};
static const char *const arm_calls[] = {"bl", "blr", "svc", "hvc", "smc", NULL};
static const char *const arm_branches[] = {"b.*", "cbz", "cbnz", "tbz", "tbnz", NULL};

static void arm_flow(struct instruction *to, const cs_insn *insn)
{
	const cs_arm64 *arm = &insn->detail->arm64;
	const cs_arm64_op *last = arm->op_count ? &arm->operands[arm->op_count - 1] : NULL;

	if (is_among(insn->mnemonic, arm_calls))
		to->flow = FLOW_CALL;
	else if (is_among(insn->mnemonic, arm_ends))
		to->flow = FLOW_END;
	else if (is_among(insn->mnemonic, arm_branches))
		to->flow = FLOW_BRANCH;
	else if (!strcmp(insn->mnemonic, "b"))
		to->flow = FLOW_JUMP;
	if (last && last->type == ARM64_OP_IMM)
		to->target = (uint64_t)last->imm;
}

static void arm_memory(struct instruction *to, const cs_insn *insn, const cs_arm64_op *op)
{
	registers base = arm_register(op->mem.base);

	to->places |= base | arm_register(op->mem.index);
	to->attempts = is_among(insn->mnemonic, arm_attempts);
	to->stores = !to->attempts && !strncmp(insn->mnemonic, "st", 2);
	to->loads = !to->stores;
	to->on_stack = base == (registers)1 << ARM_BIT_SP && op->mem.index == ARM64_REG_INVALID;
}

/* Adds the registers of an exclusive store: its first operand is the outcome. */
static void arm_attempt(struct instruction *to, const cs_insn *insn)
{
	const cs_arm64 *arm = &insn->detail->arm64;

	for (uint8_t i = 1; i < arm->op_count; i++)
		if (arm->operands[i].type == ARM64_OP_REG)
			to->sent |= arm_register(arm->operands[i].reg);
}

static void arm_put_right(struct instruction *to, const cs_insn *insn)
{
	const cs_arm64 *arm = &insn->detail->arm64;
	registers first = arm->op_count && arm->operands[0].type == ARM64_OP_REG
				  ? arm_register(arm->operands[0].reg)
				  : 0;

	if (is_among(insn->mnemonic, arm_compares)) {
		to->reads |= first;
		to->writes = REGISTERS_FLAGS;
	} else if (is_among(insn->mnemonic, arm_sets)) {
		bool copies = arm->op_count > 1 && arm->operands[1].type == ARM64_OP_REG;

		to->reads = copies ? arm_register(arm->operands[1].reg) : 0;
	}
	if (!strncmp(insn->mnemonic, "b.", 2))
		to->reads |= REGISTERS_FLAGS;
}

static void arm_read(struct instruction *to, const cs_insn *insn)
{
	const cs_arm64 *arm = &insn->detail->arm64;

	arm_flow(to, insn);
	arm_put_right(to, insn);
	to->relaxes = is_among(insn->mnemonic, arm_relax);
	for (uint8_t i = 0; i < arm->op_count; i++)
		if (arm->operands[i].type == ARM64_OP_MEM)
			arm_memory(to, insn, &arm->operands[i]);
	if (to->attempts)
		arm_attempt(to, insn);
	to->steps = is_among(insn->mnemonic, arm_steps) &&
		    (arm->op_count == 2 || arm->operands[2].type == ARM64_OP_IMM);
}

/* Returns a register of an instruction. Number 31 is none, or the stack pointer in an address. */
static registers arm_numbered(uint32_t word, unsigned shift, bool in_address)
{
	unsigned number = word >> shift & 31;

	return number == ARM_BIT_SP && !in_address ? 0 : (registers)1 << number;
}

/*
 * Reads an atomic instruction of Armv8.1, which libcapstone 4 does not know (Arm ARM, C4.1.94,
 * "Atomic memory operations" and "Compare and swap"), or LDAPR, which is encoded among them: Rs is
 * bits 20:16, Rn 9:5, Rt 4:0. Returns false if it is another instruction.
 */
static bool arm_read_atomic(struct instruction *to, uint32_t word)
{
	bool acquires = (word & 0x3ffffc00) == 0x38bfc000;
	bool operates = (word & 0x3f200c00) == 0x38200000;
	bool compares = (word & 0x3fa07c00) == 0x08a07c00;
	registers old = arm_numbered(word, compares ? 16 : 0, false);
	registers new = acquires ? 0 : arm_numbered(word, compares ? 0 : 16, false);

	if (!acquires && !operates && !compares)
		return false;
	to->places = arm_numbered(word, 5, true);
	to->reads = to->places | new | (compares ? old : 0);
	to->writes = old;
	to->sent = new;
	to->loads = true;
	to->attempts = !acquires;
	return true;
}

/* --- Both sets ------------------------------------------------------------------------------ */

static registers register_of(const struct instruction_reader *reader, unsigned reg)
{
	return reader->set == INSTRUCTIONS_X86_64 ? x86_register(reg) : arm_register(reg);
}

int instruction_read(struct instruction *instruction, struct instruction_reader *reader,
		     const uint8_t *code, size_t length, uint64_t address)
{
	const cs_insn *insn = reader->insn;
	uint64_t at = address;
	cs_regs read, written;
	uint8_t read_count, written_count;
	uint32_t word;

	*instruction = (struct instruction){.address = address, .size = sizeof(word)};
	if (reader->set == INSTRUCTIONS_AARCH64 && length >= sizeof(word)) {
		memcpy(&word, code, sizeof(word));
		if (arm_read_atomic(instruction, le32toh(word)))
			return 0;
	}
	if (!cs_disasm_iter(reader->handle, &code, &length, &at, reader->insn) ||
	    cs_regs_access(reader->handle, insn, read, &read_count, written, &written_count))
		return -1;
	instruction->size = insn->size;
	for (uint8_t i = 0; i < read_count; i++)
		instruction->reads |= register_of(reader, read[i]);
	for (uint8_t i = 0; i < written_count; i++)
		instruction->writes |= register_of(reader, written[i]);
	if (reader->set == INSTRUCTIONS_X86_64)
		x86_read(instruction, insn, reader->handle);
	else
		arm_read(instruction, insn);
	return 0;
}

/* --- The code that can be reached from a place --------------------------------------------- */

static int find_step(const struct code_flow *flow, uint64_t address)
{
	for (size_t i = 0; i < flow->count; i++)
		if (flow->steps[i].instruction.address == address)
			return (int)i;
	return CODE_NOWHERE;
}

static bool is_near(uint64_t address, uint64_t place)
{
	return address - (place - CODE_REACH) <= 2 * CODE_REACH;
}

/*
 * Returns the step of the instruction at `address`, which is read if it is new; CODE_NOWHERE: none.
 */
static int step_at(struct code_flow *flow, struct instruction_reader *reader,
		   const struct code *code, uint64_t address)
{
	uint64_t place = flow->count ? flow->steps[0].instruction.address : address;
	struct code_step *step = &flow->steps[flow->count];
	uint64_t offset = address - code->address;
	int known = find_step(flow, address);

	if (known != CODE_NOWHERE || flow->count == CODE_STEPS_MAX || !is_near(address, place) ||
	    offset >= code->length)
		return known;
	if (instruction_read(&step->instruction, reader, code->bytes + offset,
			     code->length - offset, address))
		return CODE_NOWHERE;
	step->next[0] = step->next[1] = CODE_NOWHERE;
	return (int)flow->count++;
}

int code_flow_init(struct code_flow *flow, struct instruction_reader *reader,
		   const struct code *code, uint64_t address)
{
	flow->count = 0;
	step_at(flow, reader, code, address);
	for (size_t i = 0; i < flow->count; i++) {
		const struct instruction *at = &flow->steps[i].instruction;
		bool goes_on = at->flow != FLOW_JUMP && at->flow != FLOW_END;
		bool jumps = at->flow == FLOW_JUMP || at->flow == FLOW_BRANCH;

		if (goes_on)
			flow->steps[i].next[0] =
				step_at(flow, reader, code, at->address + at->size);
		if (jumps)
			flow->steps[i].next[1] = step_at(flow, reader, code, at->target);
	}
	return flow->count ? 0 : -1;
}

/* --- Loops --------------------------------------------------------------------------------- */

/* Marks the steps that can be reached from the head. */
static void mark_after(bool *after, const struct code_flow *flow, size_t head)
{
	size_t waiting[CODE_STEPS_MAX] = {head}, count = 1;

	after[head] = true;
	while (count) {
		const struct code_step *step = &flow->steps[waiting[--count]];

		for (size_t i = 0; i < 2; i++)
			if (step->next[i] != CODE_NOWHERE && !after[step->next[i]]) {
				after[step->next[i]] = true;
				waiting[count++] = (size_t)step->next[i];
			}
	}
}

/* Returns whether this step jumps back to the head. A step before it only enters the loop. */
static bool goes_back(const struct code_flow *flow, size_t step, size_t head)
{
	return flow->steps[step].next[1] == (int)head &&
	       flow->steps[step].instruction.address >= flow->steps[head].instruction.address;
}

static bool is_head(const struct code_flow *flow, size_t head)
{
	for (size_t i = 0; i < flow->count; i++)
		if (goes_back(flow, i, head))
			return true;
	return false;
}

/* Returns whether the step leads to another step of the loop, or jumps back to the head. */
static bool leads_back(const struct code_loop *loop, const struct code_flow *flow, size_t step)
{
	const int *next = flow->steps[step].next;

	for (size_t i = 0; i < 2; i++)
		if (next[i] != CODE_NOWHERE && (size_t)next[i] != loop->head && loop->has[next[i]])
			return true;
	return goes_back(flow, step, loop->head);
}

static void keep_what_returns(struct code_loop *loop, const struct code_flow *flow,
			      const bool *after)
{
	for (bool grown = true; grown;) {
		grown = false;
		for (size_t i = 0; i < flow->count; i++)
			if (after[i] && !loop->has[i] && leads_back(loop, flow, i))
				loop->has[i] = grown = true;
	}
}

bool code_loop_find(struct code_loop *loop, const struct code_flow *flow, size_t head)
{
	bool after[CODE_STEPS_MAX] = {false};

	memset(loop, 0, sizeof(*loop));
	loop->head = head;
	if (!is_head(flow, head))
		return false;
	mark_after(after, flow, head);
	keep_what_returns(loop, flow, after);
	for (size_t i = 0; i < flow->count; i++)
		loop->count += loop->has[i];
	return loop->has[0];
}

bool code_loop_leaves(const struct code_loop *loop, const struct code_step *step)
{
	for (size_t i = 0; i < 2 && step->instruction.flow == FLOW_BRANCH; i++)
		if (step->next[i] == CODE_NOWHERE || !loop->has[step->next[i]])
			return true;
	return false;
}
