/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/probe_plan.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/names.h"
#include "base/sorted.h"
#include "collect/counters/counters.h"
#include "collect/patch/function_list.h"
#include "collect/patch/object_patches.h"
#include "probe/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Texts --------------------------------------------------------------------------------- */

/* Adds a text and returns its place. */
static uint32_t add_text(struct probe_plan *plan, const char *text)
{
	size_t length = strlen(text) + 1;
	uint32_t at = plan->header.text_bytes;

	array_reserve(&plan->texts, &plan->text_capacity, at + length);
	memcpy(plan->texts + at, text, length);
	plan->header.text_bytes += (uint32_t)length;
	return at;
}

static int by_name(const void *a, const void *b, void *context)
{
	char *const *labels = context;
	size_t one = *(const size_t *)a, other = *(const size_t *)b;
	int order = strcmp(labels[one], labels[other]);

	return order ? order : (one > other) - (one < other);
}

/* Returns for each function the index + 1 of an earlier one with the same name; 0: none. */
static size_t *find_alike(const struct function_list *list, char *const *labels)
{
	size_t *order = xcalloc(list->count + 1, sizeof(*order));
	size_t *alike = xcalloc(list->count + 1, sizeof(*alike));

	for (size_t i = 0; i < list->count; i++)
		order[i] = i;
	qsort_r(order, list->count, sizeof(*order), by_name, (void *)(uintptr_t)labels);
	for (size_t i = 1; i < list->count; i++)
		if (strcmp(labels[order[i - 1]], labels[order[i]]) == 0)
			alike[order[i]] = order[i - 1] + 1;
	free(order);
	return alike;
}

/* The names of functions for people. */
struct labels {
	char **items;
	size_t *alike;
};

static void make_labels(struct labels *labels, const struct function_list *list)
{
	labels->items = xcalloc(list->count + 1, sizeof(*labels->items));
	for (size_t i = 0; i < list->count; i++)
		labels->items[i] = code_function_label(list->items[i].is);
	labels->alike = find_alike(list, labels->items);
}

static void release_labels(struct labels *labels, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(labels->items[i]);
	free(labels->items);
	free(labels->alike);
}

/*
 * Returns a name that differs between functions of the same name in different places, which are
 * different blocks. Local functions of one file may have the same name.
 */
static char *unlike_name(const struct function_list *list, size_t i, const char *label,
			 size_t alike)
{
	const struct listed_function *function = &list->items[i];

	if (!alike)
		return xstrdup(label);
	if (list->items[alike - 1].table == function->table)
		return xasprintf("%s@%#lx", label, (unsigned long)function->is->address);
	return xasprintf("%s@%s", label, strrchr(list->tables[function->table].path, '/') + 1);
}

/* --- Patches ------------------------------------------------------------------------------- */

static void leave_alone(struct probe_plan *plan, const char *name, const char *why)
{
	array_reserve(&plan->unwatched, &plan->unwatched_capacity, plan->unwatched_count + 1);
	plan->unwatched[plan->unwatched_count++] = (struct unwatched){name, why};
}

static void add_patch(struct probe_plan *plan, size_t i, const struct labels *labels,
		      struct plan_patch *patch)
{
	char *name = unlike_name(&plan->functions, i, labels->items[i], labels->alike[i]);
	size_t at = plan->header.patch_count++;

	patch->name = add_text(plan, name);
	free(name);
	array_reserve(&plan->patches, &plan->patch_capacity, at + 1);
	array_reserve(&plan->offsets, &plan->offset_capacity, at + 1);
	plan->patches[at] = *patch;
	plan->offsets[at] = plan->functions.items[i].is->offset;
}

static void add_object(struct probe_plan *plan, const struct function_table *table)
{
	size_t at = plan->header.object_count++;

	array_reserve(&plan->objects, &plan->object_capacity, at + 1);
	plan->objects[at] = (struct plan_object){
		.device = table->device,
		.inode = table->inode,
		.mtime_ns = table->mtime_ns,
		.path = add_text(plan, table->path),
		.first_patch = plan->header.patch_count,
	};
}

static size_t count_object(const struct function_list *list, size_t i)
{
	size_t first = i;

	while (i < list->count && list->items[i].table == list->items[first].table)
		i++;
	return i - first;
}

/* Adds the functions of one object, from index `i` on. Returns the index behind them. */
static size_t take_object(struct probe_plan *plan, size_t i, const struct labels *labels)
{
	const struct function_list *list = &plan->functions;
	const struct function_table *table = &list->tables[list->items[i].table];
	const char *forbidden = unwatchable_object(table->path, list->objects.loader);
	size_t count = count_object(list, i);
	struct object_patch *made = object_patches_make(table, &list->items[i], count, forbidden);

	add_object(plan, table);
	for (size_t k = 0; k < count; k++)
		if (made[k].why)
			leave_alone(plan, list->items[i + k].is->name, made[k].why);
		else
			add_patch(plan, i + k, labels, &made[k].patch);
	plan->objects[plan->header.object_count - 1].patch_count =
		plan->header.patch_count - plan->objects[plan->header.object_count - 1].first_patch;
	free(made);
	return i + count;
}

/* --- The whole ----------------------------------------------------------------------------- */

#if defined(__x86_64__)

int probe_options_check(const struct probe_options *options, struct err *err)
{
	(void)options, (void)err;
	return 0;
}

#else

int probe_options_check(const struct probe_options *options, struct err *err)
{
	const char *const *pattern = options->patterns;

	while (pattern && *pattern && strcmp(*pattern, PATTERN_MARKS) == 0)
		pattern++;
	if (!pattern || !*pattern)
		return 0;
	return err_set(err,
		       "--probe %s: functions are probed on x86-64 only; take --uprobe, or "
		       "mark blocks with pscal/probe.h and say --probe marks",
		       *pattern);
}

#endif

static int refuse_all(const struct probe_plan *plan, struct err *err)
{
	enum { NAMED = 3 };
	char *sentence = probe_plan_unwatched(plan, NAMED);

	err_set(err, "--probe: %s", sentence);
	free(sentence);
	return -1;
}

/* Returns the number of the namespace of pids; 0: unknown. */
static uint64_t pid_namespace(void)
{
	struct stat file;

	return stat("/proc/self/ns/pid", &file) == 0 ? file.st_ino : 0;
}

static const char indirect[] = "is an indirect function (the program chooses one of several)";

/* Finds the functions. Without --probe only the program has to be known. */
static int find_functions(struct function_list *list, const struct probe_options *options,
			  const char *command, struct err *err)
{
	const char *option = probe_options_name(options);

	if (options->patterns && function_list_find(list, options->patterns, command, err))
		return -1;
	if (!options->patterns && loaded_objects_find(&list->objects, command, err))
		return err_wrap(err, "%s", option);
	return unwatchable_program(list->objects.program, list->objects.loader, option, err);
}

/* Adds the events to count in tasks. */
static int add_counters(struct probe_plan *plan, const struct probe_options *options,
			struct err *err)
{
	struct plan_header *header = &plan->header;
	struct counter_choice choice;
	int rc;

	if (!options->counters)
		return 0;
	rc = counter_choice_init(&choice, options->counters, false, options->tracefs, err);
	if (rc)
		err_wrap(err, "--tasks, count");
	else if (choice.count > PLAN_COUNTERS_MAX)
		rc = err_set(err, "--tasks, count: at most %d events can be counted in tasks",
			     PLAN_COUNTERS_MAX);
	for (size_t i = 0; !rc && i < choice.count; i++) {
		struct perf_event_attr *attr = &header->counters[header->counter_count];

		*attr = choice.counters[i].attr;
		attr->size = sizeof(*attr);
		attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		plan->counter_names[header->counter_count++] = xstrdup(choice.counters[i].name);
	}
	counter_choice_release(&choice);
	return rc;
}

int probe_plan_make(struct probe_plan *plan, const struct probe_options *options,
		    const char *command, struct err *err)
{
	struct function_list *list = &plan->functions;
	struct labels labels;

	plan->patterns = options->patterns;
	plan->header = (struct plan_header){
		.magic = PLAN_MAGIC,
		.version = SPOOL_VERSION,
		.every = options->every,
		.stack_every = options->stack_every,
		.arguments = options->arguments,
		.marks = options->patterns != NULL,
		.functions = options->patterns != NULL,
		.tasks = options->tasks,
		.pid_namespace = pid_namespace(),
	};
	add_text(plan, "");
	if (add_counters(plan, options, err))
		return -1;
	if (find_functions(list, options, command, err))
		return -1;
	make_labels(&labels, list);
	for (size_t i = 0; i < list->count;)
		i = take_object(plan, i, &labels);
	release_labels(&labels, list->count);
	for (size_t i = 0; i < list->table_count; i++)
		object_close(&list->tables[i].object);
	for (size_t i = 0; i < list->indirect_count; i++)
		leave_alone(plan, list->indirect[i], indirect);
	return plan->unwatched_count && !plan->header.patch_count ? refuse_all(plan, err) : 0;
}

void probe_plan_release(struct probe_plan *plan)
{
	for (size_t i = 0; i < PLAN_COUNTERS_MAX; i++)
		free(plan->counter_names[i]);
	function_list_release(&plan->functions);
	free(plan->objects);
	free(plan->patches);
	free(plan->texts);
	free(plan->offsets);
	free(plan->unwatched);
	*plan = (struct probe_plan){.texts = NULL};
}

int probe_plan_write(FILE *out, const void *context)
{
	const struct probe_plan *plan = context;
	const struct plan_header *header = &plan->header;

	fwrite(header, sizeof(*header), 1, out);
	fwrite(plan->objects, sizeof(*plan->objects), header->object_count, out);
	fwrite(plan->patches, sizeof(*plan->patches), header->patch_count, out);
	fwrite(plan->texts, 1, header->text_bytes, out);
	return 0;
}

const char *probe_plan_name(const struct probe_plan *plan, const char *path, uint64_t offset)
{
	for (size_t i = 0; i < plan->header.object_count; i++) {
		const struct plan_object *object = &plan->objects[i];
		size_t end = object->first_patch + object->patch_count;
		size_t at = find_first(k, object->first_patch, end, plan->offsets[k] >= offset);

		if (at < end && plan->offsets[at] == offset &&
		    strcmp(plan->texts + object->path, path) == 0)
			return plan->texts + plan->patches[at].name;
	}
	return NULL;
}

char *probe_plan_unwatched(const struct probe_plan *plan, size_t named)
{
	size_t count = plan->unwatched_count;
	size_t chosen = plan->functions.count + plan->functions.indirect_count;
	char *sentence;

	if (!count)
		return NULL;
	sentence = count < chosen ? xasprintf("%zu of %zu functions %s not probed", count, chosen,
					      count == 1 ? "is" : "are")
		   : count == 1	  ? xstrdup("the function cannot be probed")
				  : xasprintf("none of the %zu functions can be probed", count);
	for (size_t i = 0; i < count && i < named; i++) {
		char *name = demangle_or_copy(plan->unwatched[i].name);
		char *more = xasprintf("%s%s %s %s", sentence, i ? ";" : ":", name,
				       plan->unwatched[i].why);

		free(name);
		free(sentence);
		sentence = more;
	}
	if (named && count > named) {
		char *more = xasprintf("%s; -v names all", sentence);

		free(sentence);
		sentence = more;
	}
	return sentence;
}
