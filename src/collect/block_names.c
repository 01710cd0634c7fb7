/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/block_names.h"

#include "base/alloc.h"
#include "base/monotonic.h"
#include "collect/block_spool.h"
#include "collect/function_table.h"
#include "collect/probe_plan.h"
#include "collect/proc_maps.h"
#include "collect/recording.h"
#include "collect/user_rights.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What is kept of what processes say; the name of what is beyond that. */
enum {
	NAMES_BYTES_MAX = 32 << 20,
	NAME_BYTES = 128, /* that a name takes beside its text */
	ADDRESSES_MAX = 1 << 20,
	MAPS_BYTES_MAX = 64 << 20,
	LOOKS_MAX = 16, /* of each process */
	FILES_MAX = 4096,
	FUNCTIONS_MAX = 2 << 20 /* of all files */
};

/* What may be spent on files and maps that processes name, in a whole recording and at its end. */
static const uint64_t looking_max_ns = 3000000000, last_looking_max_ns = 300000000;

static const char too_many[] = "[more names than are kept]";

/* What an address or a name has; the first members are what trees are ordered by. */
struct numbered_address {
	uint64_t address;
	uint32_t number;
};

struct numbered_name {
	const char *name;
	uint32_t number;
};

struct block_process {
	struct spool_process *of;
	struct proc_maps maps; /* what it may execute of files; what came last counts */
	struct proc_map_lines lines;
	int looks; /* at the maps that the kernel says it has */
	void *by_address;
	size_t addresses, map_bytes;
};

/* --- Numbers of names ---------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct numbered_name *)a)->name,
		      ((const struct numbered_name *)b)->name);
}

/* Takes `name` over. */
static uint32_t number_of_name(struct block_names *names, char *name)
{
	struct numbered_name *own = xcalloc(1, sizeof(*own));
	void **found;
	uint32_t number;

	if (names->bytes > NAMES_BYTES_MAX) {
		free(name);
		name = xstrdup(too_many);
	}
	*own = (struct numbered_name){name, (uint32_t)names->count};
	found = tsearch(own, &names->by_name, compare_names);
	if (!found)
		abort(); /* as base/alloc does where memory is short */
	number = (*(struct numbered_name **)found)->number;
	if (*found != own) {
		free(own);
		free(name);
		return number;
	}
	array_reserve(&names->items, &names->capacity, names->count + 1);
	names->items[names->count++] = name;
	names->bytes += strlen(name) + NAME_BYTES;
	return number;
}

/* --- Numbers of addresses ------------------------------------------------------------------ */

static int compare_addresses(const void *a, const void *b)
{
	uint64_t one = ((const struct numbered_address *)a)->address;
	uint64_t other = ((const struct numbered_address *)b)->address;

	return (one > other) - (one < other);
}

static const struct numbered_address *find_address(const struct block_process *process,
						   uint64_t address)
{
	const struct numbered_address key = {address, 0};
	void *const *found = tfind(&key, &process->by_address, compare_addresses);

	return found ? *found : NULL;
}

static void put_address(struct block_names *names, struct block_process *process, uint64_t address,
			uint32_t number)
{
	struct numbered_address *own;
	void **found;

	if (names->addresses >= ADDRESSES_MAX)
		return;
	own = xcalloc(1, sizeof(*own));
	*own = (struct numbered_address){address, number};
	found = tsearch(own, &process->by_address, compare_addresses);
	if (found && *found == own) {
		names->addresses++;
		process->addresses++;
		return;
	}
	if (found) /* the address has got another name */
		(*(struct numbered_address **)found)->number = number;
	free(own);
}

/* --- What the process notes ---------------------------------------------------------------- */

/* What a file says that a process names, read with the rights of the process's user. */
struct look {
	struct user_rights before;
	uint64_t since_ns;
};

static bool may_look(const struct block_names *names)
{
	return names->looking_ns < looking_max_ns;
}

void block_names_hurry(struct block_names *names)
{
	if (names->looking_ns + last_looking_max_ns < looking_max_ns)
		names->looking_ns = looking_max_ns - last_looking_max_ns;
}

static void begin_look(struct look *look, const struct block_process *process)
{
	look->since_ns = monotonic_ns();
	user_rights_take(&look->before, process->of->uid, process->of->gid);
}

static void end_look(const struct look *look, struct block_names *names)
{
	user_rights_give_back(&look->before);
	names->looking_ns += monotonic_ns() - look->since_ns;
}

static void count_map(struct block_names *names, struct block_process *process,
		      const struct proc_map *map)
{
	size_t bytes = sizeof(*map) + strlen(map->path) + 1;

	process->map_bytes += bytes;
	names->map_bytes += bytes;
}

static bool next_map(struct proc_map *map, struct block_names *names, struct block_process *process,
		     char *line)
{
	struct look look;
	bool found;

	if (names->map_bytes >= MAPS_BYTES_MAX || !may_look(names))
		return false;
	begin_look(&look, process);
	found = proc_map_next(map, &process->lines, line) == 0 && map->prot & PROT_EXEC &&
		*map->path == '/';
	end_look(&look, names);
	return found;
}

static void take_map(struct block_names *names, struct block_process *process, char *line)
{
	struct proc_map map;

	if (!next_map(&map, names, process, line))
		return;
	map.path = xstrdup(map.path);
	array_reserve(&process->maps.maps, &process->maps.capacity, process->maps.count + 1);
	process->maps.maps[process->maps.count++] = map;
	count_map(names, process, &map);
}

/* "ADDRESS NAME" of blocks and of places */
static void take_name(struct block_names *names, struct block_process *process, char *line)
{
	char *name;
	uint64_t address = strtoull(line, &name, 10);
	uint32_t number;

	if (*name != ' ' || !name[1])
		return;
	number = number_of_name(names, xstrdup(name + 1));
	put_address(names, process, address, number);
	put_address(names, process, address | BLOCK_NAMES_PLACE, number);
}

void block_names_note(struct block_names *names, struct block_process *process,
		      enum spool_note kind, char *text)
{
	if (kind == SPOOL_NOTE_NAME)
		take_name(names, process, text);
	else if (kind == SPOOL_NOTE_MAP || kind == SPOOL_NOTE_LATER_MAP)
		take_map(names, process, text);
}

static void read_notes(struct block_names *names, struct block_process *process)
{
	if (names->read_notes)
		names->read_notes(names->context, process->of);
}

/* --- What stands at an address ------------------------------------------------------------- */

static const struct proc_map *find_map(const struct block_process *process, uint64_t address)
{
	for (size_t i = process->maps.count; i-- > 0;)
		if (address >= process->maps.maps[i].start && address < process->maps.maps[i].end)
			return &process->maps.maps[i];
	return NULL;
}

/* The file is known to have too many. */
static void drop_functions(struct function_table *file)
{
	char *path = file->path;

	file->path = NULL;
	function_table_release(file);
	file->path = path;
}

static const struct function_table *find_file(struct block_names *names, const char *path)
{
	char *real = realpath(path, NULL);
	const char *name = real ? real : path;
	const struct function_table *found = NULL;
	struct function_table file;

	for (size_t i = 0; i < names->file_count && !found; i++)
		if (strcmp(names->files[i].path, name) == 0)
			found = &names->files[i];
	if (!found && names->file_count < FILES_MAX && function_table_read(&file, name) == 0) {
		array_reserve(&names->files, &names->file_capacity, names->file_count + 1);
		if (names->functions + file.count > FUNCTIONS_MAX)
			drop_functions(&file);
		names->functions += file.count;
		names->files[names->file_count++] = file;
		found = &names->files[names->file_count - 1];
	}
	free(real);
	return found;
}

/* To be freed; NULL: no function is there. */
static char *name_of_place(struct block_names *names, const struct function_table *file,
			   uint64_t offset)
{
	const struct code_function *function = function_table_at(file, offset);
	struct source_line source;
	char *label, *name;

	if (!function)
		return NULL;
	label = code_function_label(function);
	name = source_lines_find(&source, &names->lines, file->path, offset)
		       ? xasprintf("%s %s:%" PRIu32, label, source.file, source.line)
		       : xasprintf("%s+%#" PRIx64, label, offset - function->offset);
	free(label);
	return name;
}

/* The same of a block. */
static char *name_of_block(const struct function_table *file, uint64_t offset)
{
	const struct code_function *function = function_table_at(file, offset);

	return function ? code_function_label(function) : NULL;
}

/* To be freed; NULL: nothing is known of it. */
static char *name_in_file(struct block_names *names, const char *path, uint64_t offset,
			  bool is_place)
{
	const struct function_table *file = find_file(names, path);

	if (!file)
		return NULL;
	return is_place ? name_of_place(names, file, offset) : name_of_block(file, offset);
}

/* The same with the rights of the process's user; NULL also where too much has been looked for. */
static char *name_as_user(struct block_names *names, const struct block_process *process,
			  const char *path, uint64_t offset, bool is_place)
{
	struct look look;
	char *name;

	if (!may_look(names))
		return NULL;
	begin_look(&look, process);
	name = name_in_file(names, path, offset, is_place);
	end_look(&look, names);
	return name;
}

/* The kernel knows what has been mapped since the library looked, as long as the process lives. */
static void look_at_process(struct block_names *names, struct block_process *process)
{
	uint64_t since_ns = monotonic_ns();
	size_t known = process->maps.count;

	if (process->looks++ >= LOOKS_MAX || names->map_bytes >= MAPS_BYTES_MAX || !may_look(names))
		return;
	proc_maps_add(&process->maps, process->of->pid, false, names->proc);
	for (size_t i = known; i < process->maps.count; i++)
		count_map(names, process, &process->maps.maps[i]);
	names->looking_ns += monotonic_ns() - since_ns;
}

static const struct proc_map *look_for_map(struct block_names *names, struct block_process *process,
					   uint64_t address)
{
	const struct proc_map *map = find_map(process, address);

	if (map)
		return map;
	look_at_process(names, process);
	map = find_map(process, address);
	if (map)
		return map;
	/* It has ended meanwhile: the library has noted all of it. */
	read_notes(names, process);
	return find_map(process, address);
}

static char *name_at(struct block_names *names, struct block_process *process, uint64_t address)
{
	uint64_t at = address & ~BLOCK_NAMES_PLACE, offset;
	const struct proc_map *map = look_for_map(names, process, at);
	bool is_place = at != address;
	const char *planned;
	char *name;

	if (!map || *map->path != '/')
		return xasprintf("%#" PRIx64, at);
	offset = at - map->start + map->offset;
	planned = is_place ? NULL : probe_plan_name(names->plan, map->path, offset);
	if (planned)
		return xstrdup(planned);
	name = name_as_user(names, process, map->path, offset, is_place);
	return name ? name : xasprintf("%s+%#" PRIx64, strrchr(map->path, '/') + 1, offset);
}

uint32_t block_names_number(struct block_names *names, struct block_process *process,
			    uint64_t address)
{
	const struct numbered_address *known = find_address(process, address);
	uint32_t number;

	if (known)
		return known->number;
	read_notes(names, process);
	known = find_address(process, address);
	if (known)
		return known->number;
	number = number_of_name(names, names->addresses < ADDRESSES_MAX
					       ? name_at(names, process, address)
					       : xstrdup(too_many));
	put_address(names, process, address, number);
	return number;
}

/* --- Processes ----------------------------------------------------------------------------- */

struct block_process *block_process_new(struct spool_process *of)
{
	struct block_process *process = xcalloc(1, sizeof(*process));

	process->of = of;
	return process;
}

void block_process_free(struct block_names *names, struct block_process *process)
{
	if (!process)
		return;
	names->addresses -= process->addresses;
	names->map_bytes -= process->map_bytes;
	proc_maps_release(&process->maps);
	proc_map_lines_release(&process->lines);
	tdestroy(process->by_address, free);
	free(process);
}

bool block_process_maps(const struct block_process *process, const char *path)
{
	for (size_t i = process->maps.count; i-- > 0;)
		if (strcmp(process->maps.maps[i].path, path) == 0)
			return true;
	return false;
}

void block_names_tell(struct block_names *names, struct recording *recording)
{
	for (; names->told < names->count; names->told++) {
		char *line = xasprintf("block 0x%zx %s", names->told, names->items[names->told]);

		recording_note(recording, line);
		free(line);
	}
}

void block_names_release(struct block_names *names)
{
	for (size_t i = 0; i < names->file_count; i++)
		function_table_release(&names->files[i]);
	source_lines_release(&names->lines);
	tdestroy(names->by_name, free);
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	free(names->files);
	*names = (struct block_names){.count = 0};
}
