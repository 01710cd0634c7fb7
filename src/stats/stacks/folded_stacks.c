/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stacks/folded_stacks.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/names.h"
#include "base/printable.h"
#include "base/sorted.h"
#include "decode/event/event_source.h"
#include "decode/timeline/timeline.h"
#include "stats/spin/chain_functions.h"
#include "stats/spin/spin_table.h"
#include "stats/spin/symbol_finder.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Stacks by address, of one weight. A row may have several: functions have many addresses. */
enum { FOLD_CELLS_MAX = 1 << 20, FOLD_TIMES_MAX = 1 << 20 };

/* A stack by address. The struct has no bytes between its members, as it is a key of a map. */
struct fold_key {
	uint32_t comm;	/* the number of the thread's name */
	uint32_t chain; /* 0: not known */
	uint64_t ip;	/* the place in the code, without a chain; 0: not known */
	int32_t pid;
	uint32_t kernel;
	uint64_t time_ns; /* the time of the first sample at `ip`; not in the key */
};

enum { FOLD_KEY_SIZE = offsetof(struct fold_key, time_ns) };

struct fold_cell {
	struct fold_key key;
	uint64_t weight; /* nanoseconds, or samples */
	uint64_t count;
	uint32_t last; /* the last of its times that was added to */
};

/* The weight of a cell in one bin. */
struct fold_time {
	uint32_t cell, bin;
	uint64_t weight;
};

struct fold_cells {
	struct map numbers;
	struct fold_cell *items;
	size_t count, capacity;
	uint64_t weight, left_out; /* the weights of all stacks, and of the ones left out */
	struct map places;	   /* the places in `times`, by cell and bin */
	struct fold_time *times;
	size_t time_count, time_capacity;
	bool timeless; /* there are too many times */
};

struct fold_thread {
	uint32_t comm; /* the last name, and its text */
	char comm_text[COMM_SIZE];
	/* the cells that it added to last, and mostly adds to again */
	uint32_t last[STACK_WEIGHTS];
	bool left_known; /* the call chain of its last switch-out still holds */
	bool met;
};

struct stack_folder {
	struct event_source *source;
	struct map comms;
	struct fold_thread *threads;
	struct counted_thread *counted;
	size_t thread_count, thread_capacity, counted_capacity;
	uint64_t running_ns;
	const struct timeline *timeline; /* NULL: bins are not wanted */
	uint64_t bin_ns;
	struct fold_cells cells[STACK_WEIGHTS]; /* none for STACK_CPU */
};

/* --- Reading ------------------------------------------------------------------------------- */

struct stack_folder *stack_folder_new(struct event_source *source)
{
	struct stack_folder *folder = xcalloc(1, sizeof(*folder));

	folder->source = source;
	source->chains.wanted = true;
	source->samples.chains = &source->chains;
	source->samples.chain_frames = CHAIN_FRAMES_MAX;
	return folder;
}

void stack_folder_want_bins(struct stack_folder *folder, const struct timeline *timeline)
{
	folder->timeline = timeline;
	folder->bin_ns = 1024;
	folder->source->samples.timed = folder->source->samples.may_merge = true;
}

static void release_cells(struct fold_cells *cells)
{
	map_release(&cells->numbers);
	map_release(&cells->places);
	free(cells->times);
	free(cells->items);
}

void stack_folder_free(struct stack_folder *folder)
{
	if (!folder)
		return;
	for (size_t i = 0; i < STACK_WEIGHTS; i++)
		release_cells(&folder->cells[i]);
	map_release(&folder->comms);
	free(folder->threads);
	free(folder->counted);
	free(folder);
}

/* --- Bins of time -------------------------------------------------------------------------- */

static void fold_time_add(struct fold_cells *cells, uint32_t cell, uint32_t bin, uint64_t weight)
{
	struct fold_cell *of = &cells->items[cell];
	uint32_t at = of->last;

	if (at >= cells->time_count || cells->times[at].cell != cell ||
	    cells->times[at].bin != bin) {
		if (cells->time_count == FOLD_TIMES_MAX) {
			cells->timeless = true;
			return;
		}
		at = map_add_u64(&cells->places, (uint64_t)cell * FOLDED_BINS + bin);
	}
	if (at == cells->time_count) {
		array_reserve(&cells->times, &cells->time_capacity, at + 1);
		cells->times[cells->time_count++] = (struct fold_time){cell, bin, 0};
	}
	cells->times[at].weight += weight;
	of->last = at;
}

/* Joins each two bins. */
static void fold_times_join(struct fold_cells *cells)
{
	struct fold_time *times = cells->times;
	size_t count = cells->time_count;

	map_release(&cells->places);
	cells->times = NULL;
	cells->time_count = cells->time_capacity = 0;
	for (size_t i = 0; i < count; i++)
		fold_time_add(cells, times[i].cell, times[i].bin / 2, times[i].weight);
	free(times);
}

static uint64_t fold_since(const struct stack_folder *folder, uint64_t time_ns)
{
	uint64_t begin_ns = timeline_begin_ns(folder->timeline);

	return time_ns > begin_ns ? time_ns - begin_ns : 0;
}

static void fold_interval(struct stack_folder *folder, struct fold_cells *cells, uint32_t cell,
			  const struct change *change)
{
	uint64_t from_ns = fold_since(folder, change->begin_ns);
	uint64_t to_ns = fold_since(folder, change->end_ns);

	while (to_ns && (to_ns - 1) / folder->bin_ns >= FOLDED_BINS) {
		for (size_t i = 0; i < STACK_WEIGHTS; i++)
			fold_times_join(&folder->cells[i]);
		folder->bin_ns *= 2;
	}
	while (from_ns < to_ns) {
		uint64_t bin = from_ns >> __builtin_ctzll(folder->bin_ns);
		uint64_t length_ns = folder->bin_ns - from_ns % folder->bin_ns;

		if (length_ns > to_ns - from_ns)
			length_ns = to_ns - from_ns;
		fold_time_add(cells, cell, (uint32_t)bin, length_ns);
		from_ns += length_ns;
	}
}

/* --- Cells --------------------------------------------------------------------------------- */

static bool fold_key_is(const struct fold_key *one, const struct fold_key *other)
{
	return one->comm == other->comm && one->chain == other->chain && one->ip == other->ip &&
	       one->pid == other->pid && one->kernel == other->kernel;
}

/*
 * Adds a weight to a stack. *last is the number of a cell that may be it, and then of its cell.
 * Returns false if there are too many cells.
 */
static bool fold_add(struct fold_cells *cells, const struct fold_key *key, uint64_t weight,
		     uint64_t count, uint32_t *last)
{
	uint32_t number = *last;

	cells->weight += weight;
	if (number >= cells->count || !fold_key_is(&cells->items[number].key, key))
		number = map_find(&cells->numbers, key, FOLD_KEY_SIZE);
	if (number == MAP_NONE) {
		if (cells->count == FOLD_CELLS_MAX) {
			cells->left_out += weight;
			return false;
		}
		number = map_add(&cells->numbers, key, FOLD_KEY_SIZE);
		array_reserve(&cells->items, &cells->capacity, cells->count + 1);
		cells->items[cells->count++] = (struct fold_cell){.key = *key};
	}
	cells->items[number].weight += weight;
	cells->items[number].count += count;
	*last = number;
	return true;
}

static struct fold_thread *fold_thread_of(struct stack_folder *folder, const struct change *change)
{
	size_t number = change->thread;
	struct fold_thread *thread;

	array_reserve(&folder->threads, &folder->thread_capacity, number + 1);
	array_reserve(&folder->counted, &folder->counted_capacity, number + 1);
	if (number >= folder->thread_count)
		folder->thread_count = number + 1;
	thread = &folder->threads[number];
	if (!thread->met) /* a later thread may come first */
		folder->counted[number] =
			(struct counted_thread){change->tid, change->pid, change->begin_ns};
	if (!thread->met || memcmp(thread->comm_text, change->comm, COMM_SIZE) != 0) {
		thread->comm =
			map_add(&folder->comms, change->comm, strnlen(change->comm, COMM_SIZE));
		memcpy(thread->comm_text, change->comm, COMM_SIZE);
	}
	thread->met = true;
	return thread;
}

/* A woken thread waits where it blocked. After an unknown interval its place is unknown. */
void stack_folder_take(void *context, const struct change *change)
{
	struct stack_folder *folder = context;
	struct fold_thread *thread = fold_thread_of(folder, change);
	uint64_t length_ns = change->end_ns - change->begin_ns;
	bool runnable = change->state == STATE_RUNNABLE;
	enum stack_weight weight = runnable ? STACK_RUN_QUEUE : STACK_OFF_CPU;
	struct fold_key key = {.comm = thread->comm};

	if (change->state == STATE_RUNNING) {
		folder->running_ns += length_ns;
		thread->left_known = true;
		return;
	}
	if (!runnable && change->state < STATE_INACTIVE) {
		thread->left_known = false;
		return;
	}
	thread->left_known |= !runnable;
	if (!length_ns)
		return;
	key.chain = thread->left_known ? change->chain : 0;
	if (fold_add(&folder->cells[weight], &key, length_ns, 1, &thread->last[weight]) &&
	    folder->timeline)
		fold_interval(folder, &folder->cells[weight], thread->last[weight], change);
}

/* --- Samples ------------------------------------------------------------------------------- */

static uint32_t fold_bin(const struct stack_folder *folder, uint64_t time_ns)
{
	uint64_t bin = fold_since(folder, time_ns) / folder->bin_ns;

	return bin < FOLDED_BINS ? (uint32_t)bin : FOLDED_BINS - 1;
}

static void take_samples(struct fold_cells *cells, const struct stack_folder *folder)
{
	const struct samples *samples = &folder->source->samples;
	struct thread_finder finder;
	uint32_t last = 0;

	thread_finder_init(&finder, folder->counted, folder->thread_count);
	for (size_t i = 0; i < samples->row_count; i++) {
		const struct sampled *row = &samples->rows[i];
		ptrdiff_t thread = thread_finder_find(&finder, row->tid, row->time_ns);
		struct fold_key key = {.chain = row->chain, .kernel = row->mode == SAMPLED_KERNEL};

		if (thread < 0)
			continue;
		key.comm = folder->threads[thread].comm;
		if (!key.chain && row->ip) {
			key.ip = row->ip;
			key.pid = row->pid;
			key.time_ns = row->time_ns;
		}
		if (fold_add(cells, &key, row->count, row->count, &last) && samples->timed &&
		    folder->timeline)
			fold_time_add(cells, last, fold_bin(folder, row->time_ns), row->count);
	}
	cells->timeless |= !samples->timed;
	thread_finder_release(&finder);
}

/* --- Rows ---------------------------------------------------------------------------------- */

struct folding {
	const struct stack_folder *folder;
	struct folded_stacks *stacks;
	struct symbol_finder finder;
	struct map numbers; /* the numbers of rows, by their texts */
	size_t capacity, bytes;
	double unit_s;	/* seconds for each unit of weight */
	uint32_t *rows; /* the row of each cell; MAP_NONE: left out */
};

/* The functions of one stack, the innermost first. */
struct fold_names {
	char *items[CHAIN_FRAMES_MAX];
	size_t count;
};

/* Takes ownership of `name`. Returns false if the stack is full. */
static bool fold_name(struct fold_names *names, char *name)
{
	char *shown = printable(PRINTABLE_DATA, name, PRINTABLE_WHOLE);

	free(name);
	for (char *at = shown; *at; at++)
		if (*at == ';')
			*at = ':';
	names->items[names->count++] = shown;
	return names->count < CHAIN_FRAMES_MAX - 2; /* the thread and the kernel need two more */
}

static bool fold_function(void *context, const struct symbol *symbol)
{
	const char *slash = strrchr(symbol->path, '/');
	const char *file = slash ? slash + 1 : symbol->path;
	char *name;

	if (!symbol->function)
		return fold_name(context, xasprintf("%s+0x%" PRIx64, file, symbol->offset));
	name = demangle_or_copy(symbol->function);
	name[demangled_length(name)] = '\0';
	return fold_name(context, name);
}

static void fold_key_names(struct fold_names *names, struct folding *folding,
			   const struct fold_key *key)
{
	const struct chain chain = chains_get(&folding->folder->source->chains, key->chain);
	struct symbol symbol;

	if (key->kernel)
		fold_name(names, xstrdup("[kernel]"));
	if (key->chain)
		chain_functions(&folding->finder, &chain, fold_function, names);
	else if (key->ip &&
		 symbol_finder_find(&symbol, &folding->finder, key->pid, key->ip, key->time_ns))
		fold_function(names, &symbol);
}

/* Returns the text of a stack, with the name of the thread. *is_known: there is more in it. */
static char *fold_text(struct folding *folding, const struct fold_key *key, bool *is_known)
{
	struct fold_names names = {.count = 0};
	size_t length;
	const char *comm = map_key(&folding->folder->comms, key->comm, &length);
	char *text = NULL;

	fold_key_names(&names, folding, key);
	*is_known = names.count > 0;
	if (!*is_known)
		fold_name(&names, xstrdup("[unknown]"));
	fold_name(&names, length ? xasprintf("%.*s", (int)length, comm) : xstrdup("[no name]"));
	while (names.count--) {
		xappend(&text, ";", "%s", names.items[names.count]);
		free(names.items[names.count]);
	}
	return text;
}

/* Adds a cell to its row, which it returns. */
static uint32_t fold_cell(struct folding *folding, const struct fold_cell *cell)
{
	struct folded_stacks *stacks = folding->stacks;
	double time_s = (double)cell->weight * folding->unit_s;
	bool is_known;
	char *text = fold_text(folding, &cell->key, &is_known);
	size_t length = strlen(text);
	uint32_t number = map_find(&folding->numbers, text, length);

	stacks->unknown_s += is_known ? 0 : time_s;
	if (number == MAP_NONE &&
	    (stacks->count == FOLDED_ROWS_MAX || folding->bytes + length > FOLDED_BYTES_MAX)) {
		stacks->left_out_s += time_s;
		free(text);
		return MAP_NONE;
	}
	if (number == MAP_NONE) {
		number = map_add(&folding->numbers, text, length);
		folding->bytes += length;
		array_reserve(&stacks->rows, &folding->capacity, stacks->count + 1);
		stacks->rows[stacks->count++] = (struct folded_row){.stack = text};
	} else {
		free(text);
	}
	stacks->rows[number].time_s += time_s;
	stacks->rows[number].count += cell->count;
	return number;
}

static int by_weight(const void *a, const void *b)
{
	const struct fold_cell *one = *(const struct fold_cell *const *)a;
	const struct fold_cell *other = *(const struct fold_cell *const *)b;

	return compare_values(other->weight, one->weight)
		       ?: memcmp(&one->key, &other->key, FOLD_KEY_SIZE);
}

static int by_time(const void *a, const void *b)
{
	const struct folded_row *one = a, *other = b;

	return compare_values(other->time_s, one->time_s) ?: strcmp(one->stack, other->stack);
}

/* Adds the cells, the heaviest first, as the bounds may leave out the last ones. */
static void fold_cells_rows(struct folding *folding, const struct fold_cells *cells)
{
	const struct fold_cell **sorted = xcalloc(cells->count, sizeof(*sorted));

	for (size_t i = 0; i < cells->count; i++)
		sorted[i] = &cells->items[i];
	sort_items(sorted, cells->count, by_weight);
	for (size_t i = 0; i < cells->count; i++)
		folding->rows[sorted[i] - cells->items] = fold_cell(folding, sorted[i]);
	free(sorted);
}

static void fold_bins(struct folding *folding, const struct fold_cells *cells)
{
	struct folded_stacks *stacks = folding->stacks;

	if (!folding->folder->timeline || cells->timeless)
		return;
	stacks->bin_ns = folding->folder->bin_ns;
	for (size_t i = 0; i < stacks->count; i++)
		stacks->rows[i].bins_s = xcalloc(FOLDED_BINS, sizeof(*stacks->rows[i].bins_s));
	for (size_t i = 0; i < cells->time_count; i++) {
		const struct fold_time *time = &cells->times[i];
		uint32_t row = folding->rows[time->cell];

		if (row != MAP_NONE)
			stacks->rows[row].bins_s[time->bin] +=
				(float)((double)time->weight * folding->unit_s);
	}
}

/* Returns the time of a sample, its share of the CPU time, as in function_times.h. */
static double sample_s(const struct stack_folder *folder, uint64_t samples)
{
	if (!folder->running_ns) /* no record shows which thread has a CPU */
		return (double)folder->source->samples.tick_ns / 1e9;
	return samples ? (double)folder->running_ns / 1e9 / (double)samples : 0;
}

void folded_stacks_init(struct folded_stacks *stacks, const struct stack_folder *folder,
			enum stack_weight weight)
{
	struct folding folding = {.folder = folder, .stacks = stacks, .unit_s = 1e-9};
	const struct fold_cells *cells = &folder->cells[weight];
	struct fold_cells sampled = {.count = 0};

	*stacks = (struct folded_stacks){.count = 0};
	if (weight == STACK_CPU) {
		take_samples(&sampled, folder);
		folding.unit_s = sample_s(folder, sampled.weight);
		cells = &sampled;
	}
	symbol_finder_init(&folding.finder, &folder->source->samples);
	folding.rows = xcalloc(cells->count, sizeof(*folding.rows));
	fold_cells_rows(&folding, cells);
	fold_bins(&folding, cells);
	free(folding.rows);
	sort_items(stacks->rows, stacks->count, by_time);
	stacks->total_s = (double)cells->weight * folding.unit_s;
	stacks->left_out_s += (double)cells->left_out * folding.unit_s;
	symbol_finder_release(&folding.finder);
	map_release(&folding.numbers);
	release_cells(&sampled);
}

void folded_stacks_release(struct folded_stacks *stacks)
{
	for (size_t i = 0; i < stacks->count; i++) {
		free(stacks->rows[i].stack);
		free(stacks->rows[i].bins_s);
	}
	free(stacks->rows);
	*stacks = (struct folded_stacks){.count = 0};
}
