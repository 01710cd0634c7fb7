/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/work_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/names.h"
#include "base/sorted.h"
#include "replay/program/program_gaps.h"
#include "replay/program/step.h"
#include "stats/spin/chain_functions.h"
#include "stats/spin/symbol_finder.h"
#include "stats/spin/thread_names.h"

#include <stdlib.h>
#include <string.h>

/* --- Functions of places -------------------------------------------------------------------- */

static uint32_t function_number(struct work *work, const struct symbol *symbol)
{
	size_t before = work->function_numbers.count;
	char *name = demangle_or_copy(symbol->function);
	uint32_t number;

	name[demangled_length(name)] = '\0';
	number = map_add(&work->function_numbers, name, strlen(name));
	if (number < before) {
		free(name);
		return number;
	}
	array_reserve(&work->functions, &work->function_capacity, before + 1);
	work->functions[number] = (struct work_function){.name = name};
	return number;
}

static bool add_called(void *context, const struct symbol *symbol)
{
	struct work *work = context;

	if (!symbol->function)
		return true;
	array_reserve(&work->called, &work->called_capacity, work->called_count + 1);
	work->called[work->called_count++] = function_number(work, symbol);
	return true;
}

static void add_functions(struct work *work, struct symbol_finder *finder,
			  const struct sampled *row)
{
	const struct chain chain = chains_get(work->chains, row->chain);
	struct symbol symbol;

	if (chain.count)
		chain_functions(finder, &chain, add_called, work);
	else if (row->ip && symbol_finder_find(&symbol, finder, row->pid, row->ip, row->time_ns))
		add_called(work, &symbol);
}

static uint32_t place_of(struct work *work, struct symbol_finder *finder, const struct sampled *row)
{
	const uint64_t key[] = {(uint32_t)row->pid, row->chain ? 0 : row->ip, row->chain};
	size_t before = work->place_numbers.count;
	uint32_t number = map_add(&work->place_numbers, key, sizeof(key));
	const uint32_t none = 0;
	struct work_place *place;

	if (number == before) {
		array_reserve(&work->places, &work->place_capacity, before + 1);
		place = &work->places[number];
		*place = (struct work_place){.first = work->called_count};
		add_functions(work, finder, row);
		place->count = work->called_count - place->first;
		place->kind =
			map_add(&work->kinds, place->count ? &work->called[place->first] : &none,
				place->count * sizeof(*work->called));
	}
	work->places[number].samples += row->count;
	return number;
}

/* Counts samples by function. A function that calls itself has the samples of a place once. */
static void count_samples(struct work *work)
{
	size_t *last = xcalloc(work->function_numbers.count, sizeof(*last)); /* place + 1 */

	for (size_t i = 0; i < work->place_numbers.count; i++) {
		const struct work_place *place = &work->places[i];

		for (size_t j = 0; j < place->count; j++) {
			uint32_t function = work->called[place->first + j];

			if (last[function] != i + 1)
				work->functions[function].samples += place->samples;
			last[function] = i + 1;
		}
	}
	free(last);
}

/* The last gap of a thread in which time passed. */
struct last_gap {
	size_t thread, next; /* index of the next gap */
	uint64_t end_ns;     /* 0: none so far */
};

/*
 * Returns whether a sample belongs to a switch. A CPU that switches threads has its interrupts off.
 * A timer that expires then finds the next thread in the kernel, a few us after it got the CPU.
 * Calls come in the order of threads and times.
 */
static bool is_of_switch(struct last_gap *last, const struct program *program,
			 const struct spin_row *row)
{
	const uint64_t late_ns = 10000;
	const struct program_gaps *gaps = program->gaps ? &program->gaps[row->thread] : NULL;
	uint64_t time_ns = row->row->time_ns - program->begin_ns;

	if (!gaps || row->row->mode != SAMPLED_KERNEL || row->row->time_ns < program->begin_ns)
		return false;
	if (last->thread != row->thread)
		*last = (struct last_gap){.thread = row->thread};
	for (; last->next < gaps->count && gaps->items[last->next].begin_ns < time_ns; last->next++)
		if (gaps->items[last->next].end_ns > gaps->items[last->next].begin_ns)
			last->end_ns = gaps->items[last->next].end_ns;
	return last->end_ns && last->end_ns + late_ns > time_ns;
}

/*
 * Removes samples of recorded calls, whose cost is taken out of the program, and of waits that
 * spin_to_waits() has found. Returns the number of rows left.
 */
static size_t keep_work(struct spin_row *rows, size_t count, const struct program *program,
			const struct samples *samples, bool spin_waits)
{
	struct last_gap last = {.thread = 0};
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!samples_at_probe(samples, rows[i].row) &&
		    !is_of_switch(&last, program, &rows[i]) &&
		    !(spin_waits && rows[i].use == CODE_WAITS))
			rows[kept++] = rows[i];
	return kept;
}

struct work *work_new(const struct program *program, const struct samples *samples,
		      const struct chains *chains, bool spin_waits)
{
	struct work *work = xcalloc(1, sizeof(*work));
	struct symbol_finder finder;

	work->program = program;
	work->chains = chains;
	work->rows = spin_program_rows(&work->row_count, program, samples);
	work->row_count = keep_work(work->rows, work->row_count, program, samples, spin_waits);
	work->row_places = xcalloc(work->row_count, sizeof(*work->row_places));
	symbol_finder_init(&finder, samples);
	for (size_t i = 0; i < work->row_count; i++)
		work->row_places[i] = place_of(work, &finder, work->rows[i].row);
	symbol_finder_release(&finder);
	count_samples(work);
	work_find_contexts(work);
	return work;
}

void work_free(struct work *work)
{
	if (!work)
		return;
	for (size_t i = 0; i < work->function_numbers.count; i++)
		free((char *)(uintptr_t)work->functions[i].name);
	free(work->functions);
	free(work->by_samples);
	free(work->called);
	free(work->places);
	free(work->row_places);
	free(work->row_contexts);
	free(work->row_at_ns);
	map_release(&work->contexts);
	free(work->rows);
	map_release(&work->place_numbers);
	map_release(&work->kinds);
	map_release(&work->function_numbers);
	free(work);
}

static int by_samples(const void *a, const void *b)
{
	const struct work_function *one = a, *other = b;

	return compare_values(other->samples, one->samples) ?: strcmp(one->name, other->name);
}

const struct work_function *work_functions(size_t *count, uint64_t *of_samples, struct work *work)
{
	*count = work->function_numbers.count;
	*of_samples = 0;
	for (size_t i = 0; i < work->row_count; i++)
		*of_samples += work->rows[i].row->count;
	if (!work->by_samples) {
		work->by_samples = xcalloc(*count, sizeof(*work->by_samples));
		for (size_t i = 0; i < *count; i++)
			work->by_samples[i] = work->functions[i];
		sort_items(work->by_samples, *count, by_samples);
	}
	return work->by_samples;
}

/* --- Parts of the work ---------------------------------------------------------------------- */

/* Returns whether the functions from `from` on are those of `text`, as in "compress < encode". */
static bool is_called_so(const struct work *work, const struct work_place *place, size_t from,
			 const char *text)
{
	static const char called_by[] = " < ";

	for (size_t i = from; i < place->count; i++) {
		const char *name = work->functions[work->called[place->first + i]].name;
		size_t length = strlen(name);

		if (strncmp(text, name, length) != 0)
			return false;
		if (!text[length])
			return true;
		if (strncmp(text + length, called_by, strlen(called_by)) != 0)
			return false;
		text += length + strlen(called_by);
	}
	return false;
}

static bool is_in(const struct work *work, const struct work_place *place, const char *text)
{
	for (size_t i = 0; i < place->count; i++)
		if (is_called_so(work, place, i, text))
			return true;
	return false;
}

/* Sets an error that names the functions with most samples. */
static int refuse_function(struct work *work, const char *text, struct err *err)
{
	enum { SHOWN = 3 };
	uint64_t of_samples;
	size_t count;
	const struct work_function *functions = work_functions(&count, &of_samples, work);
	char *list = xstrdup("");

	if (!count) {
		free(list);
		return err_set(
			err, "the CPU time of a function '%s' needs samples; record with -F 499 -g",
			text);
	}
	for (size_t i = 0; i < count && i < SHOWN; i++)
		xappend(&list, i ? ", " : "", "'%s'", functions[i].name);
	err_set(err, "no sample is in a function '%s'; most are in %s", text, list);
	free(list);
	return -1;
}

/*
 * Returns whether the sampled threads have more stretches of CPU time than samples, without known
 * contexts.
 */
static bool is_coarse(const struct work *work)
{
	size_t stretches = 0;

	for (size_t row = 0; row < work->row_count; row++) {
		const struct program_thread *thread =
			&work->program->threads[work->rows[row].thread];

		if (row && work->rows[row].thread == work->rows[row - 1].thread)
			continue;
		for (size_t i = 0; i < thread->count; i++)
			stretches += step_run_ns(&thread->steps[i]) > 0;
	}
	return !work->contexts.count && stretches > work->row_count;
}

static int find_function(struct work_part *part, struct work *work, const char *text,
			 struct err *err)
{
	size_t count = work->place_numbers.count;
	uint64_t all = 0;

	part->places = xcalloc(count, sizeof(*part->places));
	for (size_t i = 0; i < count; i++) {
		part->places[i] = is_in(work, &work->places[i], text);
		part->samples += part->places[i] ? work->places[i].samples : 0;
		all += work->places[i].samples;
	}
	part->share = all ? (double)part->samples / (double)all : 0;
	part->coarse = is_coarse(work);
	part->hold_ns = work_hold_ns(work, part->places);
	return part->samples ? 0 : refuse_function(work, text, err);
}

uint64_t work_of_thread(const struct program_thread *thread)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < thread->count; i++)
		sum_ns += step_run_ns(&thread->steps[i]);
	return sum_ns;
}

static int refuse_threads(const struct program *program, const struct thread_name *groups,
			  const char *text, struct err *err)
{
	struct nearest nearest;
	char *list;

	nearest_init(&nearest, text);
	for (size_t i = 0; i < program->thread_count; i++)
		nearest_try(&nearest, thread_name_text(&groups[i]));
	if (!nearest.count && program->thread_count)
		return err_set(err, "no thread has the name '%s'; one is called '%s'", text,
			       thread_name_text(&groups[0]));
	list = nearest_list(&nearest);
	err_set(err, "no thread has the name '%s'; did you mean %s?", text, list);
	free(list);
	return -1;
}

/* Returns whether a thread is called `text`: "encoder" of "locks encoder" is its function. */
static bool is_called(const struct thread_name *name, const char *text)
{
	const char *comm = thread_name_comm(name), *label = thread_name_text(name);
	size_t length = strlen(comm);

	return strcmp(comm, text) == 0 || strcmp(label, text) == 0 ||
	       (strncmp(label, comm, length) == 0 && label[length] == ' ' &&
		strcmp(label + length + 1, text) == 0);
}

static int find_threads(struct work_part *part, const struct program *program, const char *text,
			struct err *err)
{
	size_t count = program->thread_count;
	struct thread_name *groups = thread_names_groups(program->threads, count,
							 THREAD_NAME_PLACE(struct program_thread));
	uint64_t all_ns = program_work_ns(program), own_ns = 0;
	bool found = false;

	part->threads = xcalloc(count, sizeof(*part->threads));
	for (size_t i = 0; i < count; i++) {
		const struct program_thread *thread = &program->threads[i];

		part->threads[i] = is_called(&groups[i], text) || is_called(&thread->name, text);
		own_ns += part->threads[i] ? work_of_thread(thread) : 0;
		found |= part->threads[i];
	}
	part->share = all_ns ? (double)own_ns / (double)all_ns : 0;
	if (!found)
		refuse_threads(program, groups, text, err);
	for (size_t i = 0; i < count; i++)
		thread_name_release(&groups[i]);
	free(groups);
	return found ? 0 : -1;
}

bool work_is_of_threads(const char *text)
{
	return strncmp(text, work_of_threads, strlen(work_of_threads)) == 0;
}

int work_find(struct work_part *part, struct work *work, const char *text, struct err *err)
{
	work_part_release(part);
	*part = (struct work_part){.name = xstrdup(text)};
	if (work_is_of_threads(text))
		return find_threads(part, work->program, text + strlen(work_of_threads), err);
	return find_function(part, work, text, err);
}

void work_part_release(struct work_part *part)
{
	free(part->name);
	free(part->threads);
	free(part->places);
}

/* --- Scaling -------------------------------------------------------------------------------- */

/* The CPU time of a step, each part scaled by the share of its row. */
struct scaling {
	const double *shares; /* [row] */
	double ns;
};

static void add_scaled(void *context, size_t row, double ns)
{
	struct scaling *scaling = context;

	scaling->ns += ns * scaling->shares[row];
}

static void scale_sampled(struct program_thread *thread, struct work_parts *parts,
			  const double *shares)
{
	for (size_t i = 0; i < thread->count; i++) {
		struct step *step = &thread->steps[i];
		struct scaling scaling = {shares, 0};

		work_parts_take(parts, step, add_scaled, &scaling);
		step->run_op = step_run_op((uint64_t)(scaling.ns + .5), step_op(step));
	}
}

static double share_of(const struct work_change *changes, size_t count, size_t thread,
		       const uint32_t *place)
{
	double share = 1;

	for (size_t i = 0; i < count; i++) {
		const struct work_part *part = &changes[i].part;

		if (part->threads ? part->threads[thread] : place && part->places[*place])
			share *= changes[i].share;
	}
	return share;
}

void work_scale(struct program *program, const struct work *work, const struct work_change *changes,
		size_t count)
{
	double *shares = xcalloc(work->row_count + 1, sizeof(*shares));
	struct work_parts parts;

	work_parts_init(&parts, work);
	for (size_t thread = 0, row = 0; thread < program->thread_count; thread++) {
		size_t first = row;

		for (; row < work->row_count && work->rows[row].thread == thread; row++)
			shares[row] = share_of(changes, count, thread, &work->row_places[row]);
		if (row == first) {
			program_scale_thread(program, thread,
					     share_of(changes, count, thread, NULL));
			continue;
		}
		work_parts_begin(&parts, &program->threads[thread], first, row - first);
		scale_sampled(&program->threads[thread], &parts, shares);
	}
	work_parts_release(&parts);
	free(shares);
}
