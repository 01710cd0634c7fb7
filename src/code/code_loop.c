/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/code_loop.h"

#include <string.h>

/* --- What can be reached ------------------------------------------------------------------- */

static int find(const struct code_flow *flow, uint64_t address)
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

/* The step of the instruction at `address`; a new one is read. */
static int step_at(struct code_flow *flow, struct instruction_reader *reader,
		   const struct code *code, uint64_t address)
{
	uint64_t place = flow->count ? flow->steps[0].instruction.address : address;
	struct code_step *step = &flow->steps[flow->count];
	uint64_t offset = address - code->address;
	int known = find(flow, address);

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

/* --- What leads back ----------------------------------------------------------------------- */

/* Marks what follows the head, but not what follows that by way of the head. */
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

/* Does this step go back to the head? What only goes on to it comes from outside. */
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

/* Does it lead to what is in the loop by now, other than by way of the head? */
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
