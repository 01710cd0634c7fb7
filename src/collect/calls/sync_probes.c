/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/sync_probes.h"

#include "base/alloc.h"
#include "base/err.h"
#include "code/c_library.h"
#include "code/elf_functions.h"
#include "code/probe_place.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void place(struct making *making, size_t kind, uint64_t offset)
{
	const char *const more[] = {
		[JUST_OBJECT] = "", [WITH_OBJECT2] = " object2=", [WITH_COUNT] = " count="};
	const char *const which[] = {[JUST_OBJECT] = "",
				     [WITH_OBJECT2] = uprobes_argument(1),
				     [WITH_COUNT] = uprobes_argument(2)};
	const char *const type[] = {
		[JUST_OBJECT] = "", [WITH_OBJECT2] = ":x64", [WITH_COUNT] = ":u32"};
	char *arguments =
		xasprintf("object=%s:x64%s%s%s", uprobes_argument(0), more[kinds[kind].more],
			  which[kinds[kind].more], type[kinds[kind].more]);
	int code = uprobes_add(&making->probes->made, &(struct uprobe){.event = kinds[kind].name,
								       .path = making->path,
								       .offset = offset,
								       .argument = arguments});

	making->made += !code;
	if (code && !making->code && !uprobes_has(&making->probes->made, kinds[kind].name))
		making->code = code;
	free(arguments);
}

static uint64_t find_place(const char *path, const struct elf_function *function, size_t kind)
{
	unsigned arguments = kinds[kind].more == WITH_COUNT	? 3
			     : kinds[kind].more == WITH_OBJECT2 ? 2
								: 1;

	return probe_place_in_file(path, function, arguments, false).offset;
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

static int explain(const struct file_set *library, int code, struct err *err)
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

static int make_in(struct sync_probes *probes, const struct file_set *library, struct err *err)
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
		     struct run_directory *run, struct err *err)
{
	struct file_set library = {.count = 0};
	int rc;

	*probes = (struct sync_probes){.note = NULL};
	if (!uprobes_argument(0))
		return err_set(err, "--sync=all: where functions find their arguments is not known "
				    "of this machine: take --sync=futex");
	if (uprobes_init(&probes->made, root, UPROBES_SYNC, run, err))
		return err_wrap(err, "--sync=all");
	if (target->command)
		c_library_of_command(&library, target->command);
	for (size_t i = 0; i < target->pid_count; i++)
		c_library_of_process(&library, target->pids[i], "/proc");
	if (!target->pid_count)
		c_library_own(&library, "/proc");
	rc = make_in(probes, &library, err);
	file_set_release(&library);
	return rc;
}

void sync_probes_remove(struct sync_probes *probes)
{
	uprobes_release(&probes->made);
	free(probes->note);
	*probes = (struct sync_probes){.note = NULL};
}
