/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/block_names.h"

#include "base/alloc.h"
#include "base/monotonic.h"
#include "code/mapped_files.h"
#include "collect/blocks/block_spool.h"
#include "collect/blocks/function_reader.h"
#include "collect/kernel/proc_stat.h"
#include "collect/patch/probe_plan.h"
#include "collect/recording/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Limits of the names and maps of processes, and the name of all blocks beyond. */
enum {
	NAMES_BYTES_MAX = 32 << 20,
	NAME_BYTES = 128, /* bytes of a name beside its text */
	ADDRESSES_MAX = 1 << 20,
	MAPS_BYTES_MAX = 64 << 20,
	MAPS_MAX = 1 << 17, /* of each process; all of them are searched */
	LOOKS_MAX = 16
};

/*
 * The time for files and maps that processes name: in a whole recording; in one look, during which
 * the recorder does not see the end of the command; and after that end.
 */
static const uint64_t looking_max_ns = 3000000000, look_max_ns = 800000000,
		      last_looking_max_ns = 600000000;

static const char too_many[] = "[more names than are kept]";

struct block_process {
	struct spool_process *of;
	struct proc_maps maps; /* its mappings of code; the last one at an address counts */
	struct proc_map_lines lines;
	int looks;	      /* looks at its maps in the kernel */
	struct map addresses; /* addresses with names, and their numbers: */
	uint32_t *numbers;
	size_t number_capacity, map_bytes;
};

/* --- Numbers of names ---------------------------------------------------------------------- */

/* Returns the number of a name, of which it takes ownership. */
static uint32_t number_of_name(struct block_names *names, char *name)
{
	uint32_t number;

	if (names->bytes > NAMES_BYTES_MAX) {
		free(name);
		name = xstrdup(too_many);
	}
	number = map_add(&names->numbers, name, strlen(name));
	if (number < names->count) {
		free(name);
		return number;
	}
	array_reserve(&names->items, &names->capacity, names->count + 1);
	names->items[names->count++] = name;
	names->bytes += strlen(name) + NAME_BYTES;
	return number;
}

/* --- Numbers of addresses ------------------------------------------------------------------ */

/* Returns the number of an address; NULL: none yet. */
static const uint32_t *find_address(const struct block_process *process, uint64_t address)
{
	uint32_t at = map_find_u64(&process->addresses, address);

	return at == MAP_NONE ? NULL : &process->numbers[at];
}

/* Sets the number of an address, which may have had another name. */
static void put_address(struct block_names *names, struct block_process *process, uint64_t address,
			uint32_t number)
{
	size_t count = process->addresses.count;
	uint32_t at;

	if (names->addresses >= ADDRESSES_MAX)
		return;
	at = map_add_u64(&process->addresses, address);
	names->addresses += at == count;
	array_reserve(&process->numbers, &process->number_capacity, process->addresses.count);
	process->numbers[at] = number;
}

/* --- Notes of the process ------------------------------------------------------------------ */

/* A look into a file named by a process, with the rights of its user. */
struct look {
	struct user_rights before;
	uint64_t since_ns, waited_ns;
};

static uint64_t looking_left_ns(const struct block_names *names)
{
	return names->looking_ns < looking_max_ns ? looking_max_ns - names->looking_ns : 0;
}

static bool may_look(const struct block_names *names)
{
	return looking_left_ns(names) > 0;
}

void block_names_hurry(struct block_names *names)
{
	if (looking_left_ns(names) > last_looking_max_ns)
		names->looking_ns = looking_max_ns - last_looking_max_ns;
}

/* Returns the time at which a look is cut short. */
static uint64_t last_moment(const struct block_names *names)
{
	uint64_t left_ns = looking_left_ns(names);

	return monotonic_ns() + (left_ns < look_max_ns ? left_ns : look_max_ns);
}

/* Returns the time that this thread has waited for a CPU so far; 0: unknown. */
static uint64_t waited_ns(const struct block_names *names)
{
	unsigned long long ns = 0;
	char path[64];

	snprintf(path, sizeof(path), "%s/thread-self/schedstat", names->proc);
	proc_scan(path, "%*u %llu", &ns);
	return ns;
}

static void begin_time(struct look *look, const struct block_names *names)
{
	look->waited_ns = waited_ns(names);
	look->since_ns = monotonic_ns();
}

/*
 * Adds the time of a look. A tenth of waits for a CPU counts, as the program may keep all CPUs
 * busy, so that looks end even if they hardly get one. The thread may also have waited just before
 * or after the look.
 */
static void end_time(const struct look *look, struct block_names *names)
{
	uint64_t took_ns = monotonic_ns() - look->since_ns;
	uint64_t waits_ns = waited_ns(names) - look->waited_ns;

	waits_ns = waits_ns < took_ns ? waits_ns : took_ns;
	names->looking_ns += took_ns - waits_ns + waits_ns / 10;
}

static void begin_look(struct look *look, struct block_names *names,
		       const struct block_process *process)
{
	begin_time(look, names);
	names->lines.until_ns = last_moment(names);
	user_rights_take(&look->before, process->of->uid, process->of->gid);
}

static void end_look(struct look *look, struct block_names *names)
{
	user_rights_give_back(&look->before);
	end_time(look, names);
}

static void count_map(struct block_names *names, struct block_process *process,
		      const struct proc_map *map)
{
	size_t bytes = sizeof(*map) + strlen(map->path) + 1;

	process->map_bytes += bytes;
	names->map_bytes += bytes;
}

static bool has_room_for_maps(const struct block_names *names, const struct block_process *process)
{
	return names->map_bytes < MAPS_BYTES_MAX && process->maps.count < MAPS_MAX;
}

static bool next_map(struct proc_map *map, struct block_names *names, struct block_process *process,
		     char *line)
{
	struct look look;
	bool found;

	if (!has_room_for_maps(names, process) || !may_look(names))
		return false;
	begin_look(&look, names, process);
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

/* Reads "ADDRESS NAME" of a block or a place. */
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

/* --- Code at an address --------------------------------------------------------------------- */

static const struct proc_map *find_map(const struct block_process *process, uint64_t address)
{
	for (size_t i = process->maps.count; i-- > 0;)
		if (address >= process->maps.maps[i].start && address < process->maps.maps[i].end)
			return &process->maps.maps[i];
	return NULL;
}

/*
 * Returns the name; NULL: unknown, or no time left. The caller frees it. The readers of files are
 * separate processes, which begin with the rights of the process's user.
 */
static char *name_in_file(struct block_names *names, const struct block_process *process,
			  const char *path, uint64_t offset, bool is_place)
{
	const struct user_file file = {path, process->of->uid, process->of->gid};
	struct source_line source;
	uint64_t inside;
	char *label, *name;

	label = function_reader_label(&inside, &names->functions, &file, offset,
				      names->lines.until_ns);
	if (!label || !is_place)
		return label;
	name = may_look(names) && source_lines_find(&source, &names->lines, path, offset)
		       ? xasprintf("%s %s:%" PRIu32, label, source.file, source.line)
		       : xasprintf("%s+%#" PRIx64, label, inside);
	free(label);
	return name;
}

static char *look_for_name(struct block_names *names, const struct block_process *process,
			   const char *path, uint64_t offset, bool is_place)
{
	struct look look;
	char *name;

	if (!may_look(names)) {
		names->unknown = true;
		return NULL;
	}
	begin_look(&look, names, process);
	name = name_in_file(names, process, path, offset, is_place);
	end_look(&look, names);
	return name;
}

/*
 * Reads the mappings since the library's last look from the kernel, while the process lives. The
 * process chooses these paths, too.
 */
static void look_at_process(struct block_names *names, struct block_process *process)
{
	size_t known = process->maps.count;
	struct look look;

	if (process->looks++ >= LOOKS_MAX || !has_room_for_maps(names, process) || !may_look(names))
		return;
	process->maps.until_ns = last_moment(names);
	begin_look(&look, names, process);
	proc_maps_add(&process->maps, process->of->pid, false, names->proc);
	end_look(&look, names);
	for (size_t i = known; i < process->maps.count; i++)
		count_map(names, process, &process->maps.maps[i]);
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
	/* The process has ended meanwhile: the library has noted all mappings. */
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
	name = look_for_name(names, process, map->path, offset, is_place);
	return name ? name : xasprintf("%s+%#" PRIx64, strrchr(map->path, '/') + 1, offset);
}

uint32_t block_names_number(struct block_names *names, struct block_process *process,
			    uint64_t address)
{
	const uint32_t *known = find_address(process, address);
	uint32_t number;

	if (known)
		return *known;
	read_notes(names, process);
	known = find_address(process, address);
	if (known)
		return *known;
	names->met++;
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
	names->addresses -= process->addresses.count;
	names->map_bytes -= process->map_bytes;
	proc_maps_release(&process->maps);
	proc_map_lines_release(&process->lines);
	map_release(&process->addresses);
	free(process->numbers);
	free(process);
}

bool block_process_maps(const struct block_process *process, const char *path)
{
	for (size_t i = process->maps.count; i-- > 0;)
		if (strcmp(process->maps.maps[i].path, path) == 0)
			return true;
	return false;
}

bool block_names_has_function(struct block_names *names, struct block_process *process,
			      const char *path, const char *glob)
{
	const struct user_file file = {path, process->of->uid, process->of->gid};
	struct look look;
	bool has;

	begin_time(&look, names);
	has = may_look(names) &&
	      function_reader_has(&names->functions, &file, glob, last_moment(names));
	end_time(&look, names);
	return has;
}

char *block_names_trouble(const struct block_names *names)
{
	if (names->functions.why)
		return xstrdup(names->functions.why);
	return names->unknown ? xstrdup("some functions have no names: to find all names would "
					"take too long")
			      : NULL;
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
	function_reader_release(&names->functions);
	source_lines_release(&names->lines);
	map_release(&names->numbers);
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct block_names){.count = 0};
}
