/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sync_probes.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/regular_file.h"
#include "collect/c_library.h"
#include "collect/elf_functions.h"
#include "collect/probe_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where a function finds its first three arguments. */
#if defined(__x86_64__)
static const char *const registers[] = {"%di", "%si", "%dx"};
#elif defined(__aarch64__)
static const char *const registers[] = {"%x0", "%x1", "%x2"};
#elif defined(__riscv)
static const char *const registers[] = {"%a0", "%a1", "%a2"};
#else
static const char *const registers[] = {NULL, NULL, NULL};
#endif

enum { FUNCTIONS_MAX = 3 };

/* All take the object first. */
static const struct {
	const char *name;
	const char *functions[FUNCTIONS_MAX];
	enum { JUST_OBJECT, WITH_OBJECT2, WITH_COUNT } more; /* ... second, and third */
} kinds[SYNC_PROBES] = {
	{"mutex_lock",
	 {"pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_mutex_clocklock"},
	 JUST_OBJECT},
	{"mutex_trylock", {"pthread_mutex_trylock"}, JUST_OBJECT},
	{"mutex_unlock", {"pthread_mutex_unlock"}, JUST_OBJECT},
	{"read_lock", {"pthread_rwlock_rdlock"}, JUST_OBJECT},
	{"write_lock", {"pthread_rwlock_wrlock"}, JUST_OBJECT},
	{"rw_unlock", {"pthread_rwlock_unlock"}, JUST_OBJECT},
	{"cond_wait",
	 {"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait"},
	 WITH_OBJECT2},
	{"cond_signal", {"pthread_cond_signal"}, JUST_OBJECT},
	{"cond_broadcast", {"pthread_cond_broadcast"}, JUST_OBJECT},
	{"barrier_init", {"pthread_barrier_init"}, WITH_COUNT},
	{"barrier_wait", {"pthread_barrier_wait"}, JUST_OBJECT},
	{"sem_init", {"sem_init"}, WITH_COUNT},
	{"sem_wait", {"sem_wait", "sem_timedwait", "sem_clockwait"}, JUST_OBJECT},
	{"sem_post", {"sem_post"}, JUST_OBJECT},
};

const char *sync_probe_name(size_t number)
{
	return kinds[number].name;
}

void sync_probes_group(char group[SYNC_PROBES_GROUP_SIZE], pid_t pid)
{
	snprintf(group, SYNC_PROBES_GROUP_SIZE, SYNC_PROBES_SYSTEM "_%d", (int)pid);
}

/* --- Commands to tracefs ------------------------------------------------------------------- */

/* Returns 0, or -1 with errno. */
static int command(const char *root, const char *line)
{
	char *path = xasprintf("%s/uprobe_events", root);
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), rc, code;

	free(path);
	if (fd < 0)
		return -1;
	rc = write(fd, line, strlen(line)) == (ssize_t)strlen(line) ? 0 : -1;
	code = errno;
	close(fd);
	errno = code;
	return rc;
}

/* The kernel may still be putting away a perf event that was on it. */
static void remove_event(const char *root, const char *group, const char *name)
{
	enum { TRIES = 20, PAUSE_US = 10000 };
	char *line = xasprintf("-:%s/%s\n", group, name);

	for (int i = 0; i < TRIES && command(root, line) && errno == EBUSY; i++)
		usleep(PAUSE_US);
	free(line);
}

/* --- What others have left ----------------------------------------------------------------- */

static bool is_left_over(const char *group)
{
	int pid, end = 0;

	return sscanf(group, SYNC_PROBES_SYSTEM "_%d%n", &pid, &end) == 1 && !group[end] &&
	       (pid == getpid() || (kill(pid, 0) && errno == ESRCH));
}

static void remove_left_overs(const char *root)
{
	char *path = xasprintf("%s/events", root);
	DIR *groups = opendir(path);
	const struct dirent *group;

	free(path);
	while (groups && (group = readdir(groups))) {
		if (!is_left_over(group->d_name))
			continue;
		for (size_t i = 0; i < SYNC_PROBES; i++)
			remove_event(root, group->d_name, kinds[i].name);
	}
	if (groups)
		closedir(groups);
}

/* --- Making them --------------------------------------------------------------------------- */

struct making {
	struct sync_probes *probes;
	const char *path; /* of the file that is looked through */
	size_t made;	  /* in it */
	struct {
		size_t kind;
		uint64_t offset;
	} places[4 * SYNC_PROBES]; /* that are probed in it: versions and aliases are often one */
	size_t place_count;
	int code; /* errno of the first failure */
};

static bool is_new(struct making *making, size_t kind, uint64_t offset)
{
	for (size_t i = 0; i < making->place_count; i++)
		if (making->places[i].kind == kind && making->places[i].offset == offset)
			return false;
	if (making->place_count == sizeof(making->places) / sizeof(making->places[0]))
		return false;
	making->places[making->place_count].kind = kind;
	making->places[making->place_count++].offset = offset;
	return true;
}

/* A second place of the same event is added to it since Linux 5.5, and refused before. */
static void place(struct making *making, size_t kind, uint64_t offset)
{
	struct sync_probes *probes = making->probes;
	const char *const more[] = {
		[JUST_OBJECT] = "", [WITH_OBJECT2] = " object2=", [WITH_COUNT] = " count="};
	const char *const which[] = {
		[JUST_OBJECT] = "", [WITH_OBJECT2] = registers[1], [WITH_COUNT] = registers[2]};
	const char *const type[] = {
		[JUST_OBJECT] = "", [WITH_OBJECT2] = ":x64", [WITH_COUNT] = ":u32"};
	char *line =
		xasprintf("p:%s/%s %s:0x%" PRIx64 " object=%s:x64%s%s%s\n", probes->group,
			  kinds[kind].name, making->path, offset, registers[0],
			  more[kinds[kind].more], which[kinds[kind].more], type[kinds[kind].more]);

	/* A word of the path behind a blank would be taken for an argument. */
	if (strpbrk(making->path, " \t\n")) {
		making->code = EINVAL;
	} else if (command(probes->root, line) == 0) {
		probes->has[kind] = true;
		making->made++;
	} else if (!probes->has[kind] && !making->code) {
		making->code = errno;
	}
	free(line);
}

/* Longer functions are not looked through to their end, and so not at all. */
enum { CODE_MAX = 1 << 14 };

/* Where the probe stands, in the file. */
static uint64_t find_place(const char *path, const struct elf_function *function, size_t kind)
{
	unsigned arguments = kinds[kind].more == WITH_COUNT	? 3
			     : kinds[kind].more == WITH_OBJECT2 ? 2
								: 1;
	uint8_t code[CODE_MAX];
	struct stat status;
	int fd = function->size <= CODE_MAX ? regular_file_open(&status, path) : -1;
	ssize_t got;

	if (fd < 0)
		return function->offset;
	got = pread(fd, code, (size_t)function->size, (off_t)function->offset);
	close(fd);
	if (got < 0 || (uint64_t)got < function->size)
		return function->offset;
	return function->offset + probe_place_find(code, (size_t)got, arguments);
}

static void take_function(void *context, const struct elf_function *function)
{
	struct making *making = context;

	for (size_t kind = 0; kind < SYNC_PROBES; kind++)
		for (size_t i = 0; i < FUNCTIONS_MAX && kinds[kind].functions[i]; i++)
			if (strcmp(kinds[kind].functions[i], function->name) == 0 &&
			    is_new(making, kind, function->offset))
				place(making, kind, find_place(making->path, function, kind));
}

static void append(char **text, const char *path)
{
	char *before = *text;

	*text = xasprintf("%s%s%s", before ? before : "the calls of --sync=all are seen in ",
			  before ? ", " : "", path);
	free(before);
}

static int explain(const struct c_library *library, int code, struct err *err)
{
	if (code == ENOENT)
		return err_set(err, "--sync=all needs a kernel with CONFIG_UPROBE_EVENTS: take "
				    "--sync=futex");
	if (code)
		return err_set(err, "--sync=all: the kernel takes no probe on %s: %s",
			       library->paths[0], strerror(code));
	return err_set(err,
		       "--sync=all: %s has no pthread_mutex_lock: a static program needs its "
		       "symbols; take --sync=futex",
		       library->count ? library->paths[0] : "the C library");
}

static int make_in(struct sync_probes *probes, const struct c_library *library, struct err *err)
{
	bool any = false;
	int code = 0;

	for (size_t i = 0; i < library->count; i++) {
		struct making making = {.probes = probes, .path = library->paths[i]};

		elf_functions_each(making.path, take_function, &making);
		if (making.made)
			append(&probes->note, making.path);
		any |= making.made > 0;
		code = code ? code : making.code;
	}
	return any ? 0 : explain(library, code, err);
}

int sync_probes_make(struct sync_probes *probes, const char *root, const struct sync_target *target,
		     struct err *err)
{
	struct c_library library = {.count = 0};
	int rc;

	*probes = (struct sync_probes){.root = xstrdup(root)};
	if (!registers[0])
		return err_set(err, "--sync=all: where functions find their arguments is not known "
				    "of this machine: take --sync=futex");
	remove_left_overs(root);
	sync_probes_group(probes->group, getpid());
	if (target->command)
		c_library_of_command(&library, target->command);
	for (size_t i = 0; i < target->pid_count; i++)
		c_library_of_process(&library, target->pids[i], "/proc");
	if (!target->pid_count)
		c_library_own(&library, "/proc");
	rc = make_in(probes, &library, err);
	c_library_release(&library);
	return rc;
}

void sync_probes_remove(struct sync_probes *probes)
{
	for (size_t i = 0; i < SYNC_PROBES; i++)
		if (probes->has[i])
			remove_event(probes->root, probes->group, kinds[i].name);
	free(probes->root);
	free(probes->note);
	*probes = (struct sync_probes){.root = NULL};
}
