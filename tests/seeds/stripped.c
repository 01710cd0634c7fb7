/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "seeds/stripped.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/subprocess.h"
#include "code/object.h"
#include "collect/collect_dir.h"

#include <unistd.h>

static void run(const char *const *command)
{
	struct subprocess subprocess;
	struct err err;

	if (subprocess_run(&subprocess, command, NULL, 0, (struct subprocess_limits){.seconds = 60},
			   &err))
		fail_msg("%s: %s", command[0], err.text);
	if (subprocess.exit_status || subprocess.missing)
		fail_msg("%s %s: %s", command[0], command[1],
			 subprocess.missing ? "it is not there" : subprocess.errors);
	subprocess_release(&subprocess);
}

/* The first place below the directory in which gdb looks. */
static char *place_of_id(const char *program)
{
	uint8_t id[ELF_BUILD_ID_MAX] = {0};
	struct object object;
	size_t size;
	char *place;

	object_open(&object, program);
	size = object_build_id(id, &object);
	object_close(&object);
	assert_true(size > 1);
	place = xasprintf("usr/lib/debug/.build-id/%02x/", id[0]);
	for (size_t i = 1; i <= size; i++) {
		char *longer =
			i < size ? xasprintf("%s%02x", place, id[i]) : xasprintf("%s.debug", place);

		free(place);
		place = longer;
	}
	return place;
}

static void split(const struct stripped *stripped, const char *debug)
{
	char *link = xasprintf("--add-gnu-debuglink=%s", debug);

	run((const char *[]){"objcopy", "--only-keep-debug", stripped->program, debug, NULL});
	run((const char *[]){"objcopy", "--strip-all", link, stripped->program, NULL});
	free(link);
}

void stripped_make(struct stripped *stripped, const char *at)
{
	/* Its own path: /proc shows other programs the emulator of one. */
	char *place, *debug, *self = realpath("/proc/self/exe", NULL);

	dir_make(stripped->root);
	dir_put(stripped->root, "bin/program", "");
	stripped->program = xasprintf("%s/bin/program", stripped->root);
	debug = xasprintf("%s/program.debug", stripped->root);
	if (at)
		run((const char *[]){"objcopy", "--remove-section=.note.gnu.build-id", self,
				     stripped->program, NULL});
	else
		run((const char *[]){"objcopy", self, stripped->program, NULL});
	split(stripped, debug);
	place = at ? xstrdup(at) : place_of_id(stripped->program);
	dir_put(stripped->root, place, "");
	stripped->debug = xasprintf("%s/%s", stripped->root, place);
	assert_int_equal(rename(debug, stripped->debug), 0);
	free(place);
	free(debug);
	free(self);
}

void stripped_remove(struct stripped *stripped)
{
	dir_remove(stripped->root);
	free(stripped->program);
	free(stripped->debug);
}
