/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces of Paje, as EZTrace, StarPU and SimGrid write them and ViTE shows them. They describe
 * their own layout first ([Schnorr, "Paje trace file format", version 1.3, 2014]):
 *
 *	%EventDef PajePushState 12
 *	%	Time date
 *	%	Type string
 *	%	Container string
 *	%	Value string
 *	%EndEventDef
 *	12 0.205730 ST_Thread T1 STV_Compute
 *
 * A container becomes a thread for each type of its states, as each type has its own stack. Threads
 * are numbered from 1 on in the order of their first states, and have the name of the container. A
 * state is a block, with the name that PajeDefineEntityValue gives its value. PushState enters one,
 * PopState leaves the innermost, ResetState leaves all, SetState leaves all and enters another;
 * DestroyContainer ends threads. Times are seconds. All other events are ignored.
 */
#include "base/alloc.h"
#include "decode/event/blocks.h"
#include "decode/text/line_layout.h"
#include "decode/text/scan.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- Words --------------------------------------------------------------------------------- */

/* The events of use here. */
enum paje_kind {
	PAJE_NONE, /* not described, or unknown in the format */
	PAJE_OTHER,
	PAJE_ENTITY_VALUE,
	PAJE_CREATE,
	PAJE_DESTROY,
	PAJE_SET,
	PAJE_PUSH,
	PAJE_POP,
	PAJE_RESET,
};

/* The fields of use here. */
enum paje_field {
	PAJE_TIME,
	PAJE_TYPE,
	PAJE_CONTAINER,
	PAJE_VALUE,
	PAJE_ALIAS,
	PAJE_NAME,
	PAJE_FIELDS,
};

enum { PAJE_WORDS = 32, PAJE_NUMBERS = 1 << 16 };

struct paje_layout {
	enum paje_kind kind;
	uint8_t words;		    /* the number of its fields */
	uint8_t place[PAJE_FIELDS]; /* the place of each field of use, from 1 on; 0: missing */
};

/* The layouts of a text; empty ones are all zero. */
struct paje_layouts {
	struct paje_layout *items; /* layouts by the number at the beginning of lines */
	size_t count;
	struct paje_layout *current; /* the layout whose fields are being listed; NULL: none */
	enum paje_kind kind;	     /* the kind of `current` when it ends */
};

/* Bytes of a line. */
struct paje_word {
	const char *at; /* NULL: missing */
	size_t length;
};

struct paje_line {
	enum paje_kind kind;
	struct paje_word fields[PAJE_FIELDS];
};

/* Reads the next word, without quotation marks. Returns the rest, or NULL if there is no word. */
static const char *next_word(struct paje_word *word, const char *at)
{
	at = scan_blanks(at);
	if (*at == '"') {
		word->at = at + 1;
		word->length = strcspn(at + 1, "\"");
		at += 1 + word->length;
		return *at ? at + 1 : NULL;
	}
	word->at = at;
	word->length = strcspn(at, " \t");
	return word->length ? at + word->length : NULL;
}

static bool is_word(const struct paje_word *word, const char *text)
{
	return strlen(text) == word->length && memcmp(word->at, text, word->length) == 0;
}

/* --- The head ------------------------------------------------------------------------------ */

static enum paje_kind paje_kind_of(const struct paje_word *name)
{
	static const struct {
		const char *name;
		enum paje_kind kind;
	} kinds[] = {
		{"PajeDefineEntityValue", PAJE_ENTITY_VALUE},
		{"PajeCreateContainer", PAJE_CREATE},
		{"PajeDestroyContainer", PAJE_DESTROY},
		{"PajeSetState", PAJE_SET},
		{"PajePushState", PAJE_PUSH},
		{"PajePopState", PAJE_POP},
		{"PajeResetState", PAJE_RESET},
		{"PajeDefineContainerType", PAJE_OTHER},
		{"PajeDefineStateType", PAJE_OTHER},
		{"PajeDefineEventType", PAJE_OTHER},
		{"PajeDefineVariableType", PAJE_OTHER},
		{"PajeDefineLinkType", PAJE_OTHER},
		{"PajeNewEvent", PAJE_OTHER},
		{"PajeSetVariable", PAJE_OTHER},
		{"PajeAddVariable", PAJE_OTHER},
		{"PajeSubVariable", PAJE_OTHER},
		{"PajeStartLink", PAJE_OTHER},
		{"PajeEndLink", PAJE_OTHER},
		{"PajeTraceFile", PAJE_OTHER},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (is_word(name, kinds[i].name))
			return kinds[i].kind;
	return PAJE_NONE;
}

/* Returns true if the layout has all fields that a line of this kind needs. */
static bool layout_is_whole(const struct paje_layout *layout, enum paje_kind kind)
{
	static const uint8_t needed[][PAJE_FIELDS] = {
		[PAJE_OTHER] = {0},
		[PAJE_ENTITY_VALUE] = {[PAJE_TYPE] = 1, [PAJE_NAME] = 1},
		[PAJE_CREATE] = {[PAJE_NAME] = 1},
		[PAJE_DESTROY] = {[PAJE_TIME] = 1, [PAJE_NAME] = 1},
		[PAJE_SET] =
			{[PAJE_TIME] = 1, [PAJE_TYPE] = 1, [PAJE_CONTAINER] = 1, [PAJE_VALUE] = 1},
		[PAJE_PUSH] =
			{[PAJE_TIME] = 1, [PAJE_TYPE] = 1, [PAJE_CONTAINER] = 1, [PAJE_VALUE] = 1},
		[PAJE_POP] = {[PAJE_TIME] = 1, [PAJE_TYPE] = 1, [PAJE_CONTAINER] = 1},
		[PAJE_RESET] = {[PAJE_TIME] = 1, [PAJE_TYPE] = 1, [PAJE_CONTAINER] = 1},
	};

	for (size_t i = 0; i < PAJE_FIELDS; i++)
		if (needed[kind][i] && !layout->place[i])
			return false;
	return true;
}

/* Returns the field of this name; older traces have other names for some fields. */
static enum paje_field paje_field_of(const struct paje_word *name, enum paje_kind kind)
{
	static const struct {
		const char *name;
		enum paje_field field;
	} fields[] = {
		{"Time", PAJE_TIME},	       {"Type", PAJE_TYPE},   {"EntityType", PAJE_TYPE},
		{"Container", PAJE_CONTAINER}, {"Value", PAJE_VALUE}, {"Alias", PAJE_ALIAS},
		{"Name", PAJE_NAME},
	};

	if (kind == PAJE_DESTROY && is_word(name, "Container"))
		return PAJE_NAME;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (is_word(name, fields[i].name))
			return fields[i].field;
	return PAJE_FIELDS;
}

/* The letters of all names in a head. */
#define NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* Reads `NAME NUMBER`, the first line of a layout. */
static int begin_layout(struct paje_layouts *layouts, const char *at)
{
	struct paje_word name;
	int32_t number;

	at = next_word(&name, at);
	at = at ? scan_number(scan_blanks(at), &number) : NULL;
	layouts->current = NULL;
	if (!at || *scan_blanks(at) || number < 0 || number >= PAJE_NUMBERS ||
	    strspn(name.at, NAME_LETTERS) < name.length)
		return -1;
	array_reserve(&layouts->items, &layouts->count, (size_t)number + 1);
	layouts->current = &layouts->items[number];
	*layouts->current = (struct paje_layout){.kind = PAJE_NONE}; /* until the layout ends */
	layouts->kind = paje_kind_of(&name);
	return 0;
}

/* Reads `NAME TYPE`, a field of a layout. */
static int add_field(struct paje_layouts *layouts, const struct paje_word *name)
{
	struct paje_layout *layout = layouts->current;
	enum paje_field field;

	if (!layout || layout->words == PAJE_WORDS)
		return -1;
	field = paje_field_of(name, layouts->kind);
	layout->words++;
	if (field < PAJE_FIELDS && !layout->place[field])
		layout->place[field] = layout->words;
	return 0;
}

/* Ends a layout. If lines within it are missing, its events are not read. */
static int end_layout(struct paje_layouts *layouts)
{
	struct paje_layout *layout = layouts->current;
	bool whole = layout && layout_is_whole(layout, layouts->kind);

	layouts->current = NULL;
	if (layout)
		layout->kind = whole ? layouts->kind : PAJE_OTHER;
	return whole ? 0 : -1;
}

/* Reads a line of the head, behind the percent sign. */
static int read_head(struct paje_layouts *layouts, const char *at)
{
	struct paje_word word;

	at = next_word(&word, at);
	if (!at)
		return 0;
	if (is_word(&word, "EventDef"))
		return begin_layout(layouts, at);
	if (is_word(&word, "EndEventDef"))
		return end_layout(layouts);
	return add_field(layouts, &word);
}

/* Returns true for "%EventDef NAME NUMBER", the beginning of a head. */
static bool paje_layouts_is_head(const char *text)
{
	struct paje_word word, name;
	const char *at = scan_blanks(text);

	at = *at == '%' ? next_word(&word, at + 1) : NULL;
	at = at && is_word(&word, "EventDef") ? next_word(&name, at) : NULL;
	return at && name.length > 4 && memcmp(name.at, "Paje", 4) == 0;
}

/* --- Lines --------------------------------------------------------------------------------- */

static int read_line_fields(struct paje_line *line, const struct paje_layout *layout,
			    const char *at)
{
	struct paje_word words[PAJE_WORDS];

	for (size_t i = 0; i < layout->words; i++) {
		at = next_word(&words[i], at);
		if (!at)
			return -1;
	}
	at = scan_blanks(at);
	if (*at && *at != '#' && *at != '\r')
		return -1; /* more words than fields */
	line->kind = layout->kind;
	for (size_t i = 0; i < PAJE_FIELDS; i++)
		line->fields[i] = layout->place[i] ? words[layout->place[i] - 1]
						   : (struct paje_word){NULL, 0};
	return 0;
}

/* Parses a line; LINE_EVENT: the line may be of use. */
static enum line_kind paje_layouts_parse(struct paje_layouts *layouts, struct paje_line *line,
					 const char *text)
{
	const char *at = scan_blanks(text);
	const struct paje_layout *layout;
	int32_t number;

	if (!*at || *at == '#')
		return LINE_OTHER;
	if (*at == '%')
		return read_head(layouts, at + 1) ? LINE_MALFORMED : LINE_OTHER;
	at = scan_number(at, &number);
	if (!at || number < 0 || (*at && !scan_is_blank(*at)))
		return LINE_MALFORMED;
	layout = (size_t)number < layouts->count ? &layouts->items[number] : NULL;
	if (!layout || layout->kind == PAJE_NONE)
		return LINE_UNKNOWN;
	if (layout->kind == PAJE_OTHER)
		return LINE_OTHER;
	return read_line_fields(line, layout, at) ? LINE_MALFORMED : LINE_EVENT;
}

/* --- States -------------------------------------------------------------------------------- */

/* The states of the containers of a Paje trace, and the events of a line. */

enum { PAJE_DEPTH = 1 << 20 };

enum { NO_STACK = -1 };

struct container {
	char comm[COMM_SIZE];
	int32_t first; /* the first of its stacks that are threads, or NO_STACK */
	bool known;    /* the container was created, or seen */
};

struct stack {
	uint32_t *states; /* the blocks of the states */
	size_t depth, capacity;
	int32_t tid;  /* 0: no thread yet, or no longer */
	int32_t next; /* the next stack of the container, or NO_STACK */
	uint32_t container;
	bool known;
};

/* The rest of the work of a line. */
struct work {
	uint64_t time_ns;
	int32_t stack;	/* NO_STACK: no work is left */
	size_t down_to; /* the depth to which states are left */
	int32_t then;	/* the block to enter then, or BLOCK_NONE */
	bool all, ends; /* all other stacks of the container follow; their threads end */
};

struct paje_stacks {
	struct blocks *blocks;
	/* The numbers of words: values, containers, and containers with a type of states. */
	struct blocks values, containers, stacks;
	int32_t *value_blocks; /* plus 1; 0: not seen yet */
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

/* Returns the number of the pair of words, new if need be, or -1 if there are too many. */
static int32_t words_number(struct paje_stacks *stacks, struct blocks *table,
			    const struct paje_word *one, const struct paje_word *other)
{
	size_t length = one->length + 1 + other->length;

	array_reserve(&stacks->key, &stacks->key_capacity, length);
	memcpy(stacks->key, one->at, one->length);
	stacks->key[one->length] = '\t'; /* is in no word */
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
	int32_t number = words_number(stacks, &stacks->stacks, word, &line->fields[PAJE_TYPE]);
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

/* Returns the block of a value, which names the block if nothing else does. */
static int32_t find_block(struct paje_stacks *stacks, const struct paje_line *line)
{
	const struct paje_word *value = &line->fields[PAJE_VALUE];
	int32_t number = words_number(stacks, &stacks->values, &line->fields[PAJE_TYPE], value);

	if (number < 0 || !value->length)
		return BLOCK_NONE;
	array_reserve(&stacks->value_blocks, &stacks->value_capacity, (size_t)number + 1);
	if (!stacks->value_blocks[number])
		stacks->value_blocks[number] =
			blocks_number(stacks->blocks, value->at, value->length) + 1;
	return stacks->value_blocks[number] - 1;
}

/* Reads seconds, also as 1.5e-05. */
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

/* Returns the alias, or the name if there is none. */
static const struct paje_word *alias_of(const struct paje_line *line)
{
	return line->fields[PAJE_ALIAS].at ? &line->fields[PAJE_ALIAS] : &line->fields[PAJE_NAME];
}

static int take_value(struct paje_stacks *stacks, const struct paje_line *line)
{
	const struct paje_word *name = &line->fields[PAJE_NAME];
	int32_t number =
		words_number(stacks, &stacks->values, &line->fields[PAJE_TYPE], alias_of(line));

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
	const size_t met = stacks->containers.count;
	int32_t container = find_container(stacks, &line->fields[PAJE_NAME]);

	if (container < 0 || (size_t)container >= met)
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

/*
 * Takes a line when all events of the last one were given out. Returns 0, or -1 if the line
 * contradicts earlier lines or has no meaning.
 */
static int paje_stacks_take(struct paje_stacks *stacks, const struct paje_line *line)
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

static void make_state_event(const struct paje_stacks *stacks, struct event *event,
			     enum event_kind kind, const struct stack *stack)
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

static void enter_state(struct paje_stacks *stacks, struct event *event, struct stack *stack)
{
	if (!stack->tid)
		begin_thread(stacks, stack);
	array_reserve(&stack->states, &stack->capacity, stack->depth + 1);
	stack->states[stack->depth++] = (uint32_t)stacks->work.then;
	make_state_event(stacks, event, EVENT_ENTER, stack);
	event->block = (uint32_t)stacks->work.then;
	stacks->work.then = BLOCK_NONE;
}

/* Gives the next event of the line; returns false if there is none. */
static bool paje_stacks_pop(struct paje_stacks *stacks, struct event *event)
{
	struct work *work = &stacks->work;

	for (; work->stack != NO_STACK;
	     work->stack = work->all ? stacks->stack[work->stack].next : NO_STACK) {
		struct stack *stack = &stacks->stack[work->stack];

		if (stack->depth > work->down_to) {
			make_state_event(stacks, event, EVENT_LEAVE, stack);
			event->block = stack->states[--stack->depth];
			return true;
		}
		if (work->then != BLOCK_NONE) {
			enter_state(stacks, event, stack);
			work->stack = NO_STACK;
			return true;
		}
		if (work->ends && stack->tid) {
			make_state_event(stacks, event, EVENT_END, stack);
			stack->tid = 0;
			return true;
		}
	}
	return false;
}

/* --- The trace ----------------------------------------------------------------------------- */

/* The state of the reading of one text. */
struct paje {
	struct paje_layouts layouts;
	struct paje_stacks stacks;
};

static void paje_begin(struct line_reading *reading, const char *bytes, size_t length)
{
	struct paje *paje = reading->state;

	(void)bytes, (void)length;
	paje->stacks.blocks = reading->blocks;
	paje->stacks.work.stack = NO_STACK;
}

static bool paje_more(struct line_reading *reading, struct event *event)
{
	struct paje *paje = reading->state;

	return paje_stacks_pop(&paje->stacks, event);
}

static enum line_kind paje_parse(struct line_reading *reading, struct event *event,
				 const char *text, size_t length)
{
	struct paje *paje = reading->state;
	struct paje_line line;
	enum line_kind kind = paje_layouts_parse(&paje->layouts, &line, text);

	(void)length;
	if (kind != LINE_EVENT)
		return kind;
	if (paje_stacks_take(&paje->stacks, &line))
		return LINE_MALFORMED;
	return paje_more(reading, event) ? LINE_EVENT : LINE_OTHER;
}

static const char *paje_complaint(const struct line_reading *reading)
{
	(void)reading;
	return "is a trace of Paje without states of containers (PajePushState, PajeSetState), and "
	       "nothing else of it is read";
}

static void paje_release(struct line_reading *reading)
{
	struct paje *paje = reading->state;
	struct paje_stacks *stacks = &paje->stacks;

	for (size_t i = 0; i < stacks->stack_capacity; i++)
		free(stacks->stack[i].states);
	blocks_release(&stacks->values);
	blocks_release(&stacks->containers);
	blocks_release(&stacks->stacks);
	free(stacks->value_blocks);
	free(stacks->container);
	free(stacks->stack);
	free(stacks->key);
	free(paje->layouts.items);
}

static bool paje_is(const char *bytes, size_t length)
{
	struct scan_lines lines = {.at = bytes, .left = length};

	while (scan_lines_next(&lines)) {
		const char *at = scan_blanks(lines.line);

		if (*at && *at != '#' && *at != '\r')
			return paje_layouts_is_head(at);
	}
	return false;
}

const struct line_layout paje_line_layout = {
	.in_order = true,
	.state_bytes = sizeof(struct paje),
	.is = paje_is,
	.begin = paje_begin,
	.parse = paje_parse,
	.more = paje_more,
	.complaint = paje_complaint,
	.release = paje_release,
};
