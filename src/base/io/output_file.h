/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only way to write a file for the user. It is a draft, without a name where the file system
 * has such files, until it is published, which gives it its name in one step: a failure leaves the
 * older file as it was, and a link that another user has put there is replaced, and never written
 * through. A file that can be written and not replaced, as it is a mount point or its directory is
 * not writable, is written when the draft is complete. A device or a FIFO is written to as it is.
 *
 *	if (output_file_open(&file, path, &kind, err))
 *		return -1;
 *	rc = output_file_write(&file, bytes, size, &written, err);
 *	if (!rc)
 *		rc = output_file_publish(&file, OUTPUT_REPLACES, err);
 *	return output_file_close(&file, rc ? &ignored : err) ? -1 : rc;
 */
#ifndef PSCAL_BASE_IO_OUTPUT_FILE_H
#define PSCAL_BASE_IO_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct err;

/* --- Places ---------------------------------------------------------------------------------- */

/*
 * The place of an output path: a directory, kept open by its descriptor, and a name in it. Later
 * operations stay in that directory, even if its path changes.
 *
 * No other user can lead root elsewhere. Root follows a symbolic link only if the link and the
 * directory that holds it belong to root, and no other user may put entries in that place: the
 * directory is not writable for other users, or it is sticky and the link has no other name. A FIFO
 * or a device must stand in such a directory, too. All other users follow the links that the kernel
 * lets them follow.
 */
struct output_place {
	const char *path;   /* as the user calls it; borrowed */
	int dir;	    /* O_PATH */
	char *name;	    /* without a slash, neither "." nor ".." */
	bool exists;	    /* something has the name: */
	struct stat status; /* ... this */
	bool is_open_file;  /* it is an entry of procfs that stands for an open file: /dev/stdout */
};

/* Ways to follow a path. */
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
 * The file that has the name becomes NAME.old; what that was becomes NAME.old.2, and that NAME.old.3.
 * Returns 0, or -1 with a sentence.
 */
int output_place_keep_old(const struct output_place *place, struct err *err);

/* --- Files ----------------------------------------------------------------------------------- */

enum { OUTPUT_BEGINNING = 4096 };

struct output_kind {
	mode_t mode;	    /* of a new file, less the umask */
	mode_t directories; /* those that are missing are made with this mode; 0: they are not */
	/* One of our own, or of root, that is replaced passes on its group and mode; one that may
	   not be written is not replaced; one that cannot be replaced is written. */
	bool keeps_mode;
	bool seeks;	   /* a pipe, or any other file without a position, is refused */
	bool only_regular; /* anything else is refused, and no link followed */
	/* A file that begins so, with at most OUTPUT_BEGINNING bytes, is not replaced; or NULL. */
	bool (*keeps)(const char *bytes, size_t size);
};

struct output_file {
	struct output_place place;
	int fd;	       /* to read and write; of a device or a FIFO, to write */
	bool is_draft; /* it has not been published */
	char *draft;   /* the name that it has meanwhile; NULL: none */
	bool is_copied;
	int target; /* of a draft that is copied: the file itself, to write */
};

/* Returns 0, or -1 with a sentence. `path` is borrowed until the file is closed. */
int output_file_open(struct output_file *file, const char *path, const struct output_kind *kind,
		     struct err *err);

/* Why it cannot be written, by errno. Returns -1 with a sentence. */
int output_file_refuse(const char *path, struct err *err);

/* All of the bytes; *written counts them. Returns 0, or -1 with a sentence. */
int output_file_write(const struct output_file *file, const void *bytes, size_t size,
		      size_t *written, struct err *err);

/* Ways to get its name where a file has that name. */
enum output_publish {
	OUTPUT_REPLACES,
	OUTPUT_KEEPS_OLD, /* it becomes PATH.old */
	OUTPUT_IS_NEW,	  /* there must be none */
};

/*
 * Gives it its name, if it is a draft; more may be written to file->fd. Returns 0, or -1 with a
 * sentence, which says where a draft has been left that could only not be given its name; one with
 * OUTPUT_KEEPS_OLD is not left.
 */
int output_file_publish(struct output_file *file, enum output_publish how, struct err *err);

/*
 * One that was not published is gone; one that is all zeros is closed. Returns 0, or -1 with a
 * sentence.
 */
int output_file_close(struct output_file *file, struct err *err);

#endif
