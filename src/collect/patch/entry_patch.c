/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/entry_patch.h"

#if defined(__x86_64__)

#include "base/alloc.h"

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_in(csh handle, const cs_insn *insn, enum cs_group_type group)
{
	return cs_insn_group(handle, insn, (uint8_t)group);
}

/* --- The stack ----------------------------------------------------------------------------- */

/*
 * The use of the stack by a function, if its return address is changed:
 *
 *  - a function that reads, writes or pops its return address depends on its caller, or returns
 *    more than once, or elsewhere: setjmp, vfork, getcontext, dlsym, dl_iterate_phdr, mcount,
 *    coroutines, the unwinder;
 *  - a function that loads its stack pointer from elsewhere returns on another stack.
 *
 * Instructions are followed from the entry along all jumps within the function, with the distances
 * of the stack pointer, and of the frame pointer if it is one, from the return address. Code that
 * no direct jump reaches, such as cases of a switch and landing pads of exceptions, is read with
 * the distances of the indirect jump, or of the calls.
 */

/* The distances of the stack pointer and the frame pointer from the return address. */
struct frame {
	int64_t stack, base;
};

static const int64_t unknown = INT64_MAX;

enum { ADDRESS_BYTES = 8 };

struct entry_reader {
	csh handle; /* for x86-64, with details */
	cs_insn *insn;
};

struct walk {
	csh handle;
	cs_insn *insn;
	const uint8_t *code;
	size_t size;
	uint64_t address;
	uint64_t entry_end; /* end of the entry that is to be changed */
	uint8_t *lengths;   /* length of the instruction that begins at each byte; 0: not read */
	struct {
		size_t at;
		struct frame frame;
	} * todo;
	size_t todo_count, todo_capacity;
	struct frame body;	    /* the frame of its calls, or of its indirect jumps */
	bool keeps[X86_REG_ENDING]; /* registers that have held the stack pointer */
	bool keeps_in_frame;	    /* ... or a place on the stack has */
	bool pushed;		    /* by the last instruction */
	bool jumps_back;	    /* to the entry, behind its first byte or to that */
	bool jumps_anywhere;	    /* to an address in a register or in memory */
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

/* Returns the distance of an operand from the return address. */
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

/* Returns whether the instruction reads or writes the return address, or takes its place. */
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

/* --- Changes of the frame ------------------------------------------------------------------- */

static void load_stack(struct walk *walk, struct frame *frame, const cs_x86_op *from)
{
	bool kept = from->type == X86_OP_REG ? walk->keeps[from->reg]
					     : is_on_stack(from) && walk->keeps_in_frame;

	if (is_register(from, X86_REG_RBP) && frame->base != unknown)
		frame->stack = frame->base;
	else if (kept)
		frame->stack = unknown;
	else
		walk->trouble = "changes to another stack";
}

/* Applies an instruction whose first operand is the stack pointer. */
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
		walk->trouble = "changes to another stack";
		break;
	default:
		frame->stack = unknown;
	}
}

/*
 * Notes a copy of the stack pointer, which may be restored later, as with arrays of variable size.
 */
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

static void remember(struct walk *walk, uint64_t target, const struct frame *frame)
{
	if (target - walk->address >= walk->size || walk->lengths[target - walk->address])
		return;
	array_reserve(&walk->todo, &walk->todo_capacity, walk->todo_count + 1);
	walk->todo[walk->todo_count].at = (size_t)(target - walk->address);
	walk->todo[walk->todo_count++].frame = *frame;
}

/* Returns whether it is a direct jump, and its *target. */
static bool names_target(csh handle, const cs_insn *insn, uint64_t *target)
{
	const cs_x86 *x86 = &insn->detail->x86;

	if (!is_in(handle, insn, CS_GRP_JUMP) || x86->op_count != 1 ||
	    x86->operands[0].type != X86_OP_IMM)
		return false;
	*target = (uint64_t)x86->operands[0].imm;
	return true;
}

/* Notes a jump that may lead to the entry. Returns whether it is a direct one, and its *target. */
static bool note_jump(struct walk *walk, uint64_t *target)
{
	if (!names_target(walk->handle, walk->insn, target)) {
		walk->jumps_anywhere = true;
		return false;
	}
	walk->jumps_back |= *target >= walk->address && *target < walk->entry_end;
	return true;
}

/* Follows an instruction. Returns whether the next one is reached from here. */
static bool stack_step(struct walk *walk, struct frame *frame)
{
	uint64_t target;

	if (touches_return(walk, frame))
		walk->trouble = "reads its return address";
	if (is_in(walk->handle, walk->insn, CS_GRP_RET)) {
		if (walk->pushed)
			walk->trouble = "returns to an address that it pushed itself";
		return false;
	}
	if (is_in(walk->handle, walk->insn, CS_GRP_JUMP)) {
		if (note_jump(walk, &target))
			remember(walk, target, frame);
		else
			walk->body = *frame;
		return walk->insn->id != X86_INS_JMP;
	}
	if (is_in(walk->handle, walk->insn, CS_GRP_CALL))
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
	while (left && !walk->trouble && !walk->lengths[walk->size - left]) {
		uint8_t *length = &walk->lengths[walk->size - left];

		if (!cs_disasm_iter(walk->handle, &code, &left, &address, walk->insn))
			return;
		*length = (uint8_t)walk->insn->size;
		if (!stack_step(walk, &frame))
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

/*
 * Follows instructions that no jump reaches, in the order of their places. Returns whether all are
 * known.
 */
static bool follow_rest(struct walk *walk)
{
	for (size_t at = 0; at < walk->size && !walk->trouble; at += walk->lengths[at]) {
		if (!walk->lengths[at])
			follow_all(walk, at, walk->body);
		if (!walk->lengths[at])
			return false;
	}
	return true;
}

/* --- The entry ------------------------------------------------------------------------------ */

/* The sizes of a jump of 32 bits and of ENDBR. */
enum { JUMP_BYTES = 5, ENDBR_BYTES = 4 };

/* A function that is being examined. */
struct entry {
	csh handle;
	cs_insn *insn;
	const uint8_t *code; /* code from the place of the jump on */
	size_t size, room;
	uint64_t address;
	bool only_saves; /* moved code only makes room on the stack and saves registers there */
};

/* --- Instructions -------------------------------------------------------------------------- */

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

/* --- Moving an instruction ------------------------------------------------------------------ */

static const char *add_fixup(struct plan_patch *patch, uint64_t target, size_t at, size_t end)
{
	if (patch->fixup_count == PLAN_FIXUPS_MAX)
		return "begins with too many relative references";
	patch->fixups[patch->fixup_count].target = target;
	patch->fixups[patch->fixup_count].at = (uint8_t)at;
	patch->fixups[patch->fixup_count].end = (uint8_t)end;
	patch->fixup_count++;
	return NULL;
}

/* Moves a jump; a short one becomes a long one. */
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

/* Moves an instruction with operands relative to its end. */
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
				       : "begins with a reference of an unknown form";
	return NULL;
}

static const char *move(struct entry *entry, struct plan_patch *patch)
{
	uint64_t target;

	if (patch->moved_length + entry->insn->size + 4 > PLAN_MOVED_MAX)
		return "begins with instructions that are too long";
	if (is_in(entry->handle, entry->insn, CS_GRP_CALL))
		return "begins with a call that could not be unwound";
	if (is_in(entry->handle, entry->insn, CS_GRP_INT))
		return "begins with a trap or a system call";
	if (names_target(entry->handle, entry->insn, &target))
		return move_jump(patch, entry->insn, target);
	if (is_in(entry->handle, entry->insn, CS_GRP_BRANCH_RELATIVE))
		return "begins with a jump that reaches only near places";
	return move_relative(patch, entry->insn);
}

/* --- The function -------------------------------------------------------------------------- */

/* Moves instructions until there is room for a jump; padding is not moved. */
static const char *move_entry(struct entry *entry, struct plan_patch *patch)
{
	const uint8_t *code = entry->code;
	size_t left = entry->size + entry->room;
	uint64_t address = entry->address;

	entry->only_saves = true;
	while (patch->length < JUMP_BYTES) {
		const char *why = NULL;

		if (!cs_disasm_iter(entry->handle, &code, &left, &address, entry->insn))
			return patch->length < entry->size ? "begins with unknown instructions"
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

/* Checks that no jump leads into the place of the new jump, and the use of the stack. */
static const char *check_code(const struct entry *entry, size_t length)
{
	struct walk walk = {.handle = entry->handle,
			    .insn = entry->insn,
			    .code = entry->code,
			    .size = entry->size,
			    .address = entry->address,
			    .entry_end = entry->address + length,
			    .lengths = xcalloc(entry->size + 1, sizeof(*walk.lengths)),
			    .body = {unknown, unknown}};
	bool known;

	follow_all(&walk, 0, (struct frame){0, unknown});
	known = follow_rest(&walk);
	free(walk.lengths);
	free(walk.todo);
	if (walk.trouble)
		return walk.trouble;
	if (!known)
		return "holds unknown instructions, which may jump to its entry";
	if (walk.jumps_back)
		return "jumps back to its entry";
	if (walk.jumps_anywhere && !entry->only_saves)
		return "jumps to unknown places, perhaps to its entry";
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
	return check_code(entry, patch->length);
}

struct entry_reader *entry_reader_new(void)
{
	struct entry_reader *reader = xcalloc(1, sizeof(*reader));

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &reader->handle)) {
		free(reader);
		return NULL;
	}
	cs_option(reader->handle, CS_OPT_DETAIL, CS_OPT_ON);
	reader->insn = cs_malloc(reader->handle);
	if (reader->insn)
		return reader;
	entry_reader_free(reader);
	return NULL;
}

void entry_reader_free(struct entry_reader *reader)
{
	if (!reader)
		return;
	if (reader->insn)
		cs_free(reader->insn, 1);
	cs_close(&reader->handle);
	free(reader);
}

const char *entry_patch_make(struct plan_patch *patch, struct entry_reader *reader,
			     const uint8_t *code, size_t size, size_t room, uint64_t address)
{
	static const uint8_t endbr[ENDBR_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t skip = size >= ENDBR_BYTES && !memcmp(code, endbr, ENDBR_BYTES) ? ENDBR_BYTES : 0;
	struct entry entry = {
		.code = code + skip, .size = size - skip, .room = room, .address = address + skip};

	if (!reader)
		return "cannot be read: there is no memory";
	entry.handle = reader->handle;
	entry.insn = reader->insn;
	return make_entry(&entry, patch, address);
}

#else

struct entry_reader *entry_reader_new(void)
{
	return NULL;
}

void entry_reader_free(struct entry_reader *reader)
{
	(void)reader;
}

const char *entry_patch_make(struct plan_patch *patch, struct entry_reader *reader,
			     const uint8_t *code, size_t size, size_t room, uint64_t address)
{
	(void)reader, (void)code, (void)size, (void)room, (void)address;
	*patch = (struct plan_patch){0};
	return "is not for x86-64, the only machine with --probe";
}

#endif
