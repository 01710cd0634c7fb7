/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one machine instruction does to registers, to memory and to the flow of control: as much as
 * telling a loop that waits from one that works takes. Read by libcapstone, and put right where
 * that is known to be wrong about who reads and writes what.
 */
#ifndef PSCAL_CODE_INSTRUCTION_H
#define PSCAL_CODE_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instruction_reader;

enum instruction_set { INSTRUCTIONS_X86_64, INSTRUCTIONS_AARCH64, INSTRUCTION_SETS };

/* Where it goes on. */
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

#endif
