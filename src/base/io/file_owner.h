/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which files are trusted: the user's own and those of root. The one place that decides. */
#ifndef PSCAL_BASE_IO_FILE_OWNER_H
#define PSCAL_BASE_IO_FILE_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

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

#endif
