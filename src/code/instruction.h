/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The effects of machine instructions on registers, memory and control flow, and the loops that
 * they form: as much as is needed to distinguish a waiting loop from a working one. libcapstone
 * decodes the instructions; its known errors about registers are corrected here.
 */
#ifndef PSCAL_CODE_INSTRUCTION_H
#define PSCAL_CODE_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instruction_reader;

enum instruction_set { INSTRUCTIONS_X86_64, INSTRUCTIONS_AARCH64, INSTRUCTION_SETS };

/* The place at which execution continues. */
enum flow {
	FLOW_NEXT,
	FLOW_JUMP,   /* at the target */
	FLOW_BRANCH, /* at the target or at the next instruction */
	FLOW_CALL,   /* at the next instruction, after other code; also system calls */
	FLOW_END,    /* unknown: returns, traps, jumps to a register */
};

/*
 * Sets of registers, a bit each; a part of a register counts as the whole register. REGISTERS_OTHER
 * are vector registers and the like, REGISTERS_FLAGS the flags that comparisons set and branches
 * read.
 */
typedef uint64_t registers;
#define REGISTERS_FLAGS ((registers)1 << 62)
#define REGISTERS_OTHER ((registers)1 << 63)

struct instruction {
	uint64_t address, target;
	size_t size;
	enum flow flow;
	registers reads, writes;
	registers places; /* registers read to form addresses in memory */
	registers sent;	  /* registers that an attempt would write to memory */
	bool loads, stores;
	bool attempts; /* an atomic exchange, or one that may fail; it does not count as a store */
	bool on_stack; /* it stores to the stack */
	bool relaxes;  /* says to the CPU that this is a wait loop */
	bool steps;    /* its result is a register plus a constant */
};

/* Returns NULL if libcapstone does not support these instructions. */
struct instruction_reader *instruction_reader_new(enum instruction_set set);
void instruction_reader_free(struct instruction_reader *reader);

/*
 * Reads the instruction at the beginning of `code`, which is at `address`. Returns 0, or -1 if
 * there is none, or not all of it.
 */
int instruction_read(struct instruction *instruction, struct instruction_reader *reader,
		     const uint8_t *code, size_t length, uint64_t address);

/* --- Loops --------------------------------------------------------------------------------- */

/*
 * The loops around a place in machine code. The bytes before a place cannot be split into
 * instructions on x86, where any byte may begin one; but a sampled address of a thread begins one,
 * and so does every instruction that can be reached from there. A loop leads back to the place.
 */

/* The bytes on either side of the place that are examined, and the most instructions in them. */
enum { CODE_REACH = 128, CODE_STEPS_MAX = 96, CODE_NOWHERE = -1 };

/* Bytes of a program that are at `address` while it runs. */
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

/* Finds the instructions that can be reached from `address`. Returns 0, or -1 if there is none. */
int code_flow_init(struct code_flow *flow, struct instruction_reader *reader,
		   const struct code *code, uint64_t address);

struct code_loop {
	size_t head;		  /* the step to which a branch jumps back */
	bool has[CODE_STEPS_MAX]; /* the steps on any way from the head back to it */
	size_t count;		  /* number of these steps */
};

/* Finds the loop with this head. False: there is none, or the place is not in it. */
bool code_loop_find(struct code_loop *loop, const struct code_flow *flow, size_t head);

/* Returns whether a branch of this step can leave the loop. */
bool code_loop_leaves(const struct code_loop *loop, const struct code_step *step);

#endif
