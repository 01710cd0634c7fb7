/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/run_left.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/kernel/run_directory.h"
#include "collect/kernel/run_directory_private.h"
#include "collect/kernel/tracefs.h"
#include "collect/kernel/uprobes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void add_line(char ***lines, size_t *count, size_t *capacity, char *line)
{
	array_reserve(lines, capacity, *count + 1);
	(*lines)[(*count)++] = line;
}

/* --- Notes --------------------------------------------------------------------------------- */

/* Of one recorder. */
struct undoing {
	const char *tracefs; /* NULL: where it is */
	char *done, *failed; /* sentences, or NULL */
};

static void append_sentence(char **text, char *more)
{
	char *before = *text;

	*text = before ? xasprintf("%s, %s", before, more) : xstrdup(more);
	free(before);
	free(more);
}

static void undo_uprobes(struct undoing *undoing, const char *group)
{
	struct tracefs tracefs = {.root = undoing->tracefs, .hold = -1};
	struct err err;
	int removed = -1;

	if (!tracefs.root && tracefs_open(&tracefs, NULL, &err)) {
		append_sentence(
			&undoing->failed,
			xasprintf("uprobes of group %s cannot be removed: %s", group, err.text));
	} else {
		removed = uprobes_undo(tracefs.root, group);
		if (removed < 0)
			append_sentence(&undoing->failed,
					xasprintf("uprobes of group %s cannot be removed: %s",
						  group, strerror(errno)));
	}
	if (removed > 0)
		append_sentence(&undoing->done, xasprintf("%d uprobe%s of group %s", removed,
							  removed == 1 ? "" : "s", group));
	tracefs_close(&tracefs, NULL);
}

static void undo_tracefs(struct undoing *undoing, const char *what)
{
	int rc = tracefs_undo(what);

	if (rc > 0)
		append_sentence(&undoing->done, xasprintf("tracefs, which it had mounted"));
	else if (rc < 0)
		append_sentence(&undoing->failed,
				xasprintf("tracefs, which it had mounted, cannot be unmounted: %s",
					  strerror(errno)));
}

static void undo_note(struct undoing *undoing, const char *note)
{
	static const struct {
		const char *kind;
		void (*undo)(struct undoing *undoing, const char *what);
	} kinds[] = {{UPROBES_NOTE " ", undo_uprobes}, {TRACEFS_NOTE " ", undo_tracefs}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i].kind);

		if (strncmp(note, kinds[i].kind, length) == 0) {
			kinds[i].undo(undoing, note + length);
			return;
		}
	}
	append_sentence(&undoing->failed,
			xasprintf("'%s' is of another version of pscal, which can clear it", note));
}

/* --- One recorder -------------------------------------------------------------------------- */

static void tell_remains(struct run_left *left, const struct run_owner *owner,
			 struct undoing *undoing)
{
	char *whose = owner->pid ? xasprintf("the recording of process %d begun %s", owner->pid,
					     owner->date)
				 : xstrdup("a recording that had hardly begun");

	if (undoing->failed)
		add_line(&left->kept, &left->kept_count, &left->kept_capacity,
			 xasprintf("%s: %s", whose, undoing->failed));
	else
		add_line(&left->cleared, &left->cleared_count, &left->cleared_capacity,
			 xasprintf("%s: %s%sits directory", whose,
				   undoing->done ? undoing->done : "", undoing->done ? ", " : ""));
	free(whose);
}

/* `owner` is locked: nobody else clears the same. */
static void clear_one(struct run_left *left, int base, const char *name, int fd,
		      const struct run_owner *owner, const char *tracefs)
{
	struct undoing undoing = {.tracefs = tracefs};

	/*
	 * In the reverse order of the notes. Nothing is left when the machine has been started
	 * anew.
	 */
	for (size_t i = owner->note_count; owner->is_of_this_boot && i-- > 0;)
		undo_note(&undoing, owner->notes[i]);
	if (!undoing.failed && run_directory_remove(base, name, fd))
		append_sentence(&undoing.failed, xasprintf("its directory cannot be removed"));
	tell_remains(left, owner, &undoing);
	free(undoing.done);
	free(undoing.failed);
}

static void clear_if_left(struct run_left *left, int base, const char *name, const char *tracefs)
{
	int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;
	struct run_owner owner;

	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
	    run_owner_take(&owner, fd) == 0) {
		clear_one(left, base, name, fd, &owner, tracefs);
		run_owner_release(&owner);
	}
	close(fd);
}

/* --- All of them --------------------------------------------------------------------------- */

static bool is_name(const char *name)
{
	return strlen(name) == 32 && strspn(name, "0123456789abcdef") == 32;
}

void run_left_clear_in(struct run_left *left, const char *place, const char *tracefs)
{
	struct err ignored;
	char *path;
	int base = run_base_open(&path, place, false, &ignored);
	DIR *directory = base >= 0 ? fdopendir(base) : NULL;
	const struct dirent *entry;

	free(path);
	while (directory && (entry = readdir(directory)))
		if (is_name(entry->d_name))
			clear_if_left(left, base, entry->d_name, tracefs);
	if (directory)
		closedir(directory);
	else if (base >= 0)
		close(base);
}

void run_left_clear(struct run_left *left)
{
	char *places[RUN_BASES_MAX];
	size_t count = run_base_places(places);

	for (size_t i = 0; i < count; i++) {
		run_left_clear_in(left, places[i], NULL);
		free(places[i]);
	}
}

void run_left_release(struct run_left *left)
{
	for (size_t i = 0; i < left->cleared_count; i++)
		free(left->cleared[i]);
	for (size_t i = 0; i < left->kept_count; i++)
		free(left->kept[i]);
	free(left->cleared);
	free(left->kept);
	*left = (struct run_left){.cleared_count = 0};
}
