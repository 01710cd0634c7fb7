/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the spool of a recording is to be. */
#ifndef PSCAL_COLLECT_SPOOL_PLACE_H
#define PSCAL_COLLECT_SPOOL_PLACE_H

/*
 * What the path of the spool for the recording at `path` begins with, to be freed: the recording's
 * own path where that is a file (or will be one) that also a process of another user can reach, as
 * what root starts may become somebody else; otherwise "pscal" in TMPDIR or /tmp. What is no file,
 * say /dev/null, has no place beside it.
 */
char *spool_place(const char *path);

#endif
