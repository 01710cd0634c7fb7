/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/function_times.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/names.h"
#include "base/sorted.h"
#include "decode/event/event_source.h"
#include "decode/timeline/timeline.h"
#include "stats/profile/profile.h"
#include "stats/spin/spin_table.h"
#include "stats/spin/symbol_finder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The time and the number of times that threads blocked with one call chain. */
struct blocked_chain {
	uint64_t length_ns, count;
};

/* --- Reading ------------------------------------------------------------------------------- */

void function_times_begin(struct function_times *times, struct event_source *source)
{
	*times = (struct function_times){.source = source};
	source->chains.wanted = true;
	source->samples.chains = &source->chains;
	source->samples.chain_frames = CHAIN_FRAMES_MAX;
}

void function_times_take(void *context, const struct change *change)
{
	struct function_times *times = context;
	uint64_t length_ns = change->end_ns - change->begin_ns;

	if (change->state < STATE_INACTIVE)
		return;
	if (!change->chain) {
		times->unplaced_ns += length_ns;
		return;
	}
	array_reserve(&times->blocked, &times->blocked_capacity, (size_t)change->chain + 1);
	times->blocked[change->chain].length_ns += length_ns;
	times->blocked[change->chain].count++;
}

/* --- Functions ----------------------------------------------------------------------------- */

/* The part of a function's weight that comes from callers of one name. */
struct called {
	size_t function;
	uint32_t name; /* the name of its call chain; 0: none */
	uint64_t weight, blocked;
};

struct naming {
	struct function_times *times;
	struct symbol_finder finder;
	struct chain_names *names;
	struct map numbers; /* the numbers of rows, by "FUNCTION\nFILE" */
	size_t capacity;
	struct called *called;
	size_t called_count, called_capacity;
};

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Takes ownership of `function`. */
static size_t row_of(struct naming *naming, char *function, const char *file)
{
	struct function_times *times = naming->times;
	char *key = xasprintf("%s\n%s", function, file);
	uint32_t number = map_add(&naming->numbers, key, strlen(key));

	free(key);
	if (number < times->count) {
		free(function);
		return number;
	}
	array_reserve(&times->rows, &naming->capacity, times->count + 1);
	times->rows[times->count++] = (struct function_row){
		.function = function, .file = xstrdup(file), .callers = xstrdup("")};
	return number;
}

static size_t row_at(struct naming *naming, int32_t pid, uint64_t ip, uint64_t time_ns)
{
	struct symbol symbol;
	char *name;
	size_t row;

	if (!ip || !symbol_finder_find(&symbol, &naming->finder, pid, ip, time_ns))
		return row_of(naming, xstrdup(ip ? "(unknown code)" : "(kernel)"), "");
	if (!symbol.function) {
		row = row_of(naming, xasprintf("%s (no symbols)", file_name(symbol.path)),
			     file_name(symbol.path));
		naming->times->rows[row].nameless = true;
		return row;
	}
	name = demangle_or_copy(symbol.function);
	name[demangled_length(name)] = '\0';
	return row_of(naming, name, file_name(symbol.path));
}

static void add_called(struct naming *naming, size_t function, uint32_t chain, uint64_t weight,
		       uint64_t blocked)
{
	array_reserve(&naming->called, &naming->called_capacity, naming->called_count + 1);
	naming->called[naming->called_count++] =
		(struct called){function, chain_names_find(naming->names, chain), weight, blocked};
}

/* --- Samples ------------------------------------------------------------------------------- */

static bool has_caller(struct naming *naming, const struct sampled *row)
{
	const struct chain chain = chains_get(&naming->times->source->chains, row->chain);
	struct symbol symbol;

	return chain.count > 1 && symbol_finder_find(&symbol, &naming->finder, row->pid,
						     chain.frames[1] - 1, row->time_ns);
}

static void add_sample(struct naming *naming, const struct sampled *row)
{
	struct function_times *times = naming->times;
	size_t function = row_at(naming, row->pid, row->ip, row->time_ns);

	times->rows[function].samples += row->count;
	times->rows[function].in_kernel += row->mode == SAMPLED_KERNEL ? row->count : 0;
	times->samples += row->count;
	times->nameless += times->rows[function].nameless ? row->count : 0;
	times->callerless += has_caller(naming, row) ? 0 : row->count;
	times->chained |= chains_get(&times->source->chains, row->chain).count > 0;
	add_called(naming, function, row->chain, row->count, 0);
}

static void add_samples(struct naming *naming, const struct profile *profile)
{
	const struct samples *samples = &naming->times->source->samples;
	struct thread_finder threads;

	thread_finder_init(&threads, profile->counted,
			   samples->row_count ? profile->thread_count : 0);
	for (size_t i = 0; i < samples->row_count; i++)
		if (thread_finder_find(&threads, samples->rows[i].tid, samples->rows[i].time_ns) >=
		    0)
			add_sample(naming, &samples->rows[i]);
	thread_finder_release(&threads);
}

/* --- Blocked time -------------------------------------------------------------------------- */

/* Returns the file of the innermost frame outside of libraries, or "" if there is none. */
static const char *file_of(struct naming *naming, const struct chain *chain)
{
	struct symbol symbol;

	for (size_t i = 0; i < chain->count; i++)
		if (symbol_finder_find(&symbol, &naming->finder, chain->pid,
				       chain->frames[i] - (i > 0), chain->time_ns) &&
		    !symbol.of_library)
			return file_name(symbol.path);
	return "";
}

/* Returns the row of a chain outside of the program: a library function would be no answer. */
static size_t row_of_library(struct naming *naming, const struct chain *chain)
{
	struct symbol symbol;
	size_t row;

	if (!chain->frames[0] ||
	    !symbol_finder_find(&symbol, &naming->finder, chain->pid, chain->frames[0],
				chain->time_ns) ||
	    !symbol.of_library)
		return row_at(naming, chain->pid, chain->frames[0], chain->time_ns);
	row = row_of(naming, xasprintf("%s (caller unknown)", file_name(symbol.path)),
		     file_name(symbol.path));
	naming->times->rows[row].nameless = true;
	return row;
}

/* Returns the row of the program's innermost function, whatever library function it called. */
static size_t row_of_blocked(struct naming *naming, uint32_t number)
{
	const struct chain chain = chains_get(&naming->times->source->chains, number);
	uint32_t name = chain_names_find(naming->names, number);
	char *function;

	if (!name)
		return row_of_library(naming, &chain);
	function = xstrdup(chain_names_get(naming->names, name)->functions[0]);
	function[demangled_length(function)] = '\0';
	return row_of(naming, function, file_of(naming, &chain));
}

static void add_blocked(struct naming *naming)
{
	const struct blocked_chain *blocked = naming->times->blocked;

	for (size_t i = 1; i < naming->times->blocked_capacity; i++) {
		struct function_row *row;
		size_t function;

		if (!blocked[i].count)
			continue;
		function = row_of_blocked(naming, (uint32_t)i);
		row = &naming->times->rows[function];
		row->blocks += blocked[i].count;
		row->blocked_s += (double)blocked[i].length_ns / 1e9;
		add_called(naming, function, (uint32_t)i, 0, blocked[i].length_ns);
	}
}

/* --- Callers ------------------------------------------------------------------------------- */

static int by_function_and_name(const void *a, const void *b)
{
	const struct called *one = a, *other = b;

	return compare_values(one->function, other->function)
		       ?: compare_values(one->name, other->name);
}

/* Returns "work < main" for a sample in compress of the chain "compress < work < main". */
static char *callers_of(const struct naming *naming, const struct function_row *row, uint32_t name)
{
	const struct chain_name *chain = chain_names_get(naming->names, name);
	size_t length = strlen(row->function);
	const char *text = chain->text;

	if (strncmp(text, row->function, length) == 0 &&
	    (!text[length] || text[length] == ' ' || text[length] == '('))
		text = chain->count > 1 ? strstr(text, " < ") + strlen(" < ") : "";
	return xstrdup(text);
}

static bool weighs_more(const struct called *a, const struct called *b)
{
	return a->weight != b->weight ? a->weight > b->weight : a->blocked > b->blocked;
}

static void find_callers(struct naming *naming)
{
	struct called *called = naming->called, best = {.name = 0};

	sort_items(called, naming->called_count, by_function_and_name);
	for (size_t i = 0, end; i < naming->called_count; i = end) {
		struct called sum = called[i];
		struct function_row *row = &naming->times->rows[sum.function];

		for (end = i + 1;
		     end < naming->called_count && !by_function_and_name(&called[end], &called[i]);
		     end++) {
			sum.weight += called[end].weight;
			sum.blocked += called[end].blocked;
		}
		if (!i || best.function != sum.function)
			best = (struct called){.function = sum.function};
		if (!sum.name || !weighs_more(&sum, &best))
			continue;
		best = sum;
		free(row->callers);
		row->callers = callers_of(naming, row, sum.name);
	}
}

/* --- The sorted table ---------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct function_row *one = a, *other = b;

	return compare_values(other->samples, one->samples)
		       ?: compare_values(other->blocks ? other->blocked_s : 0,
					 one->blocks ? one->blocked_s : 0)
		       ?: strcmp(one->function, other->function)
		       ?: strcmp(one->file, other->file);
}

static void add_shares(struct function_times *times, const struct profile *profile)
{
	uint64_t running_ns = 0;

	for (size_t i = 0; i < profile->thread_count; i++)
		running_ns += profile->threads[i].state_ns[STATE_RUNNING];
	if (!running_ns) /* no record shows which thread has a CPU */
		running_ns = times->samples * times->source->samples.tick_ns;
	times->cpu_s = (double)running_ns / 1e9;
	times->unplaced_s = (double)times->unplaced_ns / 1e9;
	times->blocked_s = times->unplaced_s;
	for (size_t i = 0; i < times->count; i++) {
		struct function_row *row = &times->rows[i];

		row->cpu_share =
			row->samples ? (double)row->samples / (double)times->samples : (double)NAN;
		row->cpu_s = row->cpu_share * times->cpu_s;
		times->blocked_s += row->blocked_s;
		if (!row->blocks)
			row->blocked_s = (double)NAN;
	}
}

void function_times_end(struct function_times *times, const struct profile *profile)
{
	struct event_source *source = times->source;
	struct naming naming = {.times = times};

	symbol_finder_init(&naming.finder, &source->samples);
	naming.names = chain_names_new(&source->chains, &source->samples);
	add_samples(&naming, profile);
	add_blocked(&naming);
	find_callers(&naming);
	add_shares(times, profile);
	sort_items(times->rows, times->count, by_time);
	free(naming.called);
	map_release(&naming.numbers);
	chain_names_free(naming.names);
	symbol_finder_release(&naming.finder);
}

void function_times_release(struct function_times *times)
{
	for (size_t i = 0; i < times->count; i++) {
		free(times->rows[i].function);
		free(times->rows[i].file);
		free(times->rows[i].callers);
	}
	free(times->rows);
	free(times->blocked);
	*times = (struct function_times){0};
}
