/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The directory that a spool is in (probe/spool.h): PREFIX.spool-XXXXXX, and in that one whose name
 * is secret where others than its owner may write into it. The outer one is locked as long as
 * its recorder lives, so that what a killed one has left is told from what another one needs.
 */
#ifndef PSCAL_COLLECT_SPOOL_DIRECTORY_H
#define PSCAL_COLLECT_SPOOL_DIRECTORY_H

struct err;

struct spool_directory {
	char *path;	      /* without symbolic links, as the command may change its own */
	char *outer;	      /* the one that it is in */
	int lock, outer_lock; /* descriptors */
};

/*
 * Makes one with this prefix, and removes those with the same that recorders have left which were
 * killed; who still writes into one does so in memory that it has already. Returns 0, or -1 with a
 * sentence: then there is nothing to remove.
 */
int spool_directory_make(struct spool_directory *directory, const char *prefix, struct err *err);

/* With all files in it. Those of threads should have been let go (spool_reader.h). */
void spool_directory_remove(struct spool_directory *directory);

#endif
