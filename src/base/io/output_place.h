/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The place that a path of an output leads to: a directory, kept open by its descriptor, and a name
 * in it. Work with these two stays in that directory, even if its path is changed meanwhile.
 *
 * Root is not led elsewhere by another user. It follows a symbolic link only if the link and the
 * directory that holds it belong to root, and no other user may put entries in that place: the
 * directory is not writable for others, or it is sticky and the link has no other name. A FIFO or a
 * device must stand in such a directory, too. All other users follow the links that the kernel lets
 * them follow.
 */
#ifndef PSCAL_BASE_IO_OUTPUT_PLACE_H
#define PSCAL_BASE_IO_OUTPUT_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

struct err;

struct output_place {
	const char *path;   /* as the user calls it; borrowed */
	int dir;	    /* O_PATH */
	char *name;	    /* without a slash, neither "." nor ".." */
	bool exists;	    /* something has the name: */
	struct stat status; /* ... this */
	bool is_open_file;  /* it is an entry of procfs that stands for an open file: /dev/stdout */
};

/* How a path is followed. */
struct output_path {
	mode_t directories; /* those that are missing are made with this mode; 0: they are not */
	bool keep_link;	    /* one in the last place is the place, and is not followed */
};

/* A directory at the path is refused. Returns 0, or -1 with a sentence; nothing to release then. */
int output_place_find(struct output_place *place, const char *path, const struct output_path *how,
		      struct err *err);
/* One that is all zeros holds nothing. */
void output_place_release(struct output_place *place);

/*
 * Opens the file that has the name. A link that is put there meanwhile is not followed, and a FIFO
 * or a device is not opened. Returns a descriptor that is closed on exec, or -1 with errno.
 */
int output_place_open(const struct output_place *place, int flags, mode_t mode);

/*
 * May the file that has the name be replaced, as far as that is known before? A mount point may
 * not, nor the file of another user in a sticky directory.
 */
bool output_place_may_replace(const struct output_place *place);

/* May the regular file that has the name be written as it is? Root must have made the place. */
bool output_place_may_write(const struct output_place *place);

/* The file that has the name becomes NAME.old. Returns 0, or -1 with a sentence. */
int output_place_keep_old(const struct output_place *place, struct err *err);

#endif
