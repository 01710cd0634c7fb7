/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/files.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- Owners --------------------------------------------------------------------------------- */

bool file_owner_is_root(uid_t owner)
{
	struct stat top;

	return owner == 0 || (stat("/", &top) == 0 && owner == top.st_uid);
}

/* Returns whether this user called sudo. sudo sets the variable itself; it counts only for root. */
static bool has_called_sudo(uid_t owner)
{
	const char *caller = getenv("SUDO_UID");
	uint64_t uid;

	return geteuid() == 0 && caller && parse_u64(&uid, caller, UINT32_MAX) == 0 && uid == owner;
}

bool file_owner_is_own(uid_t owner)
{
	return owner == geteuid() || file_owner_is_root(owner) || has_called_sudo(owner);
}

/* --- Files without a name ------------------------------------------------------------------- */

static const char *temporary_directory(void)
{
	const char *named = getenv("TMPDIR");

	return named && *named ? named : "/tmp";
}

static int refuse_scratch(struct err *err)
{
	return err_set(err,
		       "cannot be kept in a temporary file in %s: %m; set TMPDIR to a directory "
		       "with room for it",
		       temporary_directory());
}

int scratch_file_open_named(char **path)
{
	int fd, reason;

	*path = xasprintf("%s/pscal-XXXXXX", temporary_directory());
	fd = mkostemp(*path, O_CLOEXEC);
	reason = errno;
	if (fd < 0) {
		free(*path);
		*path = NULL;
	}
	errno = reason;
	return fd;
}

/* Makes a file without a name on file systems that do not support O_TMPFILE. */
static int open_and_unlink(void)
{
	char *path;
	int fd = scratch_file_open_named(&path), reason = errno;

	if (fd >= 0)
		unlink(path);
	free(path);
	errno = reason;
	return fd;
}

int scratch_file_open(struct err *err)
{
	int fd = open(temporary_directory(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);

	/* An old kernel ignores O_TMPFILE and tries to open a directory for writing. */
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
		fd = open_and_unlink();
	return fd < 0 ? refuse_scratch(err) : fd;
}

int scratch_file_write(int fd, const void *bytes, size_t count, struct err *err)
{
	const char *from = bytes;

	while (count) {
		ssize_t written = write(fd, from, count);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return refuse_scratch(err);
		from += written;
		count -= (size_t)written;
	}
	return 0;
}

/* --- Files whose paths other users give ----------------------------------------------------- */

/*
 * Returns whether an opened file is regular, not empty, and not made up by the kernel. Most files
 * of procfs have no size, but /proc/kcore and those of sysfs have one.
 */
static bool is_taken(int place, struct stat *status)
{
	struct statfs system;

	return fstat(place, status) == 0 && S_ISREG(status->st_mode) && status->st_size > 0 &&
	       fstatfs(place, &system) == 0 && system.f_type != PROC_SUPER_MAGIC &&
	       system.f_type != SYSFS_MAGIC;
}

int regular_file_open(struct stat *status, const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1;
	char same[32];

	if (place < 0)
		return -1;
	/* The path may lead to another file by now. */
	snprintf(same, sizeof(same), "/proc/self/fd/%d", place);
	/*
	 * O_NONBLOCK: the owner may hold a lease on the file (fcntl(2)), which is not waited for.
	 */
	if (is_taken(place, status))
		fd = open(same, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	close(place);
	return fd;
}

/* --- Directories to be emptied -------------------------------------------------------------- */

enum {
	DEPTH_MAX = 8,
	PASSES_MAX = 8 /* an entry that comes or goes meanwhile may hide another */
};

static int empty(int fd, const char *kept, int depth);

static bool is_on_same_device(int fd, int other)
{
	struct stat status, other_status;

	return fstat(fd, &status) == 0 && fstat(other, &other_status) == 0 &&
	       status.st_dev == other_status.st_dev;
}

static int remove_directory(int parent, const char *name, int depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = -1;

	if (fd < 0)
		return -1;
	if (depth < DEPTH_MAX && is_on_same_device(fd, parent))
		rc = empty(fd, NULL, depth + 1);
	close(fd);
	return rc ? -1 : unlinkat(parent, name, AT_REMOVEDIR);
}

static int remove_entry(int parent, const char *name, int depth)
{
	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	return errno == EISDIR || errno == EPERM ? remove_directory(parent, name, depth) : -1;
}

static bool is_passed_over(const char *name, const char *kept)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	       (kept && strcmp(name, kept) == 0);
}

/* Removes the entries of a directory once. Counts those removed, and those that remain. */
static void empty_once(DIR *directory, const char *kept, int depth, size_t *removed, size_t *left)
{
	const struct dirent *entry;

	*removed = *left = 0;
	rewinddir(directory);
	while ((entry = readdir(directory))) {
		if (is_passed_over(entry->d_name, kept))
			continue;
		if (remove_entry(dirfd(directory), entry->d_name, depth))
			++*left;
		else
			++*removed;
	}
}

static int empty(int fd, const char *kept, int depth)
{
	/* A new open file, as the offset of `fd` is not ours. */
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = own >= 0 ? fdopendir(own) : NULL;
	size_t removed = 1, left = 0;

	if (!directory) {
		if (own >= 0)
			close(own);
		return -1;
	}
	for (int pass = 0; pass < PASSES_MAX && removed; pass++)
		empty_once(directory, kept, depth, &removed, &left);
	closedir(directory);
	return removed || left ? -1 : 0;
}

int empty_directory(int fd, const char *kept)
{
	return empty(fd, kept, 0);
}

/* --- Descriptors ---------------------------------------------------------------------------- */

void descriptors_keep_standard(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY,
				    O_RDONLY}; /* each the opposite of its stream */

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		int fd = fcntl((int)i, F_GETFD) < 0 ? open("/dev/null", modes[i] | O_CLOEXEC)
						    : (int)i;

		if (fd > (int)i) /* an open that failed before */
			close(fd);
	}
}

/* Runs in the helper: closes all descriptors of the former table, once the caller has another. */
static int empty_table(void *event)
{
	uint64_t count;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(*(int *)event, &count, sizeof(count)) != sizeof(count))
		return -1;
	prctl(PR_SET_PDEATHSIG, 0);
	return close_range(0, ~0U, 0);
}

/* Waits for the helper, not forever: closing files of other processes may block. */
static void wait_for(pid_t helper)
{
	enum { TRIES = 1000, PAUSE_US = 1000 };

	for (int i = 0; i < TRIES && waitpid(helper, NULL, __WALL | WNOHANG) == 0; i++)
		usleep(PAUSE_US);
}

int descriptors_unshare(void)
{
	enum { STACK = 1 << 16 };
	const uint64_t one = 1;
	int event = eventfd(0, EFD_CLOEXEC), code;
	char *stack = xcalloc(1, STACK);
	pid_t helper = event < 0 ? -1 : clone(empty_table, stack + STACK, CLONE_FILES, &event);
	int rc = helper < 0 ? -1 : unshare(CLONE_FILES);

	code = errno;
	if (rc && helper > 0)
		kill(helper, SIGKILL);
	else if (!rc && write(event, &one, sizeof(one)) != sizeof(one))
		rc = -1;
	if (helper > 0)
		wait_for(helper);
	if (event >= 0)
		close(event);
	free(stack);
	errno = code;
	return rc;
}
