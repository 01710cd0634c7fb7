/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the sites at which threads wait, see why.h. */
#include "base/alloc.h"
#include "base/map.h"
#include "base/sorted.h"
#include "replay/forecast/why.h"
#include "replay/program/program.h"
#include "stats/spin/symbol_finder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of waits at places of one name. */
enum { FOR_THREADS, FOR_PAUSE, KINDS = FOR_PAUSE + STEP_UNKNOWN - STEP_SLEEP + 1 };

struct naming {
	struct program *program;
	struct chain_names *names;
	uint32_t *sites; /* [name * KINDS + kind]: the site, plus one; 0: none yet */
	size_t capacity;
};

/* --- Sites by the functions in which threads wait ------------------------------------------- */

static char *text_of(const struct naming *naming, uint32_t name, const char *what)
{
	const char *text = chain_names_get(naming->names, name)->text;

	return what ? xasprintf("%s in %s", what, text) : xstrdup(text);
}

/* Returns the site of a name and kind. `what` NULL: waits for threads. */
static uint32_t site_of(struct naming *naming, uint32_t name, int kind, enum site_kind site_kind,
			const char *what)
{
	size_t at = (size_t)name * KINDS + (size_t)kind;
	struct site *site;
	uint32_t number;

	array_reserve(&naming->sites, &naming->capacity, at + 1);
	if (naming->sites[at])
		return naming->sites[at] - 1;
	number = program_add_site(naming->program, site_kind);
	site = &naming->program->sites[number];
	site->name = text_of(naming, name, what);
	site->callers = name;
	naming->sites[at] = number + 1;
	return number;
}

/* --- Steps at these sites ------------------------------------------------------------------- */

static void move_block(struct naming *naming, struct step *step)
{
	struct program *program = naming->program;
	uint32_t chain = wait_chains_of_edge(&program->chains, step->edge);
	uint32_t name = chain_names_find(naming->names, chain);
	const struct site *site =
		step->site < program->site_count ? &program->sites[step->site] : NULL;

	if (!name || !site)
		return;
	if (site->kind == SITE_THREADS)
		step->site = site_of(naming, name, FOR_THREADS, SITE_THREADS, NULL);
	else
		wait_chains_note_site(&program->chains, step->site, chain);
}

/* Moves a pause, which has the site of its call chain (program_read.c). */
static void move_pause(struct naming *naming, struct step *step)
{
	struct program *program = naming->program;
	uint32_t from = step_site(step), to, name;
	struct site *site = from < program->site_count ? &program->sites[from] : NULL;
	enum step_op op = step_op(step) == STEP_DUE ? STEP_SLEEP : step_op(step);
	int kind = FOR_PAUSE + (int)op - STEP_SLEEP;

	if (!site || !site->chain)
		return;
	to = site->part_of;
	name = chain_names_find(naming->names, site->chain);
	if (name)
		to = site_of(naming, name, kind, site->kind, site->name);
	/* A step has no room for larger numbers. */
	step->pause = step_pause(step_pause_ns(step),
				 to < UINT16_MAX ? to : program->sites[from].part_of);
}

static void move_steps(struct naming *naming)
{
	for (size_t i = 0; i < naming->program->thread_count; i++) {
		struct program_thread *thread = &naming->program->threads[i];

		for (size_t j = 0; j < thread->count; j++) {
			struct step *step = &thread->steps[j];

			if (step_op(step) == STEP_BLOCK)
				move_block(naming, step);
			else if (step_op_is_pause(step_op(step)))
				move_pause(naming, step);
		}
	}
}

/* --- Names of objects ----------------------------------------------------------------------- */

/* Threads by their numbers; if a number is used again, the first thread. */
struct thread_index {
	struct map tids;
	const struct program_thread **threads; /* [number of the tid] */
};

static void thread_index_init(struct thread_index *index, const struct program *program)
{
	*index = (struct thread_index){0};
	index->threads = xcalloc(program->thread_count, sizeof(*index->threads));
	for (size_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *thread = &program->threads[i];
		uint32_t number = map_add_u64(&index->tids, (uint32_t)thread->tid);

		if (!index->threads[number])
			index->threads[number] = thread;
	}
}

/* Returns "lock" of "lock 0x7f3a...": the address is another one in each run. */
static char *kind_of(const struct site *site)
{
	const char *address = strstr(site->name, " 0x");

	return address ? xasprintf("%.*s", (int)(address - site->name), site->name)
		       : xstrdup(site->name);
}

/* Returns the name of an object; its text is NULL if no more is known. */
static struct object_name name_of_place(const struct program *program,
					const struct thread_index *index, struct chain_names *names,
					const struct site *site)
{
	uint64_t end_ns = program->begin_ns + program->wall_ns;
	uint32_t number;
	char *kind = kind_of(site);
	const struct memory_object object = {site->pid, site->address, kind,
					     site->waits_as_condition};
	struct object_name name = chain_names_object(names, &object, end_ns);

	if (name.stack_of) {
		number = map_find_u64(&index->tids, (uint32_t)name.stack_of);
		name.text = xasprintf("%s on the stack of %s/%d", kind,
				      number == MAP_NONE
					      ? "thread"
					      : thread_name_text(&index->threads[number]->name),
				      name.stack_of);
	}
	free(kind);
	return name;
}

/* Names objects: by their variable, if any, else by their place. */
static void name_places(struct program *program, struct chain_names *names)
{
	struct thread_index index;

	thread_index_init(&index, program);
	for (size_t i = 0; i < program->site_count; i++) {
		struct site *site = &program->sites[i];
		struct object_name name = {.text = NULL};

		if (site->address && site->name)
			name = name_of_place(program, &index, names, site);
		if (!name.text)
			continue;
		free(site->name);
		site->name = name.text;
		site->is_variable = name.is_variable;
		site->is_condition = name.is_condition;
	}
	map_release(&index.tids);
	free(index.threads);
}

/* --- Words of one condition ------------------------------------------------------------------ */

/*
 * The words of a condition become one site:
 *  - words in the bytes of an object that library calls have shown to be a condition;
 *  - words of a variable, which all have its name;
 *  - two neighbouring words at which threads wait in turns (program_words.c), unless their variable
 *    is known to be no condition, and the words before them, as of the lock of a condition.
 */

/* The bytes of pthread_cond_t, and the fewest of them before its two words. */
enum { CONDITION_BYTES = 48, CONDITION_BYTES_BEFORE = 24 };

/* Returns whether the site is a variable with known parts, or without parts. */
static bool is_known(const struct site *site)
{
	return site->is_variable && !strstr(site->name, "+0x");
}

/* Returns whether waits show `other` as the second word of a condition, and `word` as the first. */
static bool is_twin(const struct site *other, const struct site *word)
{
	bool same_name = strcmp(other->name, word->name) == 0;

	return other->twin && word->twin && other->address - word->address == sizeof(uint32_t) &&
	       word->address % (2 * sizeof(uint32_t)) == 0 &&
	       (same_name || !(is_known(other) && is_known(word)));
}

/* Returns whether `part`, which lies behind `whole`, belongs to it. */
static bool is_part(const struct site *part, const struct site *whole)
{
	if (part->pid != whole->pid)
		return false;
	if (whole->begins_condition && part->address - whole->address < CONDITION_BYTES)
		return true;
	return (part->is_variable && whole->is_variable && !strcmp(part->name, whole->name)) ||
	       is_twin(part, whole);
}

static bool is_before(const struct site *part, const struct site *word)
{
	return part->pid == word->pid && word->address - part->address <= CONDITION_BYTES_BEFORE &&
	       !is_known(part);
}

static int by_address(const void *a, const void *b)
{
	const struct site *x = *(struct site *const *)a, *y = *(struct site *const *)b;

	return compare_values(x->pid, y->pid) ?: compare_values(x->address, y->address);
}

/* Returns the sites of objects in memory. The caller frees the list. */
static struct site **sorted_objects(size_t *count, const struct program *program,
				    int (*order)(const void *, const void *))
{
	struct site **sites = xcalloc(program->site_count + 1, sizeof(struct site *));

	*count = 0;
	for (size_t i = 0; i < program->site_count; i++)
		if (program->sites[i].address && program->sites[i].name)
			sites[(*count)++] = &program->sites[i];
	sort_items(sites, *count, order);
	return sites;
}

struct merging {
	struct program *program;
	struct site **sites; /* sorted by address */
	size_t count;
	uint32_t *into; /* [site]: its site after merging */
	bool found;
};

static void merge_into(struct merging *merging, size_t whole, size_t part)
{
	const struct site *all = merging->program->sites;

	merging->into[merging->sites[part] - all] = (uint32_t)(merging->sites[whole] - all);
	merging->found = true;
}

static size_t merge_parts(struct merging *merging, size_t whole)
{
	struct site **sites = merging->sites;
	size_t end = whole + 1;

	for (; end < merging->count && is_part(sites[end], sites[whole]); end++)
		merge_into(merging, whole, end);
	if (end > whole + 1 && is_twin(sites[whole + 1], sites[whole]))
		for (size_t i = whole; i-- > 0 && is_before(sites[i], sites[whole]);)
			merge_into(merging, whole, i);
	return end;
}

static void move_sites(struct program *program, const uint32_t *into)
{
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++) {
			struct step *step = &program->threads[i].steps[j];

			if (step_op(step) == STEP_BLOCK && step->site < program->site_count)
				step->site = into[step->site];
		}
	for (size_t i = 0; i < program->chains.count; i++)
		program->chains.sites[i].site = into[program->chains.sites[i].site];
	program->chains.merged = 0;
}

/* Clears sites that are a part of another one. */
static void end_parts(struct program *program, const uint32_t *into)
{
	for (uint32_t i = 0; i < program->site_count; i++) {
		struct site *part = &program->sites[i], *whole = &program->sites[into[i]];

		if (into[i] == i)
			continue;
		whole->is_condition = true;
		whole->kind = whole->kind == SITE_UNKNOWN ? part->kind : whole->kind;
		part->address = 0;
		*part->name = '\0';
	}
}

static void merge_conditions(struct program *program)
{
	struct merging merging = {.program = program,
				  .into = xcalloc(program->site_count, sizeof(uint32_t))};

	merging.sites = sorted_objects(&merging.count, program, by_address);
	for (uint32_t i = 0; i < program->site_count; i++)
		merging.into[i] = i;
	for (size_t i = 0; i < merging.count;)
		i = merge_parts(&merging, i);
	if (merging.found) {
		move_sites(program, merging.into);
		end_parts(program, merging.into);
	}
	free(merging.sites);
	free(merging.into);
}

/* Names conditions, before objects get names like "condition on the heap". */
static void tell_conditions(struct program *program)
{
	for (size_t i = 0; i < program->site_count; i++) {
		struct site *site = &program->sites[i];

		if (!site->twin || !site->address)
			continue;
		free(site->name);
		site->name = xasprintf("condition 0x%" PRIx64, site->address);
	}
}

/* --- The places of waits --------------------------------------------------------------------- */

/* The place with most waits for an object, and the number of places. */
struct tally {
	uint64_t *counts; /* [name] */
	uint32_t best;
	size_t places;
};

static void tally_add(struct tally *tally, uint32_t name, uint64_t count)
{
	uint64_t *own = &tally->counts[name];

	tally->places += !*own;
	*own += count;
	if (!tally->best || *own > tally->counts[tally->best] ||
	    (*own == tally->counts[tally->best] && name < tally->best))
		tally->best = name;
}

static void name_object(struct naming *naming, uint32_t number, const struct tally *tally)
{
	struct site *site = &naming->program->sites[number];
	char *name, *before = site->name;

	if (!tally->best || site->chain || site->callers)
		return;
	name = text_of(naming, tally->best, before);
	site->name = tally->places == 1 ? xstrdup(name)
					: xasprintf("%s, and %zu more", name, tally->places - 1);
	site->callers = tally->best;
	free(name);
	free(before);
}

/* Names one site by its chains from `begin` on. Returns their end. */
static size_t name_one(struct naming *naming, size_t begin, uint64_t *counts)
{
	const struct wait_chains *chains = &naming->program->chains;
	uint32_t site = chains->sites[begin].site;
	struct tally tally = {.counts = counts};
	size_t end = begin;

	for (; end < chains->count && chains->sites[end].site == site; end++) {
		uint32_t name = chain_names_find(naming->names, chains->sites[end].chain);

		if (name)
			tally_add(&tally, name, chains->sites[end].count);
	}
	if (site < naming->program->site_count)
		name_object(naming, site, &tally);
	for (size_t i = begin; i < end; i++)
		counts[chain_names_find(naming->names, chains->sites[i].chain)] = 0;
	return end;
}

static void name_objects(struct naming *naming)
{
	struct wait_chains *chains = &naming->program->chains;
	uint64_t *counts;

	wait_chains_sort(chains);
	for (size_t i = 0; i < chains->count; i++)
		chain_names_find(naming->names, chains->sites[i].chain);
	counts = xcalloc(chain_names_count(naming->names) + 1, sizeof(*counts));
	for (size_t i = 0; i < chains->count;)
		i = name_one(naming, i, counts);
	free(counts);
}

/* --- Objects of the same name ---------------------------------------------------------------- */

/* Orders objects by name and address: several may have the same name. */
static int by_name_and_address(const void *a, const void *b)
{
	const struct site *x = *(struct site *const *)a, *y = *(struct site *const *)b;

	return strcmp(x->name, y->name)
		       ?: compare_values(x->pid, y->pid)
		       ?: compare_values(x->address, y->address);
}

/* Numbers the `count` sites of one name. */
static void number_sites(struct site **sites, size_t count)
{
	for (size_t i = 0; count > 1 && i < count; i++)
		xappend(&sites[i]->name, "", " (%zu of %zu)", i + 1, count);
}

static void number_objects(struct program *program)
{
	size_t count, end;
	struct site **sites = sorted_objects(&count, program, by_name_and_address);

	for (size_t i = 0; i < count; i = end) {
		end = i + 1;
		while (end < count && !strcmp(sites[i]->name, sites[end]->name))
			end++;
		number_sites(&sites[i], end - i);
	}
	free(sites);
}

void wait_names_apply(struct program *program, struct chain_names *names)
{
	struct naming naming = {.program = program, .names = names};

	tell_conditions(program);
	if (names) {
		move_steps(&naming);
		name_places(program, names);
	}
	merge_conditions(program);
	if (names) {
		name_objects(&naming);
		number_objects(program);
	}
	free(naming.sites);
}
