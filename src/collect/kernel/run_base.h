/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The directory in which each recorder of a user makes its own (run_directory.h). Nobody but that
 * user and root can make, rename or remove names in it, nor put another directory into its place.
 */
#ifndef PSCAL_COLLECT_KERNEL_RUN_BASE_H
#define PSCAL_COLLECT_KERNEL_RUN_BASE_H

#include <stdbool.h>
#include <stddef.h>

struct err;

/*
 * Where it may be, best first: for root /run/pscal, for other users $XDG_RUNTIME_DIR/pscal where
 * that is the user's; $TMPDIR/pscal-UID; /tmp/pscal-UID. Returns how many; the caller frees each.
 */
enum { RUN_BASES_MAX = 3 };
size_t run_base_places(char *places[RUN_BASES_MAX]);

/*
 * Opens the one at `place`, an absolute path, and makes it first where that is asked for and it is
 * not there. An existing one must be a directory of this user that only its owner can write
 * into, below directories of root or of this user that other users cannot write into, but for sticky
 * ones. Returns a descriptor to read it, and its path without symbolic links, which the caller
 * frees; or -1 with a sentence.
 */
int run_base_open(char **path, const char *place, bool make, struct err *err);

#endif
