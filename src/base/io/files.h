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

/* --- Owners: only these functions decide which files are trusted ---------------------------- */

/*
 * Returns whether this user is root. A user namespace may have its own root, with the number 0, and
 * show the real one as another user; the owner of "/" is root, too.
 */
bool file_owner_is_root(uid_t owner);

/*
 * Returns whether this owner is the user or root. Under sudo the user that called it counts, too.
 */
bool file_owner_is_own(uid_t owner);

/* --- Files ----------------------------------------------------------------------------------- */

/*
 * Opens a file without a name, for data that does not fit into memory, in $TMPDIR or else in /tmp.
 * It disappears when it is closed or the program ends. Returns a descriptor to read and write, or
 * -1 with an error.
 */
int scratch_file_open(struct err *err);

/* Makes a file *path there, which stays. Returns a descriptor, or -1 with errno and *path NULL. */
int scratch_file_open_named(char **path);

/* Appends all of the bytes. Returns 0, or -1 with an error. */
int scratch_file_write(int fd, const void *bytes, size_t count, struct err *err);

/*
 * Opens a regular file that is not empty for reading, and fills in *status. The path may come from
 * an untrusted user: pipes, devices and files of procfs and sysfs are not even opened, as an open
 * may block or have effects. Returns a descriptor, which the caller closes, or -1.
 */
int regular_file_open(struct stat *status, const char *path);

/*
 * Removes all files and directories in the open directory `fd`, unless they are nested too deeply,
 * by descriptors alone: it follows no symbolic link and touches no other file system, even if other
 * processes add entries meanwhile. `kept` is a name at the top that stays; NULL: none. Returns 0,
 * or -1 if anything else is left.
 */
int empty_directory(int fd, const char *kept);

/*
 * --- Descriptors inherited from the parent or shared with children -----------------------------
 */

/*
 * Occupies the descriptors of standard input, output and error if the parent has closed them: a
 * file opened as number 2 would get all messages. The caller calls it before it opens anything.
 * Reading or writing a closed one is still an error, and a started program gets it closed.
 */
void descriptors_keep_standard(void);

/*
 * Gives this process a table of descriptors of its own, and closes those of children that were made
 * by clone(2) with CLONE_FILES: a child that cannot end keeps no pipe or file open. Returns 0, or
 * -1 with errno: the table may still be shared.
 */
int descriptors_unshare(void);

#endif
