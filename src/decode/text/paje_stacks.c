/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/paje_stacks.h"

#include "base/alloc.h"
#include "decode/event/scan.h"

#include <math.h>
#include <stdlib.h>

enum { NO_STACK = -1 };

struct container {
	char comm[COMM_SIZE];
	int32_t first; /* of its stacks that are threads, or NO_STACK */
	bool known;    /* it has been created, or met */
};

struct stack {
	uint32_t *states; /* blocks */
	size_t depth, capacity;
	int32_t tid;  /* 0: it is none yet, or no longer */
	int32_t next; /* of the same container, or NO_STACK */
	uint32_t container;
	bool known;
};

/* What is left to do of a line. */
struct work {
	uint64_t time_ns;
	int32_t stack;	/* NO_STACK: nothing */
	size_t down_to; /* this depth, ... */
	int32_t then;	/* ... and then this block is entered, or BLOCK_NONE */
	bool all, ends; /* with all other stacks of the container; its threads end */
};

struct paje_stacks {
	struct blocks *blocks;
	/* Words to numbers: values, containers, and containers with a type of states. */
	struct blocks values, containers, stacks;
	int32_t *value_blocks; /* + 1; 0: not met yet */
	size_t value_capacity;
	struct container *container;
	size_t container_capacity;
	struct stack *stack;
	size_t stack_capacity;
	char *key;
	size_t key_capacity;
	int32_t last_tid;
	struct work work;
};

struct paje_stacks *paje_stacks_new(struct blocks *blocks)
{
	struct paje_stacks *stacks = xcalloc(1, sizeof(*stacks));

	stacks->blocks = blocks;
	stacks->work.stack = NO_STACK;
	return stacks;
}

void paje_stacks_free(struct paje_stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; i < stacks->stack_capacity; i++)
		free(stacks->stack[i].states);
	blocks_release(&stacks->values);
	blocks_release(&stacks->containers);
	blocks_release(&stacks->stacks);
	free(stacks->value_blocks);
	free(stacks->container);
	free(stacks->stack);
	free(stacks->key);
	free(stacks);
}

/* --- Words to numbers ---------------------------------------------------------------------- */

/* The number of both words together, which may be one that is new; -1: there are too many. */
static int32_t number_of(struct paje_stacks *stacks, struct blocks *table,
			 const struct paje_word *one, const struct paje_word *other)
{
	size_t length = one->length + 1 + other->length;

	array_reserve(&stacks->key, &stacks->key_capacity, length);
	memcpy(stacks->key, one->at, one->length);
	stacks->key[one->length] = '\t'; /* in no word */
	memcpy(stacks->key + one->length + 1, other->at, other->length);
	return blocks_number(table, stacks->key, length);
}

static int32_t find_container(struct paje_stacks *stacks, const struct paje_word *word)
{
	int32_t number = blocks_number(&stacks->containers, word->at, word->length);
	struct container *container;

	if (number < 0)
		return -1;
	array_reserve(&stacks->container, &stacks->container_capacity, (size_t)number + 1);
	container = &stacks->container[number];
	if (!container->known) {
		container->known = true;
		container->first = NO_STACK;
		event_set_comm(container->comm, word->at, word->length);
	}
	return number;
}

static int32_t find_stack(struct paje_stacks *stacks, const struct paje_line *line)
{
	const struct paje_word *word = &line->fields[PAJE_CONTAINER];
	int32_t number = number_of(stacks, &stacks->stacks, word, &line->fields[PAJE_TYPE]);
	struct stack *stack;
	int32_t container;

	if (number < 0)
		return NO_STACK;
	array_reserve(&stacks->stack, &stacks->stack_capacity, (size_t)number + 1);
	stack = &stacks->stack[number];
	if (stack->known)
		return number;
	container = find_container(stacks, word);
	if (container < 0)
		return NO_STACK;
	stack->known = true;
	stack->container = (uint32_t)container;
	return number;
}

/* The block of a value; one that nothing defines is called as it stands there. */
static int32_t find_block(struct paje_stacks *stacks, const struct paje_line *line)
{
	const struct paje_word *value = &line->fields[PAJE_VALUE];
	int32_t number = number_of(stacks, &stacks->values, &line->fields[PAJE_TYPE], value);

	if (number < 0 || !value->length)
		return BLOCK_NONE;
	array_reserve(&stacks->value_blocks, &stacks->value_capacity, (size_t)number + 1);
	if (!stacks->value_blocks[number])
		stacks->value_blocks[number] =
			blocks_number(stacks->blocks, value->at, value->length) + 1;
	return stacks->value_blocks[number] - 1;
}

/* --- Lines --------------------------------------------------------------------------------- */

/* Seconds, which may also be written as 1.5e-05. */
static int read_time(uint64_t *time_ns, const struct paje_word *word)
{
	const char *end = scan_seconds(word->at, time_ns);
	double seconds;
	char *rest;

	if (end == word->at + word->length)
		return 0;
	seconds = strtod(word->at, &rest);
	if (rest != word->at + word->length || !(seconds >= 0) || seconds > 1e10)
		return -1;
	*time_ns = (uint64_t)llround(seconds * 1e9);
	return 0;
}

/* An alias that is not there is the name itself. */
static const struct paje_word *alias_of(const struct paje_line *line)
{
	return line->fields[PAJE_ALIAS].at ? &line->fields[PAJE_ALIAS] : &line->fields[PAJE_NAME];
}

static int take_value(struct paje_stacks *stacks, const struct paje_line *line)
{
	const struct paje_word *name = &line->fields[PAJE_NAME];
	int32_t number =
		number_of(stacks, &stacks->values, &line->fields[PAJE_TYPE], alias_of(line));

	if (number < 0 || !name->length)
		return -1;
	array_reserve(&stacks->value_blocks, &stacks->value_capacity, (size_t)number + 1);
	stacks->value_blocks[number] = blocks_number(stacks->blocks, name->at, name->length) + 1;
	return 0;
}

static int take_container(struct paje_stacks *stacks, const struct paje_line *line)
{
	const struct paje_word *name = &line->fields[PAJE_NAME];
	int32_t number = find_container(stacks, alias_of(line));

	if (number < 0)
		return -1;
	event_set_comm(stacks->container[number].comm, name->at, name->length);
	return 0;
}

static int take_end(struct paje_stacks *stacks, const struct paje_line *line, struct work *work)
{
	int32_t container = find_container(stacks, &line->fields[PAJE_NAME]);

	if (container < 0)
		return -1;
	work->stack = stacks->container[container].first;
	stacks->container[container].first = NO_STACK;
	work->all = work->ends = true;
	return 0;
}

static int take_state(struct paje_stacks *stacks, const struct paje_line *line, struct work *work)
{
	size_t depth;

	work->stack = find_stack(stacks, line);
	if (work->stack == NO_STACK)
		return -1;
	depth = stacks->stack[work->stack].depth;
	if (line->kind == PAJE_PUSH)
		work->down_to = depth;
	else if (line->kind == PAJE_POP && !depth)
		return -1;
	else if (line->kind == PAJE_POP)
		work->down_to = depth - 1;
	if (line->kind != PAJE_PUSH && line->kind != PAJE_SET)
		return 0;
	work->then = find_block(stacks, line);
	return work->then == BLOCK_NONE || work->down_to == PAJE_DEPTH ? -1 : 0;
}

int paje_stacks_take(struct paje_stacks *stacks, const struct paje_line *line)
{
	struct work work = {.then = BLOCK_NONE, .stack = NO_STACK};
	int rc;

	if (line->kind == PAJE_ENTITY_VALUE)
		return take_value(stacks, line);
	if (line->kind == PAJE_CREATE)
		return take_container(stacks, line);
	if (read_time(&work.time_ns, &line->fields[PAJE_TIME]))
		return -1;
	rc = (line->kind == PAJE_DESTROY ? take_end : take_state)(stacks, line, &work);
	if (!rc)
		stacks->work = work;
	return rc;
}

/* --- Events -------------------------------------------------------------------------------- */

static void make_event(const struct paje_stacks *stacks, struct event *event, enum event_kind kind,
		       const struct stack *stack)
{
	*event = event_new(kind, stacks->work.time_ns);
	event->tid = stack->tid;
	memcpy(event->comm, stacks->container[stack->container].comm, COMM_SIZE);
}

static void begin_thread(struct paje_stacks *stacks, struct stack *stack)
{
	struct container *container = &stacks->container[stack->container];

	stack->tid = ++stacks->last_tid;
	stack->next = container->first;
	container->first = (int32_t)(stack - stacks->stack);
}

static void enter(struct paje_stacks *stacks, struct event *event, struct stack *stack)
{
	if (!stack->tid)
		begin_thread(stacks, stack);
	array_reserve(&stack->states, &stack->capacity, stack->depth + 1);
	stack->states[stack->depth++] = (uint32_t)stacks->work.then;
	make_event(stacks, event, EVENT_ENTER, stack);
	event->block = (uint32_t)stacks->work.then;
	stacks->work.then = BLOCK_NONE;
}

bool paje_stacks_pop(struct paje_stacks *stacks, struct event *event)
{
	struct work *work = &stacks->work;

	for (; work->stack != NO_STACK;
	     work->stack = work->all ? stacks->stack[work->stack].next : NO_STACK) {
		struct stack *stack = &stacks->stack[work->stack];

		if (stack->depth > work->down_to) {
			make_event(stacks, event, EVENT_LEAVE, stack);
			event->block = stack->states[--stack->depth];
			return true;
		}
		if (work->then != BLOCK_NONE) {
			enter(stacks, event, stack);
			work->stack = NO_STACK;
			return true;
		}
		if (work->ends && stack->tid) {
			make_event(stacks, event, EVENT_END, stack);
			stack->tid = 0;
			return true;
		}
	}
	return false;
}
