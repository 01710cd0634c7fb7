/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose files are to be trusted: the user's own and those of root. */
#ifndef PSCAL_BASE_FILE_OWNER_H
#define PSCAL_BASE_FILE_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Is a file of this owner one of the user's own, or of root? Under sudo the files of the user that
 * called it are his own, too.
 */
bool file_owner_is_own(uid_t owner);

#endif
