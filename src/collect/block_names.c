/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/block_names.h"

#include "base/alloc.h"
#include "base/regular_file.h"
#include "collect/function_table.h"
#include "collect/probe_plan.h"
#include "collect/proc_maps.h"
#include "collect/recording.h"
#include "probe/spool.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names come from the process that is watched: a file of them is read no further. */
enum { NAMES_BYTES_MAX = 64 << 20 };

/* A process has a second file of a kind after it has become somebody else. */
enum { MAPS, NAMES, KINDS, FILES = 2 };
static const char *const suffixes[FILES] = {"", SPOOL_LATER};

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
	pid_t pid;
	uint64_t image;
	size_t users;
	struct proc_maps maps;	  /* what it may execute of files; what came last counts */
	off_t read[KINDS][FILES]; /* how far */
	void *by_address;
	struct block_process *next;
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

static void put_address(struct block_process *process, uint64_t address, uint32_t number)
{
	struct numbered_address *own = xcalloc(1, sizeof(*own));
	void **found;

	*own = (struct numbered_address){address, number};
	found = tsearch(own, &process->by_address, compare_addresses);
	if (found && *found == own)
		return;
	if (found) /* the address has got another name */
		(*(struct numbered_address **)found)->number = number;
	free(own);
}

/* --- What the process says ----------------------------------------------------------------- */

/* Opens KIND-PID-IMAGE where it has not been read so far; NULL: there is nothing new. */
static FILE *open_more(const struct block_names *names, const struct block_process *process,
		       const char *kind, size_t which, off_t from)
{
	char *path = xasprintf("%s/%s-%d-%" PRIu64 "%s", names->spool, kind, (int)process->pid,
			       process->image, suffixes[which]);
	struct stat status;
	int fd = regular_file_open(&status, path);
	FILE *file = NULL;

	free(path);
	if (fd >= 0 && status.st_size > from && status.st_size <= NAMES_BYTES_MAX &&
	    lseek(fd, from, SEEK_SET) == from)
		file = fdopen(fd, "r");
	if (!file && fd >= 0)
		close(fd);
	return file;
}

static void take_map(struct block_names *names, struct block_process *process, char *line)
{
	struct proc_map map;

	(void)names;
	if (proc_map_parse(&map, line) || !(map.prot & PROT_EXEC) || *map.path != '/')
		return;
	map.path = xstrdup(map.path);
	array_reserve(&process->maps.maps, &process->maps.capacity, process->maps.count + 1);
	process->maps.maps[process->maps.count++] = map;
}

/* "ADDRESS NAME" of blocks and of places */
static void take_name(struct block_names *names, struct block_process *process, char *line)
{
	char *name;
	uint64_t address = strtoull(line, &name, 10);
	uint32_t number;

	name[strcspn(name, "\n")] = '\0';
	if (*name != ' ' || !name[1])
		return;
	number = number_of_name(names, xstrdup(name + 1));
	put_address(process, address, number);
	put_address(process, address | BLOCK_NAMES_PLACE, number);
}

/* What is new; a line that is not whole comes again. */
static void read_more(struct block_names *names, struct block_process *process, size_t kind)
{
	static const struct {
		const char *name;
		void (*take)(struct block_names *names, struct block_process *process, char *line);
	} kinds[KINDS] = {[MAPS] = {"maps", take_map}, [NAMES] = {"names", take_name}};
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	for (size_t i = 0; i < FILES; i++) {
		off_t *read = &process->read[kind][i];
		FILE *file = open_more(names, process, kinds[kind].name, i, *read);

		if (!file)
			continue;
		while ((length = getline(&line, &size, file)) > 0 && line[length - 1] == '\n') {
			*read += length;
			kinds[kind].take(names, process, line);
		}
		fclose(file);
	}
	free(line);
}

/* --- What stands at an address ------------------------------------------------------------- */

static const struct proc_map *find_map(const struct block_process *process, uint64_t address)
{
	for (size_t i = process->maps.count; i-- > 0;)
		if (address >= process->maps.maps[i].start && address < process->maps.maps[i].end)
			return &process->maps.maps[i];
	return NULL;
}

static const struct function_table *find_file(struct block_names *names, const char *path)
{
	struct function_table file;

	for (size_t i = 0; i < names->file_count; i++)
		if (strcmp(names->files[i].path, path) == 0)
			return &names->files[i];
	if (function_table_read(&file, path))
		return NULL;
	array_reserve(&names->files, &names->file_capacity, names->file_count + 1);
	names->files[names->file_count++] = file;
	return &names->files[names->file_count - 1];
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

/* To be freed. */
static char *name_in_file(struct block_names *names, const char *path, uint64_t offset,
			  bool is_place)
{
	const char *planned = is_place ? NULL : probe_plan_name(names->plan, path, offset);
	const struct function_table *file = planned ? NULL : find_file(names, path);
	char *name = NULL;

	if (planned)
		return xstrdup(planned);
	if (file)
		name = is_place ? name_of_place(names, file, offset) : name_of_block(file, offset);
	if (name)
		return name;
	return xasprintf("%s+%#" PRIx64, strrchr(path, '/') + 1, offset);
}

/* What has been mapped since the library looked may be known as long as the process lives. */
static const struct proc_map *look_for_map(struct block_names *names, struct block_process *process,
					   uint64_t address)
{
	const struct proc_map *map = find_map(process, address);

	if (map)
		return map;
	read_more(names, process, MAPS);
	map = find_map(process, address);
	if (map)
		return map;
	proc_maps_add(&process->maps, process->pid, false, names->proc);
	map = find_map(process, address);
	if (map)
		return map;
	/* It has ended meanwhile: the library has written all of it. */
	read_more(names, process, MAPS);
	return find_map(process, address);
}

static char *name_at(struct block_names *names, struct block_process *process, uint64_t address)
{
	uint64_t at = address & ~BLOCK_NAMES_PLACE;
	const struct proc_map *map = look_for_map(names, process, at);

	if (!map || *map->path != '/')
		return xasprintf("%#" PRIx64, at);
	return name_in_file(names, map->path, at - map->start + map->offset, at != address);
}

uint32_t block_names_number(struct block_names *names, struct block_process *process,
			    uint64_t address)
{
	const struct numbered_address *known = find_address(process, address);
	uint32_t number;

	if (known)
		return known->number;
	read_more(names, process, NAMES);
	known = find_address(process, address);
	if (known)
		return known->number;
	number = number_of_name(names, name_at(names, process, address));
	put_address(process, address, number);
	return number;
}

/* --- Processes ----------------------------------------------------------------------------- */

struct block_process *block_names_process(struct block_names *names, pid_t pid, uint64_t image)
{
	struct block_process *process = names->processes;

	while (process && (process->pid != pid || process->image != image))
		process = process->next;
	if (!process) {
		process = xcalloc(1, sizeof(*process));
		process->pid = pid;
		process->image = image;
		process->next = names->processes;
		names->processes = process;
		read_more(names, process, MAPS);
	}
	process->users++;
	return process;
}

static void release_process(struct block_process *process)
{
	proc_maps_release(&process->maps);
	tdestroy(process->by_address, free);
	free(process);
}

void block_names_give_back(struct block_names *names, struct block_process *process)
{
	struct block_process **at = &names->processes;

	if (--process->users)
		return;
	while (*at != process)
		at = &(*at)->next;
	*at = process->next;
	release_process(process);
}

void block_names_tell(struct block_names *names, struct recording *recording)
{
	for (; names->told < names->count; names->told++) {
		char *line = xasprintf("block 0x%zx %s", names->told, names->items[names->told]);

		for (char *at = line; *at; at++)
			*at = (unsigned char)*at < ' ' ? '?' : *at; /* one line */
		recording_note(recording, line);
		free(line);
	}
}

void block_names_release(struct block_names *names)
{
	while (names->processes) {
		struct block_process *process = names->processes;

		names->processes = process->next;
		release_process(process);
	}
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
