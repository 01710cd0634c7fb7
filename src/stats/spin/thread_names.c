/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/thread_names.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/names.h"
#include "base/sorted.h"
#include "decode/event/event_source.h"
#include "stats/spin/symbol_finder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct thread_names {
	const struct event_source *source;
	struct symbol_finder finder;
	size_t map_count;		      /* the number of maps in the finder */
	size_t map_capacity, parent_capacity; /* of the arrays of the source in the finder */
	char **functions; /* [start]: "": not found; NULL: not searched for yet */
	size_t capacity;
};

static void note_maps(struct thread_names *names)
{
	const struct samples *samples = &names->source->samples;

	names->map_count = samples->map_count;
	names->map_capacity = samples->map_capacity;
	names->parent_capacity = samples->parent_capacity;
}

struct thread_names *thread_names_new(const struct event_source *source)
{
	struct thread_names *names = xcalloc(1, sizeof(*names));

	names->source = source;
	symbol_finder_init(&names->finder, &source->samples);
	note_maps(names);
	return names;
}

void thread_names_free(struct thread_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->capacity; i++)
		free(names->functions[i]);
	free(names->functions);
	symbol_finder_release(&names->finder);
	free(names);
}

/*
 * Updates the maps of the finder: more are mapped while the source is read, and its arrays, to
 * which the finder points, move when they grow. Updates are few, as each sorts all maps.
 */
static void know_maps(struct thread_names *names)
{
	const struct samples *samples = &names->source->samples;

	if (samples->map_capacity == names->map_capacity &&
	    samples->parent_capacity == names->parent_capacity &&
	    samples->map_count - names->map_count <= names->map_count / 8)
		return;
	map_finder_release(&names->finder.maps);
	map_finder_init(&names->finder.maps, samples);
	note_maps(names);
}

/* --- The function of a C++ thread ---------------------------------------------------------- */

/* Returns the length of the first argument of a template, which begins at `text`. */
static size_t argument_length(const char *text)
{
	size_t at = 0;

	for (int depth = 0; text[at]; at++) {
		if (!depth && (text[at] == ',' || text[at] == '>'))
			break;
		depth += text[at] && strchr("<({[", text[at]) ? 1 : 0;
		depth -= text[at] && strchr(">)}]", text[at]) ? 1 : 0;
	}
	return at;
}

/*
 * Returns the type of the program's function in a thread of C++. The argument of std::thread's own
 * function points to an object whose vtable has this type in its name: "vtable for
 * std::thread::_State_impl<std::thread::_Invoker< std::tuple<main::{lambda()#1}> > >" (libstdc++,
 * bits/std_thread.h). Returns NULL if it has no such name.
 */
static char *invoked_type(struct thread_names *names, const struct chain *start)
{
	static const char tuple[] = "std::tuple<";
	struct symbol symbol;
	const char *type;
	char *name, *found = NULL;

	if (start->count < 2 || !symbol_finder_variable(&symbol, &names->finder, start->pid,
							start->frames[1], start->time_ns))
		return NULL;
	name = demangle_or_copy(symbol.function);
	type = strstr(name, "::_Invoker<") ? strstr(name, tuple) : NULL;
	if (type) {
		type += strlen(tuple);
		found = xasprintf("%.*s", (int)argument_length(type), type);
	}
	free(name);
	return found;
}

/* Returns the function behind a pointer whose type does not name it; it follows the vtable. */
static char *invoked_function(struct thread_names *names, const struct chain *start)
{
	struct symbol symbol;

	for (size_t i = 2; i < start->count; i++)
		if (symbol_finder_find(&symbol, &names->finder, start->pid, start->frames[i],
				       start->time_ns) &&
		    symbol.function && !symbol.offset && !symbol.of_library)
			return demangle_or_copy(symbol.function);
	return NULL;
}

static char *function_of_cpp(struct thread_names *names, const struct chain *start)
{
	char *type = invoked_type(names, start), *function;

	if (!type || !strstr(type, "*)"))
		return type;
	free(type);
	function = invoked_function(names, start);
	return function;
}

/* --- Functions ----------------------------------------------------------------------------- */

/* Cuts "encode(int, char**)" to "encode", but keeps lambdas: "main::{lambda(int)#1}". */
static char *without_arguments(char *name)
{
	if (!strchr(name, '{'))
		name[demangled_length(name)] = '\0';
	return name;
}

static char *find_function(struct thread_names *names, const struct chain *start)
{
	struct symbol symbol;
	char *name = NULL;

	if (!start->count || !symbol_finder_find(&symbol, &names->finder, start->pid,
						 start->frames[0], start->time_ns))
		return NULL;
	if (symbol.of_library)
		name = function_of_cpp(names, start);
	else if (symbol.function && !symbol.offset)
		name = demangle_or_copy(symbol.function);
	return name ? without_arguments(name) : NULL;
}

const char *thread_names_function(struct thread_names *names, uint32_t start)
{
	const char *function;

	if (!start || start > names->source->starts.count)
		return NULL;
	array_reserve(&names->functions, &names->capacity, (size_t)start + 1);
	if (!names->functions[start]) {
		const struct chain chain = chains_get(&names->source->starts, start);

		know_maps(names);
		names->functions[start] = find_function(names, &chain) ?: xstrdup("");
	}
	function = names->functions[start];
	return *function ? function : NULL;
}

/* Adds the function to `name` of THREAD_NAME_SIZE bytes. */
static void add_function(char *name, const char *function)
{
	size_t length = strlen(name);

	if (*function && strcmp(name, function) != 0)
		snprintf(name + length, THREAD_NAME_SIZE - length, "%s%s", length ? " " : "",
			 function);
}

const char *thread_names_label(char out[THREAD_NAME_SIZE], struct thread_names *names,
			       const char *comm, uint32_t start)
{
	snprintf(out, THREAD_NAME_SIZE, "%s", comm);
	add_function(out, thread_names_function(names, start) ?: "");
	return out;
}

/* --- The names of one thread --------------------------------------------------------------- */

void thread_name_label(struct thread_name *name, const char *label)
{
	struct thread_name labelled = {.bytes[COMM_SIZE - 1] = 1};
	char *texts;

	if (strcmp(label, thread_name_text(name)) == 0)
		return;
	texts = xcalloc(COMM_SIZE + strlen(label) + 1, 1);
	strcpy(texts, thread_name_comm(name));
	strcpy(texts + COMM_SIZE, label);
	memcpy(labelled.bytes, &texts, sizeof(texts));
	thread_name_release(name);
	*name = labelled;
}

void thread_name_copy(struct thread_name *copy, const struct thread_name *name)
{
	*copy = (struct thread_name){{0}};
	strcpy(copy->bytes, thread_name_comm(name));
	thread_name_label(copy, thread_name_text(name));
}

void thread_name_release(struct thread_name *name)
{
	char *texts;

	if (name->bytes[COMM_SIZE - 1]) {
		memcpy(&texts, name->bytes, sizeof(texts));
		free(texts);
	}
	*name = (struct thread_name){{0}};
}

/* --- Names of all threads ------------------------------------------------------------------ */

struct named_thread {
	struct thread_name *name;
	const char *function; /* the function, or "" */
};

static int by_comm(const void *a, const void *b)
{
	const struct named_thread *one = a, *other = b;

	return strcmp(thread_name_comm(one->name), thread_name_comm(other->name));
}

static bool differ(const struct named_thread *threads, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (strcmp(threads[i].function, threads[0].function) != 0)
			return true;
	return false;
}

static void complete_name(const struct named_thread *thread)
{
	char label[THREAD_NAME_SIZE];

	snprintf(label, sizeof(label), "%s", thread_name_comm(thread->name));
	add_function(label, thread->function);
	thread_name_label(thread->name, label);
}

/* Completes the threads of one name, from `begin` on; returns the end of them. */
static size_t complete_group(struct named_thread *threads, size_t begin, size_t count)
{
	size_t end = begin + 1;

	while (end < count && by_comm(&threads[end], &threads[begin]) == 0)
		end++;
	if (!differ(&threads[begin], end - begin))
		return end;
	for (size_t i = begin; i < end; i++)
		complete_name(&threads[i]);
	return end;
}

void thread_names_complete(void *threads, size_t count, struct thread_name_place place,
			   const struct event_source *source)
{
	struct named_thread *all;
	struct thread_names *names;

	if (!source->starts.count)
		return;
	names = thread_names_new(source);
	all = xcalloc(count + 1, sizeof(*all));
	for (size_t i = 0; i < count; i++) {
		char *thread = (char *)threads + i * place.size;
		uint32_t start;

		memcpy(&start, thread + place.start, sizeof(start));
		all[i].name = (struct thread_name *)(void *)(thread + place.name);
		all[i].function = thread_names_function(names, start) ?: "";
	}
	sort_items(all, count, by_comm);
	for (size_t i = 0; i < count;)
		i = complete_group(all, i, count);
	free(all);
	thread_names_free(names);
}

/* --- Names of groups ----------------------------------------------------------------------- */

static size_t stem_of(const struct thread_name *name)
{
	return numbered_stem(thread_name_comm(name), strlen(thread_name_comm(name)));
}

static int by_stem(const void *a, const void *b)
{
	struct thread_name *const *one = a, *const *other = b;
	size_t stem = stem_of(*one);

	return compare_values(stem, stem_of(*other))
		       ?: memcmp(thread_name_comm(*one), thread_name_comm(*other), stem);
}

static int by_stem_and_number(const void *a, const void *b)
{
	struct thread_name *const *one = a, *const *other = b;

	return by_stem(a, b) ?: strcmp(thread_name_comm(*one), thread_name_comm(*other));
}

/* Labels the names with one stem, which are sorted, from `begin` on; returns the end of them. */
static size_t fold_stem(struct thread_name **names, size_t begin, size_t count)
{
	char label[COMM_SIZE + 1];
	size_t end = begin + 1;

	while (end < count && by_stem(&names[begin], &names[end]) == 0)
		end++;
	if (by_stem_and_number(&names[begin], &names[end - 1]) == 0)
		return end;
	snprintf(label, sizeof(label), "%.*s*", (int)stem_of(names[begin]),
		 thread_name_comm(names[begin]));
	for (size_t i = begin; i < end; i++)
		thread_name_label(names[i], label);
	return end;
}

/* Returns true for a name without a label that ends in a number, but is not all digits. */
static bool is_numbered(const struct thread_name *name)
{
	size_t stem = stem_of(name);

	return thread_name_text(name) == thread_name_comm(name) && stem &&
	       thread_name_comm(name)[stem];
}

struct thread_name *thread_names_groups(const void *threads, size_t count,
					struct thread_name_place place)
{
	struct thread_name *names = xcalloc(count + 1, sizeof(*names));
	struct thread_name **numbered = xcalloc(count + 1, sizeof(struct thread_name *));
	size_t numbered_count = 0;

	for (size_t i = 0; i < count; i++) {
		const char *name = (const char *)threads + i * place.size + place.name;

		thread_name_copy(&names[i], (const struct thread_name *)(const void *)name);
		if (is_numbered(&names[i]))
			numbered[numbered_count++] = &names[i];
	}
	sort_items(numbered, numbered_count, by_stem_and_number);
	for (size_t i = 0; i < numbered_count;)
		i = fold_stem(numbered, i, numbered_count);
	free(numbered);
	return names;
}
