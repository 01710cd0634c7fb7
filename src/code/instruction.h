/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The effects of machine instructions on registers, on memory and on the flow of control, and the
 * loops that they form: as much as is needed to tell a waiting loop from a working one. libcapstone
 * decodes the instructions; its known errors about registers are corrected here.
 */
#ifndef PSCAL_CODE_INSTRUCTION_H
#define PSCAL_CODE_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instruction_reader;

enum instruction_set { INSTRUCTIONS_X86_64, INSTRUCTIONS_AARCH64, INSTRUCTION_SETS };

/* The place at which execution goes on. */
enum flow {
	FLOW_NEXT,
	FLOW_JUMP,   /* at the target */
	FLOW_BRANCH, /* at the target or behind it */
	FLOW_CALL,   /* behind it, after other code; also system calls */
	FLOW_END,    /* not known: returns, traps, jumps to what stands in a register */
};

/*
 * Sets of registers, a bit each; a part of a register is all of it. REGISTERS_OTHER are those of
 * vectors and the like, REGISTERS_FLAGS what compares leave and branches read.
 */
typedef uint64_t registers;
#define REGISTERS_FLAGS ((registers)1 << 62)
#define REGISTERS_OTHER ((registers)1 << 63)

struct instruction {
	uint64_t address, target;
	size_t size;
	enum flow flow;
	registers reads, writes;
	registers places; /* of those that it reads: what addresses in memory are made of */
	registers sent;	  /* ... what an attempt would write */
	bool loads, stores;
	bool attempts; /* an atomic exchange, or one that may fail; it does not count as a store */
	bool on_stack; /* what it stores */
	bool relaxes;  /* says to the CPU that this is a wait loop */
	bool steps;    /* its result is a register plus a constant */
};

/* NULL when libcapstone does not know them. */
struct instruction_reader *instruction_reader_new(enum instruction_set set);
void instruction_reader_free(struct instruction_reader *reader);

/*
 * The instruction at the beginning of `code`, which lies at `address`. Returns -1 when there is
 * none, or not all of it.
 */
int instruction_read(struct instruction *instruction, struct instruction_reader *reader,
		     const uint8_t *code, size_t length, uint64_t address);

/* --- Loops --------------------------------------------------------------------------------- */

/*
 * The loops around a place in machine code. The bytes before a place cannot be split into
 * instructions on x86, where any byte may begin one; but an address that a thread was sampled at
 * begins one, and so does every instruction that can be reached from there. A loop leads back to
 * the place.
 */

/* Bytes on either side of the place that are looked at, and instructions among them. */
enum { CODE_REACH = 128, CODE_STEPS_MAX = 96, CODE_NOWHERE = -1 };

/* Bytes of a program that lie at `address` while it runs. */
struct code {
	const uint8_t *bytes;
	size_t length;
	uint64_t address;
};

struct code_step {
	struct instruction instruction;
	int next[2]; /* the steps that may follow; CODE_NOWHERE: none, or too far away */
};

/* The instructions that can be reached from a place, which is the first step. */
struct code_flow {
	struct code_step steps[CODE_STEPS_MAX];
	size_t count;
};

/* Returns -1 when there is no instruction at `address`. */
int code_flow_init(struct code_flow *flow, struct instruction_reader *reader,
		   const struct code *code, uint64_t address);

struct code_loop {
	size_t head;		  /* the step that a branch goes back to */
	bool has[CODE_STEPS_MAX]; /* the steps on any way from the head back to it */
	size_t count;		  /* of those */
};

/* The loop with this head; false when there is none, or the place is not in it. */
bool code_loop_find(struct code_loop *loop, const struct code_flow *flow, size_t head);

/* Does this step end the loop when its branch goes the right way? */
bool code_loop_leaves(const struct code_loop *loop, const struct code_step *step);

#endif
