/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removes what is in a directory, by descriptors alone: no symbolic link is followed and nothing
 * beyond its file system is touched, also if other processes add entries meanwhile.
 */
#ifndef PSCAL_BASE_IO_EMPTY_DIRECTORY_H
#define PSCAL_BASE_IO_EMPTY_DIRECTORY_H

/*
 * All files in the open directory `fd`, and directories in it as long as these are not nested too
 * deeply. `kept` is a name at the top that stays; NULL: none. Returns 0, or -1 where something else
 * is left.
 */
int empty_directory(int fd, const char *kept);

#endif
