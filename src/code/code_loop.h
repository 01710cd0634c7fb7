/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loops around a place in machine code. What lies before a place cannot be told into
 * instructions, on x86 where any byte may begin one; but an address that a thread was sampled at
 * begins one, and so does whatever can be reached from there. A loop leads back to the place.
 */
#ifndef PSCAL_CODE_CODE_LOOP_H
#define PSCAL_CODE_CODE_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/instruction.h"

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

/* What can be reached from a place, which is the first step. */
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
