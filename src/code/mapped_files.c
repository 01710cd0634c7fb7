/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/mapped_files.h"

#include "base/alloc.h"
#include "base/io/files.h"
#include "base/monotonic.h"
#include "code/object.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- The mappings of a process ------------------------------------------------------------- */

/* The names that perf gives to a mapping without a file, and to the text of the kernel. */
#define ANONYMOUS   "//anon"
#define KERNEL_TEXT "[kernel.kallsyms]"

static int parse_permissions(struct proc_map *map, const char *text)
{
	static const char letters[] = "rwx";
	static const uint32_t bits[] = {PROT_READ, PROT_WRITE, PROT_EXEC};

	map->prot = 0;
	for (size_t i = 0; i < 3; i++) {
		if (text[i] == letters[i])
			map->prot |= bits[i];
		else if (text[i] != '-')
			return -1;
	}
	if (text[3] != 'p' && text[3] != 's')
		return -1;
	map->flags = text[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	return 0;
}

/*
 * Parses START-END PERMISSIONS OFFSET MAJOR:MINOR INODE [PATH], all but the inode in hexadecimal.
 * `path` borrows from the line. Returns 0, or -1 if it is no such line.
 */
static int parse_map(struct proc_map *map, char *line)
{
	char permissions[5];
	int used = 0;

	*map = (struct proc_map){0};
	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64 "%n",
		   &map->start, &map->end, permissions, &map->offset, &map->major, &map->minor,
		   &map->inode, &used) != 7)
		return -1;
	if (strlen(permissions) != 4 || parse_permissions(map, permissions) ||
	    map->start >= map->end)
		return -1;
	map->path = line + used;
	map->path += strspn(map->path, " ");
	map->path[strcspn(map->path, "\n")] = '\0';
	return strlen(map->path) < PATH_MAX ? 0 : -1;
}

/* Finds the part of the file, mapped right before, that a mapping of changed code replaces. */
static void find_changed(struct proc_map *map, const struct proc_map *before)
{
	struct object object;
	uint64_t offset;

	if (*map->path || map->inode || map->prot != (PROT_READ | PROT_EXEC) || !before->path ||
	    map->start != before->end || !object_open(&object, before->path))
		return;
	if (object_code_behind(&offset, &object, before->offset, before->prot,
			       map->start - before->start)) {
		map->offset = offset;
		map->major = before->major;
		map->minor = before->minor;
		map->inode = before->inode;
		map->path = before->path;
	}
	object_close(&object);
}

int proc_map_next(struct proc_map *map, struct proc_map_lines *lines, char *line)
{
	char *path = lines->last.path;

	if (parse_map(map, line))
		return -1;
	find_changed(map, &lines->last);
	lines->last = *map;
	lines->last.path = *map->path == '/' ? xstrdup(map->path) : NULL;
	if (map->path == path)
		map->path = lines->last.path;
	free(path);
	return 0;
}

void proc_map_lines_release(struct proc_map_lines *lines)
{
	free(lines->last.path);
	*lines = (struct proc_map_lines){.last = {.path = NULL}};
}

static void append_map(struct proc_maps *maps, const struct proc_map *map)
{
	struct proc_map *added;

	array_reserve(&maps->maps, &maps->capacity, maps->count + 1);
	added = &maps->maps[maps->count++];
	*added = *map;
	added->path = xstrdup(*map->path ? map->path : ANONYMOUS);
	maps->bytes += sizeof(*added) + strlen(added->path) + 1;
}

static FILE *open_in(const char *proc, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	return fopen(path, "re");
}

static bool is_wanted(const struct proc_map *map, bool data)
{
	if (map->prot & PROT_EXEC)
		return true;
	return data && (map->prot & PROT_READ) && *map->path == '/';
}

static bool may_go_on(const struct proc_maps *maps, size_t lines)
{
	return lines < PROC_MAPS_LINES_MAX && maps->bytes < PROC_MAPS_BYTES_MAX &&
	       (!maps->until_ns || monotonic_ns() < maps->until_ns);
}

static void add_process(struct proc_maps *maps, pid_t pid, bool data, const char *proc)
{
	struct proc_map_lines lines = {.last = {.path = NULL}};
	char name[32];
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	snprintf(name, sizeof(name), "%d/maps", (int)pid);
	file = open_in(proc, name);
	for (size_t count = 0; file && getline(&line, &size, file) > 0; count++) {
		struct proc_map map;

		if (!may_go_on(maps, count)) {
			maps->cut++;
			break;
		}
		if (proc_map_next(&map, &lines, line) || !is_wanted(&map, data))
			continue;
		map.pid = pid;
		append_map(maps, &map);
	}
	proc_map_lines_release(&lines);
	free(line);
	if (file)
		fclose(file);
}

/* --- The kernel ---------------------------------------------------------------------------- */

/*
 * Returns the length of the kernel's text, from its place in memory ("01000000-02208d87 : Kernel
 * code"); 0 if that is hidden. It saves reading the many symbols up to _etext.
 */
static uint64_t kernel_text_bytes(const char *proc)
{
	FILE *file = open_in(proc, "iomem");
	uint64_t first = 0, last = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, " : Kernel code\n") &&
		    sscanf(line, "%" SCNx64 "-%" SCNx64, &first, &last) == 2)
			break;
	if (file)
		fclose(file);
	return last > first ? last - first + 1 : 0;
}

/* The symbols of kallsyms that are needed. */
enum kernel_symbol { SYMBOL_TEXT, SYMBOL_STEXT, SYMBOL_ETEXT, SYMBOL_COUNT };
static const char *const kernel_symbols[SYMBOL_COUNT] = {"_text", "_stext", "_etext"};

/* Reads lines ADDRESS TYPE NAME, ascending, up to _text and, with `etext`, to _etext. */
static void find_kernel_symbols(uint64_t addresses[SYMBOL_COUNT], bool etext, const char *proc)
{
	FILE *file = open_in(proc, "kallsyms");
	char line[512], name[512];
	uint64_t address;

	while (file && fgets(line, sizeof(line), file)) {
		if (!strstr(line, "text\n") || /* 100 000 others come before */
		    sscanf(line, "%" SCNx64 " %*c %511s", &address, name) != 2)
			continue;
		for (enum kernel_symbol i = 0; i < SYMBOL_COUNT; i++)
			if (strcmp(name, kernel_symbols[i]) == 0)
				addresses[i] = address;
		if (addresses[SYMBOL_TEXT] && (!etext || addresses[SYMBOL_ETEXT]))
			break;
	}
	if (file)
		fclose(file);
}

/* Adds the kernel's text, from _text, or _stext, to _etext. */
static void add_kernel_text(struct proc_maps *maps, const char *proc)
{
	struct proc_map map = {.pid = PROC_MAP_KERNEL, .prot = PROT_EXEC};
	uint64_t addresses[SYMBOL_COUNT] = {0}, bytes = kernel_text_bytes(proc);
	enum kernel_symbol first = SYMBOL_TEXT;
	char path[64];

	find_kernel_symbols(addresses, bytes == 0, proc);
	if (!addresses[first])
		first = SYMBOL_STEXT;
	map.start = addresses[first];
	map.end = bytes ? map.start + bytes : addresses[SYMBOL_ETEXT];
	if (!map.start || map.start >= map.end)
		return;
	map.offset = map.start; /* readers compute from it by how much the kernel was moved */
	snprintf(path, sizeof(path), KERNEL_TEXT "%s", kernel_symbols[first]);
	map.path = path;
	append_map(maps, &map);
}

/* Adds modules: NAME SIZE USERS BY STATE ADDRESS. Their functions are in kallsyms, by [NAME]. */
static void add_modules(struct proc_maps *maps, const char *proc)
{
	FILE *file = open_in(proc, "modules");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		struct proc_map map = {.pid = PROC_MAP_KERNEL, .prot = PROT_EXEC};
		char name[64], path[sizeof(name) + 2];
		uint64_t size;

		if (sscanf(line, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &size,
			   &map.start) != 3)
			continue;
		map.end = map.start + size;
		if (!map.start || map.end <= map.start)
			continue;
		snprintf(path, sizeof(path), "[%s]", name);
		map.path = path;
		append_map(maps, &map);
	}
	free(line);
	if (file)
		fclose(file);
}

void proc_maps_add(struct proc_maps *maps, pid_t pid, bool data, const char *proc)
{
	if (pid != PROC_MAP_KERNEL) {
		add_process(maps, pid, data, proc);
		return;
	}
	add_kernel_text(maps, proc);
	add_modules(maps, proc);
}

void proc_maps_release(struct proc_maps *maps)
{
	for (size_t i = 0; i < maps->count; i++)
		free(maps->maps[i].path);
	free(maps->maps);
	*maps = (struct proc_maps){0};
}

/* --- Sets of files ------------------------------------------------------------------------- */

/* The end of the path of a mapped file that has been deleted or replaced. */
#define DELETED " (deleted)"

static bool is_same_file(const char *a, const char *b)
{
	struct stat of_a, of_b;

	return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

void file_set_add(struct file_set *files, const char *path)
{
	struct stat status;

	if (stat(path, &status) || !S_ISREG(status.st_mode))
		return;
	for (size_t i = 0; i < files->count; i++)
		if (is_same_file(files->paths[i], path))
			return;
	array_reserve(&files->paths, &files->capacity, files->count + 1);
	files->paths[files->count++] = xstrdup(path);
}

void file_set_add_of(struct file_set *files, pid_t pid, const char *path, const char *proc)
{
	char *there = xasprintf("%s/%d/root%s", proc, (int)pid, path);

	file_set_add(files, is_same_file(there, path) ? path : there);
	free(there);
}

/* Adds the mapped file itself ("/proc/pid/map_files") if its path leads to another file. */
static void add_mapped(struct file_set *files, const struct proc_map *map, const char *path,
		       const char *proc)
{
	char *there = xasprintf("%s/%d/root%s", proc, (int)map->pid, path);
	char *mapped = xasprintf("%s/%d/map_files/%" PRIx64 "-%" PRIx64, proc, (int)map->pid,
				 map->start, map->end);
	struct stat status;

	if (stat(mapped, &status) || is_same_file(mapped, there))
		file_set_add_of(files, map->pid, path, proc);
	else
		file_set_add(files, mapped);
	free(mapped);
	free(there);
}

/* The limit of the time for the files of a process. */
static const uint64_t looking_max_ns = 1000000000;

void file_set_add_mapped(struct file_set *files, pid_t pid,
			 bool (*wanted)(const void *context, const char *path), const void *context,
			 const char *proc)
{
	uint64_t until_ns = monotonic_ns() + looking_max_ns;
	struct proc_maps maps = {.until_ns = until_ns};

	proc_maps_add(&maps, pid, false, proc);
	for (size_t i = 0; i < maps.count && monotonic_ns() < until_ns; i++) {
		const char *end = strstr(maps.maps[i].path, DELETED);
		char *path = xasprintf(
			"%.*s",
			(int)(end ? end - maps.maps[i].path : (ptrdiff_t)strlen(maps.maps[i].path)),
			maps.maps[i].path);

		if (*path == '/' && path[1] != '/' && wanted(context, path))
			add_mapped(files, &maps.maps[i], path, proc);
		free(path);
	}
	proc_maps_release(&maps);
}

void file_set_release(struct file_set *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct file_set){.count = 0};
}

/* --- Commands ------------------------------------------------------------------------------ */

/* The bytes of a script that the kernel reads (BINPRM_BUF_SIZE). */
enum { FIRST_LINE_MAX = 256 };

char *command_file_find(const char *command)
{
	const char *directories = getenv("PATH");

	if (strchr(command, '/'))
		return xstrdup(command);
	for (const char *at = directories ? directories : "/bin:/usr/bin"; *at;) {
		size_t length = strcspn(at, ":");
		char *path =
			xasprintf("%.*s/%s", length ? (int)length : 1, length ? at : ".", command);

		if (access(path, X_OK) == 0)
			return path;
		free(path);
		at += length + (at[length] == ':');
	}
	return NULL;
}

char *command_file_interpreter(const char *path)
{
	char line[FIRST_LINE_MAX + 1];
	struct stat status;
	int fd = regular_file_open(&status, path);
	ssize_t length = fd < 0 ? 0 : read(fd, line, FIRST_LINE_MAX);
	const char *name = line + 2;

	if (fd >= 0)
		close(fd);
	line[length > 0 ? length : 0] = '\0';
	if (strncmp(line, "#!", 2) != 0)
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	name += strspn(name, " \t");
	return xasprintf("%.*s", (int)strcspn(name, " \t"), name);
}

/* --- The C library ------------------------------------------------------------------------- */

/* Names of glibc, before and since it includes libpthread, and musl, which is its own loader. */
static bool is_c_library(const void *context, const char *path)
{
	static const char *const names[] = {"libc.so", "libc-2", "libpthread", "ld-musl",
					    "libc.musl"};
	const char *name = strrchr(path, '/');

	(void)context;
	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name + 1, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

void c_library_of_process(struct file_set *library, pid_t pid, const char *proc)
{
	char *link = xasprintf("%s/%d/exe", proc, (int)pid);
	char exe[4096];
	ssize_t length = readlink(link, exe, sizeof(exe) - 1);

	free(link);
	exe[length < 0 ? 0 : length] = '\0';
	file_set_add_mapped(library, pid, is_c_library, NULL, proc);
	if (*exe == '/')
		file_set_add_of(library, pid, exe, proc);
}

void c_library_of_command(struct file_set *library, const char *command)
{
	char *path = command_file_find(command);
	struct object program = {.path = NULL};
	char *loader = NULL;

	if (path && object_open(&program, path))
		loader = object_loader(&program);
	object_close(&program);
	if (path)
		file_set_add(library, path);
	if (loader)
		file_set_add(library, loader);
	free(path);
	free(loader);
}
