/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/run_owner.h"

#include "base/alloc.h"
#include "collect/kernel/proc_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ... as long as it is not yet locked for certain. */
#define NEW RUN_OWNER ".new"

enum {
	BOOT_SIZE = 64,
	TEXT_MAX = 65536,
	/* A recorder that has made its directory has locked a file in it by then, or does without. */
	LEFT_AFTER_S = 10
};

static void read_boot(char boot[BOOT_SIZE])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, boot, BOOT_SIZE - 1) : -1;

	boot[length > 0 ? length : 0] = '\0';
	boot[strcspn(boot, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

/* --- Making -------------------------------------------------------------------------------- */

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

int run_owner_append(int owner, const char *text)
{
	size_t length = strlen(text);
	ssize_t written = write(owner, text, length);

	if (written >= 0 && (size_t)written < length)
		errno = ENOSPC;
	return written == (ssize_t)length ? 0 : -1;
}

/* It gets its name when it is locked: one that can be locked is that of a recorder that has ended. */
int run_owner_make(int fd)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
	int owner = openat(fd, NEW, flags, 0600), rc = -1, code;
	char *text = describe_self();

	if (owner >= 0 && flock(owner, LOCK_EX | LOCK_NB) == 0 &&
	    run_owner_append(owner, text) == 0)
		rc = renameat(fd, NEW, fd, RUN_OWNER);
	code = errno;
	free(text);
	if (rc && owner >= 0)
		close(owner);
	errno = code;
	return rc ? -1 : owner;
}

/* --- Reading ------------------------------------------------------------------------------- */

/* Without waiting, and nothing but a file that only this user can have made. */
static int lock(int fd, const char *name)
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

/* A line without an end is left out: the change that it notes was not made. */
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

int run_owner_take(struct run_owner *owner, int fd)
{
	*owner = (struct run_owner){.fd = lock(fd, RUN_OWNER)};
	if (owner->fd < 0) {
		if (errno != ENOENT || !is_old(fd))
			return -1;
		/* Killed before it had one, or while all was removed; or slow. */
		owner->fd = lock(fd, NEW);
		if (owner->fd < 0 && errno != ENOENT)
			return -1;
	}
	if (owner->fd >= 0)
		read_lines(owner);
	if (!owner->date)
		owner->date = xstrdup("at a time not known");
	return 0;
}

void run_owner_release(struct run_owner *owner)
{
	for (size_t i = 0; i < owner->note_count; i++)
		free(owner->notes[i]);
	free(owner->notes);
	free(owner->date);
	if (owner->fd >= 0)
		close(owner->fd);
	*owner = (struct run_owner){.fd = -1};
}
