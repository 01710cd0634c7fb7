/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/stack_use.h"

#if defined(__x86_64__)

#include "base/alloc.h"

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stdlib.h>

/* Where the stack pointer is, and the frame pointer, from where the return address is. */
struct frame {
	int64_t stack, base;
};

static const int64_t unknown = INT64_MAX;

enum { ADDRESS_BYTES = 8 };

struct walk {
	csh handle;
	cs_insn *insn;
	const uint8_t *code;
	size_t size;
	uint64_t address;
	bool *seen; /* for each byte: an instruction that has been read begins there */
	struct {
		size_t at;
		struct frame frame;
	} * todo;
	size_t todo_count, todo_capacity;
	struct frame body; /* in which it calls, or jumps to places that it does not name */
	bool keeps[X86_REG_ENDING]; /* registers that have held the stack pointer */
	bool keeps_in_frame;	    /* ... or a place on the stack has */
	bool pushed;		    /* by the last instruction */
	const char *trouble;
};

/* --- Operands ------------------------------------------------------------------------------ */

static bool is_register(const cs_x86_op *operand, x86_reg reg)
{
	return operand->type == X86_OP_REG && operand->reg == reg;
}

static int64_t stack_sum(int64_t place, int64_t distance)
{
	return place == unknown ? unknown : place + distance;
}

/* Where an operand is, from the return address. */
static int64_t place_of(const cs_x86_op *operand, const struct frame *frame)
{
	if (operand->type != X86_OP_MEM || operand->mem.index != X86_REG_INVALID ||
	    operand->mem.segment != X86_REG_INVALID)
		return unknown;
	if (operand->mem.base == X86_REG_RSP)
		return stack_sum(frame->stack, operand->mem.disp);
	if (operand->mem.base == X86_REG_RBP)
		return stack_sum(frame->base, operand->mem.disp);
	return unknown;
}

static bool is_on_stack(const cs_x86_op *operand)
{
	return operand->type == X86_OP_MEM &&
	       (operand->mem.base == X86_REG_RSP || operand->mem.base == X86_REG_RBP);
}

/* Does it read or write the return address, or take its place? */
static bool touches_return(const struct walk *walk, const struct frame *frame)
{
	const cs_x86 *x86 = &walk->insn->detail->x86;

	if (walk->insn->id == X86_INS_NOP)
		return false;
	for (size_t i = 0; i < x86->op_count; i++) {
		int64_t place = place_of(&x86->operands[i], frame);

		if (place == unknown)
			continue;
		if (walk->insn->id == X86_INS_LEA
			    ? place == 0
			    : place < ADDRESS_BYTES && place + x86->operands[i].size > 0)
			return true;
	}
	return walk->insn->id == X86_INS_POP && frame->stack == 0;
}

/* --- What becomes of the frame ------------------------------------------------------------- */

static void load_stack(struct walk *walk, struct frame *frame, const cs_x86_op *from)
{
	bool kept = from->type == X86_OP_REG ? walk->keeps[from->reg]
					     : is_on_stack(from) && walk->keeps_in_frame;

	if (is_register(from, X86_REG_RBP) && frame->base != unknown)
		frame->stack = frame->base;
	else if (kept)
		frame->stack = unknown;
	else
		walk->trouble = "takes its stack from elsewhere";
}

/* Its first operand is the stack pointer. */
static void change_stack(struct walk *walk, struct frame *frame)
{
	const cs_x86_op *operands = walk->insn->detail->x86.operands;

	switch (walk->insn->id) {
	case X86_INS_SUB:
		frame->stack = operands[1].type == X86_OP_IMM
				       ? stack_sum(frame->stack, -operands[1].imm)
				       : unknown;
		break;
	case X86_INS_ADD:
		frame->stack = operands[1].type == X86_OP_IMM
				       ? stack_sum(frame->stack, operands[1].imm)
				       : unknown;
		break;
	case X86_INS_LEA:
		frame->stack = place_of(&operands[1], frame);
		break;
	case X86_INS_MOV:
		load_stack(walk, frame, &operands[1]);
		break;
	case X86_INS_POP:
	case X86_INS_XCHG:
		walk->trouble = "takes its stack from elsewhere";
		break;
	default:
		frame->stack = unknown;
	}
}

/* A copy of the stack pointer, to be taken back later, as where arrays have a varying size. */
static void keep_stack(struct walk *walk, struct frame *frame, const cs_x86_op *to)
{
	if (is_on_stack(to))
		walk->keeps_in_frame = true;
	if (to->type != X86_OP_REG)
		return;
	walk->keeps[to->reg] = true;
	if (to->reg == X86_REG_RBP)
		frame->base = frame->stack;
}

static void change_frame(struct walk *walk, struct frame *frame)
{
	const cs_insn *insn = walk->insn;
	const cs_x86 *x86 = &insn->detail->x86;
	const cs_x86_op *first = x86->operands;
	int64_t size = x86->op_count ? first->size : ADDRESS_BYTES;

	if (insn->id == X86_INS_LEAVE) {
		frame->stack = stack_sum(frame->base, ADDRESS_BYTES);
		frame->base = unknown;
		return;
	}
	if (insn->id == X86_INS_MOV && is_register(&x86->operands[1], X86_REG_RSP)) {
		keep_stack(walk, frame, first);
		return;
	}
	for (size_t i = 0; i < x86->op_count; i++)
		if (is_register(&x86->operands[i], X86_REG_RBP) &&
		    x86->operands[i].access & CS_AC_WRITE)
			frame->base = unknown;
	if (insn->id == X86_INS_PUSH || insn->id == X86_INS_PUSHFQ)
		frame->stack = stack_sum(frame->stack, -size);
	else if (insn->id == X86_INS_POPFQ ||
		 (insn->id == X86_INS_POP && !is_register(first, X86_REG_RSP)))
		frame->stack = stack_sum(frame->stack, size);
	else if (x86->op_count && is_register(first, X86_REG_RSP) &&
		 (first->access & CS_AC_WRITE || insn->id == X86_INS_XCHG))
		change_stack(walk, frame);
}

/* --- From instruction to instruction ------------------------------------------------------- */

static bool is_in(const struct walk *walk, enum cs_group_type group)
{
	return cs_insn_group(walk->handle, walk->insn, (uint8_t)group);
}

static void remember(struct walk *walk, uint64_t target, const struct frame *frame)
{
	if (target - walk->address >= walk->size || walk->seen[target - walk->address])
		return;
	array_reserve(&walk->todo, &walk->todo_capacity, walk->todo_count + 1);
	walk->todo[walk->todo_count].at = (size_t)(target - walk->address);
	walk->todo[walk->todo_count++].frame = *frame;
}

/* Returns whether what follows is reached from here. */
static bool stack_step(struct walk *walk, struct frame *frame)
{
	const cs_x86 *x86 = &walk->insn->detail->x86;

	if (touches_return(walk, frame))
		walk->trouble = "looks at where it was called from";
	if (is_in(walk, CS_GRP_RET)) {
		if (walk->pushed)
			walk->trouble = "returns to what it has put on the stack itself";
		return false;
	}
	if (is_in(walk, CS_GRP_JUMP)) {
		if (x86->operands[0].type == X86_OP_IMM)
			remember(walk, (uint64_t)x86->operands[0].imm, frame);
		else
			walk->body = *frame;
		return walk->insn->id != X86_INS_JMP;
	}
	if (is_in(walk, CS_GRP_CALL))
		walk->body = *frame;
	change_frame(walk, frame);
	walk->pushed = walk->insn->id == X86_INS_PUSH;
	return walk->insn->id != X86_INS_UD2 && walk->insn->id != X86_INS_HLT;
}

static void follow(struct walk *walk, size_t at, struct frame frame)
{
	const uint8_t *code = walk->code + at;
	uint64_t address = walk->address + at;
	size_t left = walk->size - at;

	walk->pushed = false;
	while (left && !walk->trouble && !walk->seen[walk->size - left]) {
		walk->seen[walk->size - left] = true;
		if (!cs_disasm_iter(walk->handle, &code, &left, &address, walk->insn) ||
		    !stack_step(walk, &frame))
			return;
	}
}

static void follow_all(struct walk *walk, size_t at, struct frame frame)
{
	follow(walk, at, frame);
	while (walk->todo_count && !walk->trouble) {
		walk->todo_count--;
		follow(walk, walk->todo[walk->todo_count].at, walk->todo[walk->todo_count].frame);
	}
}

/* What no jump has led to, in the order of where it is. */
static void follow_rest(struct walk *walk)
{
	const uint8_t *code = walk->code;
	uint64_t address = walk->address;
	size_t left = walk->size;

	while (left && !walk->trouble) {
		size_t at = walk->size - left;

		if (!walk->seen[at])
			follow_all(walk, at, walk->body);
		if (!cs_disasm_iter(walk->handle, &code, &left, &address, walk->insn))
			return;
	}
}

const char *stack_use_trouble(size_t reader, const uint8_t *code, size_t size, uint64_t address)
{
	struct walk walk = {.handle = reader,
			    .insn = cs_malloc(reader),
			    .code = code,
			    .size = size,
			    .address = address,
			    .body = {unknown, unknown}};

	if (!walk.insn)
		return "cannot be read: memory is short";
	walk.seen = xcalloc(size + 1, sizeof(*walk.seen));
	follow_all(&walk, 0, (struct frame){0, unknown});
	follow_rest(&walk);
	free(walk.seen);
	free(walk.todo);
	cs_free(walk.insn, 1);
	return walk.trouble;
}

#else

const char *stack_use_trouble(size_t reader, const uint8_t *code, size_t size, uint64_t address)
{
	(void)reader, (void)code, (void)size, (void)address;
	return "is of a machine whose functions are not patched";
}

#endif
