/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/run_directory.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/files.h"
#include "collect/kernel/proc_stat.h"
#include "collect/kernel/tracefs.h"
#include "collect/kernel/uprobes.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The name of the owner's file until it is locked. */
#define NEW RUN_OWNER ".new"

enum {
	BOOT_SIZE = 64,
	TEXT_MAX = 65536,
	/* A recorder has locked a file in its directory by that time, or has none. */
	LEFT_AFTER_S = 10
};

/* --- Places for the directory of all recorders --------------------------------------------- */

/* Returns XDG_RUNTIME_DIR if it is this user's, and not from a session of another user. */
static const char *own_runtime_directory(void)
{
	const char *path = getenv("XDG_RUNTIME_DIR");
	struct stat status;

	return path && *path == '/' && stat(path, &status) == 0 && status.st_uid == geteuid()
		       ? path
		       : NULL;
}

size_t run_directory_places(char *places[RUN_PLACES_MAX])
{
	const char *temporary = getenv("TMPDIR"), *runtime = own_runtime_directory();
	size_t count = 0;

	if (geteuid() == 0)
		places[count++] = xstrdup("/run/pscal");
	else if (runtime)
		places[count++] = xasprintf("%s/pscal", runtime);
	if (temporary && *temporary == '/')
		places[count++] = xasprintf("%s/pscal-%u", temporary, (unsigned)geteuid());
	places[count++] = xasprintf("/tmp/pscal-%u", (unsigned)geteuid());
	return count;
}

/* --- Safety of a place --------------------------------------------------------------------- */

static bool is_trusted(const struct stat *status)
{
	bool is_shared = status->st_mode & (S_IWGRP | S_IWOTH);

	return (status->st_uid == geteuid() || file_owner_is_root(status->st_uid)) &&
	       (!is_shared || status->st_mode & S_ISVTX);
}

static int open_next(int at, const char *name, struct err *err)
{
	int next = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (next < 0 || fstat(next, &status)) {
		err_set(err, "cannot be opened: %m");
	} else if (!is_trusted(&status)) {
		err_set(err, "other users can change its entries");
	} else {
		return next;
	}
	if (next >= 0)
		close(next);
	return -1;
}

/* Opens a directory after checks of each directory on its path. */
static int open_trusted(const char *path, struct err *err)
{
	int at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char *copy = xstrdup(path), *rest = NULL;

	if (at < 0) {
		free(copy);
		return err_set(err, "/: cannot be opened: %m");
	}
	for (char *name = strtok_r(copy, "/", &rest); at >= 0 && name;
	     name = strtok_r(NULL, "/", &rest)) {
		int next = open_next(at, name, err);

		if (next < 0)
			err_wrap(err, "%.*s", (int)(name + strlen(name) - copy), path);
		close(at);
		at = next;
	}
	free(copy);
	return at;
}

/* --- Opening a place ----------------------------------------------------------------------- */

static int check_base(int fd, bool make, struct err *err)
{
	/* Processes of any user may open entries of root's directory by their names. */
	const mode_t wanted = geteuid() == 0 ? 0711 : 0700;
	struct stat status;

	if (fstat(fd, &status))
		return err_set(err, "cannot be looked at: %m");
	if (status.st_uid != geteuid())
		return err_set(err, "belongs to another user: set TMPDIR to a directory in which "
				    "only you can write");
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err, "other users can write into it: remove it");
	if (make && (status.st_mode & 07777) != wanted && fchmod(fd, wanted))
		return err_set(err, "its mode cannot be set: %m");
	return 0;
}

static int open_in(int parent, const char *name, bool make, struct err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd;

	if (make && mkdirat(parent, name, 0700) && errno != EEXIST)
		return err_set(err, "cannot be made: %m");
	fd = openat(parent, name, flags);
	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		return err_set(err, "is not a directory: set TMPDIR to a directory in which only "
				    "you can write");
	if (fd < 0)
		return err_set(err, "cannot be opened: %m");
	if (check_base(fd, make, err)) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * Opens the directory `place`, an absolute path; with `make` it is made if it is missing. An
 * existing one must belong to this user and be writable only for its owner, below directories of
 * root or of this user that other users cannot write to, except sticky ones. Returns a descriptor
 * to read it, and its path without symbolic links, which the caller frees; or -1 with an error.
 */
static int run_base_open(char **path, const char *place, bool make, struct err *err)
{
	const char *name = strrchr(place, '/') + 1;
	char *parent = xasprintf("%.*s", (int)(name - place), place);
	char *real = realpath(parent, NULL);
	int at, fd = -1;

	*path = NULL;
	free(parent);
	if (!real)
		return err_set(err, "%s: cannot be made: %m", place);
	at = open_trusted(real, err);
	if (at >= 0) {
		fd = open_in(at, name, make, err);
		if (fd < 0)
			err_wrap(err, "%s", place);
		close(at);
	}
	if (fd >= 0)
		*path = xasprintf("%s/%s", strcmp(real, "/") == 0 ? "" : real, name);
	free(real);
	return fd;
}

/* --- The file of the owner: making --------------------------------------------------------- */

static void read_boot(char boot[BOOT_SIZE])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, boot, BOOT_SIZE - 1) : -1;

	boot[length > 0 ? length : 0] = '\0';
	boot[strcspn(boot, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

static char *describe_self(void)
{
	struct proc_stat self = {.id = 0};
	time_t now = time(NULL);
	char boot[BOOT_SIZE], date[32];
	struct tm utc;

	read_boot(boot);
	proc_stat_read(&self, "/proc/self/stat");
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &utc));
	return xasprintf("pid %d\nstart %" PRIu64 "\nboot %s\ndate %s\n", (int)getpid(),
			 self.start_ticks, boot, date);
}

/* Appends a line. Returns 0, or -1 with errno. */
static int append_to_owner(int owner, const char *text)
{
	size_t length = strlen(text);
	ssize_t written = write(owner, text, length);

	if (written >= 0 && (size_t)written < length)
		errno = ENOSPC;
	return written == (ssize_t)length ? 0 : -1;
}

/*
 * Makes and locks the file of this process in the directory `fd`. Returns a descriptor to write to
 * it, or -1 with errno: ENOENT, EWOULDBLOCK if the next recorder took the directory for an
 * abandoned one, and removes it. The file gets its name when it is locked: if it can be locked, its
 * recorder has ended.
 */
static int make_owner(int fd)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
	int owner = openat(fd, NEW, flags, 0600), rc = -1, code;
	char *text = describe_self();

	if (owner >= 0 && flock(owner, LOCK_EX | LOCK_NB) == 0 && append_to_owner(owner, text) == 0)
		rc = renameat(fd, NEW, fd, RUN_OWNER);
	code = errno;
	free(text);
	if (rc && owner >= 0)
		close(owner);
	errno = code;
	return rc ? -1 : owner;
}

/* --- The file of the owner: reading -------------------------------------------------------- */

/* The contents of the file of a recorder that has ended. */
struct run_owner {
	int fd;	    /* locked */
	int pid;    /* 0: not known */
	char *date; /* start of the recorder */
	bool is_of_this_boot;
	char **notes; /* "KIND WHAT" */
	size_t note_count, note_capacity;
};

/* Locks a file, without waiting, if it is a file that only this user can have made. */
static int lock_owner(int fd, const char *name)
{
	int file = openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	if (file < 0)
		return -1;
	/* The recorder that held the lock may have removed the file meanwhile. */
	if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &status) == 0 &&
	    S_ISREG(status.st_mode) && status.st_uid == geteuid() && status.st_nlink == 1)
		return file;
	close(file);
	errno = EWOULDBLOCK;
	return -1;
}

static bool is_old(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && time(NULL) >= status.st_mtime + LEFT_AFTER_S;
}

static void take_line(struct run_owner *owner, const char *line, const char *boot)
{
	if (strncmp(line, "pid ", 4) == 0) {
		owner->pid = atoi(line + 4);
	} else if (strncmp(line, "boot ", 5) == 0) {
		owner->is_of_this_boot = strcmp(line + 5, boot) == 0;
	} else if (strncmp(line, "date ", 5) == 0) {
		free(owner->date);
		owner->date = xstrdup(line + 5);
	} else if (strncmp(line, "start ", 6) != 0) {
		array_reserve(&owner->notes, &owner->note_capacity, owner->note_count + 1);
		owner->notes[owner->note_count++] = xstrdup(line);
	}
}

/* Reads the lines. A line without an end is ignored: the change that it notes was not made. */
static void read_lines(struct run_owner *owner)
{
	char *text = xcalloc(1, TEXT_MAX), *line = text, boot[BOOT_SIZE];
	ssize_t length = read(owner->fd, text, TEXT_MAX - 1);

	read_boot(boot);
	for (char *end; length > 0 && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		take_line(owner, line, boot);
	}
	free(text);
}

/*
 * Takes the directory `fd` of a recorder that has ended, and reads its file; until the release no
 * other process can do so. Returns 0, or -1 if that recorder lives, or may live.
 */
static int run_owner_take(struct run_owner *owner, int fd)
{
	*owner = (struct run_owner){.fd = lock_owner(fd, RUN_OWNER)};
	if (owner->fd < 0) {
		if (errno != ENOENT || !is_old(fd))
			return -1;
		/* The recorder was killed before or during that; or it is slow. */
		owner->fd = lock_owner(fd, NEW);
		if (owner->fd < 0 && errno != ENOENT)
			return -1;
	}
	if (owner->fd >= 0)
		read_lines(owner);
	if (!owner->date)
		owner->date = xstrdup("at an unknown time");
	return 0;
}

static void run_owner_release(struct run_owner *owner)
{
	for (size_t i = 0; i < owner->note_count; i++)
		free(owner->notes[i]);
	free(owner->notes);
	free(owner->date);
	if (owner->fd >= 0)
		close(owner->fd);
	*owner = (struct run_owner){.fd = -1};
}

/* --- The directory of a recorder ----------------------------------------------------------- */

/*
 * Removes the directory `fd`, which was `name` in `base`, with its contents, the locked file last.
 * Returns 0, or -1 if something is left.
 */
static int run_directory_remove(int base, const char *name, int fd)
{
	struct stat status, named;

	/*
	 * If the directory is half removed, the next recorder continues. Without a free descriptor
	 * it cannot be listed, but it may be empty.
	 */
	if (empty_directory(fd, RUN_OWNER) == 0 && unlinkat(fd, RUN_OWNER, 0) && errno != ENOENT)
		return -1;
	if (fstat(fd, &status) || fstatat(base, name, &named, AT_SYMLINK_NOFOLLOW))
		return -1;
	if (status.st_dev != named.st_dev || status.st_ino != named.st_ino)
		return -1;
	return unlinkat(base, name, AT_REMOVEDIR);
}

static const char *name_of(const struct run_directory *directory)
{
	return strrchr(directory->path, '/') + 1;
}

/* Returns a path that cannot be guessed. */
static char *make_path(const char *base)
{
	uint64_t number[2];

	if (getrandom(number, sizeof(number), 0) != sizeof(number))
		return NULL;
	return xasprintf("%s/%016" PRIx64 "%016" PRIx64, base, number[0], number[1]);
}

static int make_one(struct run_directory *directory, const char *base)
{
	directory->path = make_path(base);
	if (!directory->path || mkdirat(directory->base, name_of(directory), 0700))
		return -1;
	directory->fd = openat(directory->base, name_of(directory),
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory->fd < 0) {
		int code = errno;

		unlinkat(directory->base, name_of(directory), AT_REMOVEDIR);
		errno = code;
		return -1;
	}
	directory->owner = make_owner(directory->fd);
	return directory->owner >= 0 && fchmod(directory->fd, geteuid() ? 0700 : 0711) == 0 ? 0
											    : -1;
}

/* Removes the directory as far as it has been made; `base` stays. */
static void unmake_own(struct run_directory *directory)
{
	if (directory->fd >= 0) {
		run_directory_remove(directory->base, name_of(directory), directory->fd);
		close(directory->fd);
	}
	if (directory->owner >= 0)
		close(directory->owner);
	free(directory->path);
	directory->path = NULL;
	directory->fd = directory->owner = -1;
}

/* Makes a directory. The next recorder may take one without an owner for abandoned. */
static int make_any(struct run_directory *directory, const char *base)
{
	enum { TRIES = 3 };
	int code = ENOENT;

	for (int i = 0; i < TRIES && (code == ENOENT || code == EWOULDBLOCK); i++) {
		if (make_one(directory, base) == 0)
			return 0;
		code = errno;
		unmake_own(directory);
	}
	errno = code;
	return -1;
}

int run_directory_open_in(struct run_directory *directory, const char *place, struct err *err)
{
	char *base;
	int rc;

	*directory = (struct run_directory){.fd = -1, .owner = -1};
	directory->base = run_base_open(&base, place, true, err);
	if (directory->base < 0)
		return -1;
	rc = make_any(directory, base);
	if (rc) {
		err_set(err, "%s: no directory can be made in it: %m", base);
		close(directory->base);
		directory->base = -1;
	}
	free(base);
	return rc;
}

int run_directory_open(struct run_directory *directory, struct err *err)
{
	char *places[RUN_PLACES_MAX];
	size_t count;
	int rc = -1;

	if (directory->fd >= 0)
		return 0;
	count = run_directory_places(places);
	for (size_t i = 0; i < count; i++) {
		if (rc)
			rc = run_directory_open_in(directory, places[i], err);
		free(places[i]);
	}
	return rc;
}

/* --- Notes --------------------------------------------------------------------------------- */

int run_directory_note(struct run_directory *directory, const char *kind, const char *what,
		       struct err *err)
{
	char *line = xasprintf("%s %s\n", kind, what);
	int rc = 0;

	assert(directory->fd >= 0 && strchr(line, '\n')[1] == '\0');
	if (append_to_owner(directory->owner, line))
		rc = err_set(err, "%s/" RUN_OWNER ": cannot be written: %m", directory->path);
	free(line);
	return rc;
}

void run_directory_keep(struct run_directory *directory)
{
	directory->kept = true;
}

/* Leaves the directory as if the recorder had been killed. */
static void leave_own(struct run_directory *directory)
{
	empty_directory(directory->fd, RUN_OWNER);
	close(directory->fd);
	close(directory->owner);
	free(directory->path);
}

void run_directory_close(struct run_directory *directory)
{
	if (directory->fd < 0)
		return;
	if (directory->kept)
		leave_own(directory);
	else
		unmake_own(directory);
	close(directory->base);
	*directory = (struct run_directory){.fd = -1, .base = -1, .owner = -1};
}

/* --- Remains of killed recorders: sentences ------------------------------------------------- */

static void add_line(char ***lines, size_t *count, size_t *capacity, char *line)
{
	array_reserve(lines, capacity, *count + 1);
	(*lines)[(*count)++] = line;
}

/* --- Remains: undoing ---------------------------------------------------------------------- */

/* The undoing of the changes of one recorder. */
struct undoing {
	const char *tracefs; /* NULL: the usual directory */
	char *done, *failed; /* sentences, or NULL */
};

static void undo_uprobes(struct undoing *undoing, const char *group)
{
	struct tracefs tracefs = {.root = undoing->tracefs, .hold = -1};
	struct err err;
	int removed = -1;

	if (!tracefs.root && tracefs_open(&tracefs, NULL, &err)) {
		xappend(&undoing->failed, ", ", "uprobes of group %s cannot be removed: %s", group,
			err.text);
	} else {
		removed = uprobes_undo(tracefs.root, group);
		if (removed < 0)
			xappend(&undoing->failed, ", ", "uprobes of group %s cannot be removed: %s",
				group, strerror(errno));
	}
	if (removed > 0)
		xappend(&undoing->done, ", ", "%d uprobe%s of group %s", removed,
			removed == 1 ? "" : "s", group);
	tracefs_close(&tracefs, NULL);
}

static void undo_tracefs(struct undoing *undoing, const char *what)
{
	int rc = tracefs_undo(what);

	if (rc > 0)
		xappend(&undoing->done, ", ", "tracefs, which it had mounted");
	else if (rc < 0)
		xappend(&undoing->failed, ", ",
			"tracefs, which it had mounted, cannot be unmounted: %s", strerror(errno));
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
	xappend(&undoing->failed, ", ", "'%s' is of another version of pscal, which can clear it",
		note);
}

/* --- Remains of one recorder ---------------------------------------------------------------- */

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

/* Clears the remains of one recorder. `owner` is locked: no other process clears the same. */
static void clear_one(struct run_left *left, int base, const char *name, int fd,
		      const struct run_owner *owner, const char *tracefs)
{
	struct undoing undoing = {.tracefs = tracefs};

	/* Changes are undone in the reverse order of the notes. After a reboot nothing is left. */
	for (size_t i = owner->note_count; owner->is_of_this_boot && i-- > 0;)
		undo_note(&undoing, owner->notes[i]);
	if (!undoing.failed && run_directory_remove(base, name, fd))
		xappend(&undoing.failed, ", ", "its directory cannot be removed");
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

/* --- Remains of all recorders --------------------------------------------------------------- */

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
	char *places[RUN_PLACES_MAX];
	size_t count = run_directory_places(places);

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
