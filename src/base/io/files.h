/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files and descriptors of a program that root runs among other users: the owner of a file, files
 * whose paths come from other users, files without a name, emptying of directories, and descriptors
 * shared with children.
 */
#ifndef PSCAL_BASE_IO_FILES_H
#define PSCAL_BASE_IO_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

struct err;

/* --- Whose they are: the one place that decides which files are trusted ---------------------- */

/*
 * Is this user root? A user namespace may have its own, with the number 0, and show the real one as
 * another user: the owner of "/" is root there, too.
 */
bool file_owner_is_root(uid_t owner);

/*
 * Is a file of this owner one of the user's own, or of root? Under sudo the files of the user that
 * called it are his own, too.
 */
bool file_owner_is_own(uid_t owner);

/* --- Files ----------------------------------------------------------------------------------- */

/*
 * A file without a name, for bytes that do not fit into memory: in $TMPDIR, or else in /tmp. It
 * disappears when it is closed or the program ends. Returns a descriptor to read and write, or -1
 * with a sentence.
 */
int scratch_file_open(struct err *err);

/* One with a name there, *path, which stays. Returns a descriptor, or -1 with errno and NULL. */
int scratch_file_open_named(char **path);

/* Appends all of the bytes. Returns 0, or -1 with a sentence. */
int scratch_file_write(int fd, const void *bytes, size_t count, struct err *err);

/*
 * Opens a regular file that is not empty, to be read, and fills in its *status. The path may come
 * from an untrusted user: pipes, devices and files of procfs and sysfs are not even opened, as an
 * open may block or have effects. Returns a descriptor, which the caller closes, or -1.
 */
int regular_file_open(struct stat *status, const char *path);

/*
 * Removes all files in the open directory `fd`, and directories in it as long as these are not nested
 * too deeply, by descriptors alone: no symbolic link is followed and nothing beyond its file system is
 * touched, also if other processes add entries meanwhile. `kept` is a name at the top that stays;
 * NULL: none. Returns 0, or -1 where something else is left.
 */
int empty_directory(int fd, const char *kept);

/* --- Descriptors that this process has from its parent, or shares with its children ---------- */

/*
 * Keeps the places of standard input, output and error taken where the parent has closed them. To
 * be called before anything is opened: a file in the place of standard error would get all
 * messages. To read or write a closed one is still an error, and in a program that is started it is
 * closed.
 */
void descriptors_keep_standard(void);

/*
 * From now on this process has its descriptors alone, and those of children that were made by
 * clone(2) with CLONE_FILES are closed: a child that cannot end keeps no pipe or file open. Returns
 * 0, or -1 with errno: they may still be shared.
 */
int descriptors_unshare(void);

#endif
