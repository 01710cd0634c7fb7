/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work on a critical path, by function and by group of threads, see work.h. */
#include "replay/program/work_private.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "replay/program/step.h"
#include "stats/spin/thread_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A function with this share of another one's work does the same work. */
static const double same_share = .9;

/* A function with this share of its threads' work is all their work ... */
static const double whole_share = .98;

/* ... unless this share of it is the function's own. */
static const double own_share = .5;

/* The most candidates: functions with most work on the path. */
enum { TOPS = 128 };

/* A place in the code, or a function, in a group of threads. */
struct path_pair {
	uint32_t of, group;
	double ns;
};

struct path_sums {
	const struct program *program;
	const struct work *work;
	uint32_t *group_of; /* [thread] */
	char **group_names; /* [group] */
	bool *means_more;   /* [group]: its name is the kernel's name of other threads, too */
	double *group_ns;   /* [group]: work on the path */
	double *work_ns;    /* [group]: all work */
	size_t groups;
	double all_work_ns;
	struct map pair_numbers; /* by place and group */
	struct path_pair *pairs;
	size_t pair_capacity;
};

/* --- By place and group ---------------------------------------------------------------------- */

static void sums_init(struct path_sums *sums, const struct program *program,
		      const struct work *work)
{
	size_t count = program->thread_count;
	struct thread_name *names = thread_names_groups(program->threads, count,
							THREAD_NAME_PLACE(struct program_thread));
	struct map numbers = {0};

	*sums = (struct path_sums){.program = program,
				   .work = work,
				   .group_of = xcalloc(count + 1, sizeof(*sums->group_of)),
				   .group_names = xcalloc(count + 1, sizeof(char *)),
				   .means_more = xcalloc(count + 1, sizeof(*sums->means_more)),
				   .group_ns = xcalloc(count + 1, sizeof(*sums->group_ns)),
				   .work_ns = xcalloc(count + 1, sizeof(*sums->work_ns))};
	for (size_t i = 0; i < count; i++) {
		const char *name = thread_name_text(&names[i]);

		sums->group_of[i] = map_add(&numbers, name, strlen(name));
		if (sums->group_of[i] == sums->groups)
			sums->group_names[sums->groups++] = xstrdup(name);
		thread_name_release(&names[i]);
	}
	for (size_t i = 0; i < count; i++) {
		const char *comm = thread_name_comm(&program->threads[i].name);
		uint32_t group = map_find(&numbers, comm, strlen(comm));

		if (group != MAP_NONE && group != sums->group_of[i])
			sums->means_more[group] = true;
	}
	map_release(&numbers);
	free(names);
}

static void sums_release(struct path_sums *sums)
{
	for (size_t i = 0; i < sums->groups; i++)
		free(sums->group_names[i]);
	free(sums->group_names);
	free(sums->group_of);
	free(sums->means_more);
	free(sums->group_ns);
	free(sums->work_ns);
	free(sums->pairs);
	map_release(&sums->pair_numbers);
}

static void add_pair(struct map *numbers, struct path_pair **pairs, size_t *capacity, uint32_t of,
		     uint32_t group, double ns)
{
	size_t before = numbers->count;
	uint32_t number = map_add_u64(numbers, (uint64_t)of << 32 | group);

	if (number == before) {
		array_reserve(pairs, capacity, before + 1);
		(*pairs)[number] = (struct path_pair){of, group, 0};
	}
	(*pairs)[number].ns += ns;
}

/* A step and the share of its CPU time that is on the path. */
struct path_step {
	struct path_sums *sums;
	uint32_t group;
	double share;
};

static void add_part(void *context, size_t row, double ns)
{
	const struct path_step *step = context;
	struct path_sums *sums = step->sums;

	if (step->share > 0)
		add_pair(&sums->pair_numbers, &sums->pairs, &sums->pair_capacity,
			 sums->work->row_places[row], step->group, ns * step->share);
}

/* Adds the work of a thread. `sampled`: `parts` has begun the thread. */
static void add_thread(struct path_sums *sums, size_t thread, struct work_parts *parts,
		       bool sampled, const double *path_ns)
{
	const struct program_thread *own = &sums->program->threads[thread];
	uint32_t group = sums->group_of[thread];

	for (size_t i = 0; i < own->count; i++) {
		double run_ns = (double)step_run_ns(&own->steps[i]);
		struct path_step step = {sums, group, run_ns > 0 ? path_ns[i] / run_ns : 0};

		sums->group_ns[group] += path_ns[i];
		sums->work_ns[group] += run_ns;
		sums->all_work_ns += run_ns;
		if (sampled)
			work_parts_take(parts, &own->steps[i], add_part, &step);
	}
}

static void sums_add(struct path_sums *sums, const double *path_ns)
{
	const struct work *work = sums->work;
	struct work_parts parts;

	work_parts_init(&parts, work);
	for (size_t thread = 0, row = 0; thread < sums->program->thread_count; thread++) {
		const struct program_thread *own = &sums->program->threads[thread];
		size_t first = row;

		while (row < work->row_count && work->rows[row].thread == thread)
			row++;
		work_parts_begin(&parts, own, first, row - first);
		add_thread(sums, thread, &parts, row > first, path_ns);
		path_ns += own->count;
	}
	work_parts_release(&parts);
}

/* --- By function ----------------------------------------------------------------------------- */

struct function_path {
	uint32_t function;
	uint32_t group;	    /* group of threads with most of its work */
	double ns, own_ns;  /* with and without the functions that it calls */
	double in_group_ns; /* part of `ns` in `group` */
	double threads_ns;  /* work on the path in all groups that call it */
};

struct functions_path {
	const struct path_sums *sums;
	struct function_path *items; /* most work first */
	size_t count;
	uint32_t *tops;		   /* [function]: number in `items`; TOPS and more: none */
	double (*inside_ns)[TOPS]; /* [a][b]: work in `a` while `b` calls it, also indirectly */
	uint32_t *list;		   /* the functions of one place */
};

/* Lists the functions of a place, each once, the innermost first. Returns their number. */
static size_t list_functions(uint32_t *list, const struct work *work, uint32_t place_number)
{
	const struct work_place *place = &work->places[place_number];
	size_t count = 0;

	for (size_t i = 0; i < place->count; i++) {
		uint32_t function = work->called[place->first + i];
		size_t at = 0;

		while (at < count && list[at] != function)
			at++;
		if (at == count)
			list[count++] = function;
	}
	return count;
}

static uint32_t *list_new(const struct work *work)
{
	size_t longest = 0;

	for (size_t i = 0; i < work->place_numbers.count; i++)
		longest = work->places[i].count > longest ? work->places[i].count : longest;
	return xcalloc(longest + 1, sizeof(uint32_t));
}

static void add_function(struct function_path *item, const struct path_sums *sums,
			 const struct path_pair *in_group)
{
	item->ns += in_group->ns;
	item->threads_ns += sums->group_ns[in_group->group];
	if (in_group->ns <= item->in_group_ns)
		return;
	item->in_group_ns = in_group->ns;
	item->group = in_group->group;
}

static int by_path(const void *a, const void *b)
{
	const struct function_path *one = a, *other = b;

	return compare_values(other->ns, one->ns) ?: compare_values(one->function, other->function);
}

/* Sums the functions on the path, most work first. */
static void functions_sum(struct functions_path *functions)
{
	const struct path_sums *sums = functions->sums;
	size_t count = sums->work->function_numbers.count, capacity = 0;
	struct path_pair *pairs = NULL;
	struct map numbers = {0};

	functions->items = xcalloc(count + 1, sizeof(*functions->items));
	for (uint32_t i = 0; i < count; i++)
		functions->items[i].function = i;
	for (size_t i = 0; i < sums->pair_numbers.count; i++) {
		const struct path_pair *pair = &sums->pairs[i];
		size_t listed = list_functions(functions->list, sums->work, pair->of);

		for (size_t j = 0; j < listed; j++)
			add_pair(&numbers, &pairs, &capacity, functions->list[j], pair->group,
				 pair->ns);
		if (listed)
			functions->items[functions->list[0]].own_ns += pair->ns;
	}
	for (size_t i = 0; i < numbers.count; i++)
		add_function(&functions->items[pairs[i].of], sums, &pairs[i]);
	sort_items(functions->items, count, by_path);
	while (functions->count < count && functions->items[functions->count].ns > 0)
		functions->count++;
	map_release(&numbers);
	free(pairs);
}

/* Sums the work of top functions inside of others. */
static void functions_nest(struct functions_path *functions)
{
	const struct path_sums *sums = functions->sums;
	size_t count = sums->work->function_numbers.count;

	functions->tops = xcalloc(count + 1, sizeof(*functions->tops));
	functions->inside_ns = xcalloc(TOPS, sizeof(*functions->inside_ns));
	for (uint32_t i = 0; i < count; i++)
		functions->tops[functions->items[i].function] = i;
	for (size_t i = 0; i < sums->pair_numbers.count; i++) {
		const struct path_pair *pair = &sums->pairs[i];
		size_t listed = list_functions(functions->list, sums->work, pair->of), kept = 0;

		for (size_t j = 0; j < listed; j++) {
			uint32_t top = functions->tops[functions->list[j]];

			if (top < TOPS)
				functions->list[kept++] = top;
		}
		for (size_t a = 0; a < kept; a++)
			for (size_t b = a + 1; b < kept; b++)
				functions->inside_ns[functions->list[a]][functions->list[b]] +=
					pair->ns;
	}
}

/*
 * Returns whether another name says as much: a function inside of it that does the same work, or
 * its threads if the function is all their work, like `main`.
 */
static bool gives_way(const struct functions_path *functions, size_t number)
{
	const struct function_path *item = &functions->items[number];
	size_t count = functions->count < TOPS ? functions->count : TOPS;
	double most_ns = 0;

	for (size_t a = 0; a < count; a++)
		most_ns = fmax(most_ns, functions->inside_ns[a][number]);
	return most_ns >= same_share * item->ns ||
	       (most_ns > 0 && item->ns >= whole_share * item->threads_ns &&
		item->own_ns < own_share * item->ns);
}

static size_t rank_functions(struct work_on_path *ranked, size_t most, const struct path_sums *sums)
{
	struct functions_path functions = {.sums = sums, .list = list_new(sums->work)};
	size_t count = 0;

	functions_sum(&functions);
	functions_nest(&functions);
	for (size_t i = 0; i < functions.count && i < TOPS && count < most; i++) {
		const struct function_path *item = &functions.items[i];

		if (gives_way(&functions, i))
			continue;
		ranked[count++] = (struct work_on_path){
			.text = xstrdup(sums->work->functions[item->function].name),
			.threads = item->in_group_ns >= same_share * item->ns
					   ? xstrdup(sums->group_names[item->group])
					   : NULL,
			.path_ns = item->ns};
	}
	free(functions.items);
	free(functions.tops);
	free(functions.inside_ns);
	free(functions.list);
	return count;
}

/* --- By group -------------------------------------------------------------------------------- */

/* Ranks groups, but those with all work, and names that work_find() takes for others, too. */
static size_t rank_groups(struct work_on_path *ranked, size_t most, const struct path_sums *sums)
{
	size_t count = 0;

	for (size_t i = 0; i < sums->groups; i++) {
		double ns = sums->group_ns[i];
		size_t at = count;

		if (ns <= 0 || sums->work_ns[i] >= whole_share * sums->all_work_ns ||
		    sums->means_more[i])
			continue;
		while (at && ranked[at - 1].path_ns < ns)
			at--;
		if (at == most)
			continue;
		if (count == most)
			work_on_path_release(&ranked[--count], 1);
		memmove(&ranked[at + 1], &ranked[at], (count++ - at) * sizeof(*ranked));
		ranked[at] = (struct work_on_path){
			.text = xasprintf("%s%s", work_of_threads, sums->group_names[i]),
			.threads = xstrdup(sums->group_names[i]),
			.path_ns = ns};
	}
	return count;
}

/* --- The ranking ----------------------------------------------------------------------------- */

size_t work_rank(struct work_on_path *ranked, size_t most, const struct program *program,
		 const struct work *work, const double *path_ns, bool by_threads)
{
	struct path_sums sums;
	size_t count = 0;

	sums_init(&sums, program, work);
	sums_add(&sums, path_ns);
	if (!by_threads)
		count = rank_functions(ranked, most, &sums);
	if (!count)
		count = rank_groups(ranked, most, &sums);
	sums_release(&sums);
	return count;
}

void work_on_path_release(struct work_on_path *ranked, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(ranked[i].text);
		free(ranked[i].threads);
	}
}
