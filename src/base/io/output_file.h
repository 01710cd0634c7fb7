/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only way to write a file for the user. The file is a draft until it is published, which gives
 * it its name in one step; if the file system supports it, the draft has no name. A failure leaves
 * the older file as it was. A link that another user has put there is replaced, and never written
 * through. A file that can be written and not replaced, as a mount point or in a directory that is
 * not writable, is written when the draft is complete. A device or a FIFO is written directly.
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
	const char *path;   /* as given; borrowed */
	int dir;	    /* O_PATH */
	char *name;	    /* without a slash, neither "." nor ".." */
	bool exists;	    /* a file has the name: */
	struct stat status; /* ... with this status */
	bool is_open_file;  /* an entry of procfs for an open file: /dev/stdout */
};

/* Ways to follow a path. */
struct output_path {
	mode_t directories; /* the mode of missing directories, which are made; 0: they are not */
	bool keep_link;	    /* a link at the end is not followed */
};

/*
 * Finds the place of a path. A directory is an error. Returns 0, or -1 with an error and no place.
 */
int output_place_find(struct output_place *place, const char *path, const struct output_path *how,
		      struct err *err);
/* Releases a place; one that is all zero has nothing to release. */
void output_place_release(struct output_place *place);

/*
 * Opens the file of the place. A link that is put there meanwhile is not followed, and a new FIFO
 * or device is not opened. Returns a descriptor that is closed on exec, or -1 with errno.
 */
int output_place_open(const struct output_place *place, int flags, mode_t mode);

/*
 * Renames the file of the place to NAME.old, and before it NAME.old to NAME.old.2, and NAME.old.2
 * to NAME.old.3. Returns 0, or -1 with an error.
 */
int output_place_keep_old(const struct output_place *place, struct err *err);

/* --- Files ----------------------------------------------------------------------------------- */

enum { OUTPUT_BEGINNING = 4096 };

struct output_kind {
	mode_t mode;	    /* of a new file, less the umask */
	mode_t directories; /* the mode of missing directories, which are made; 0: they are not */
	/*
	 * An existing file of the user or of root passes on its group and mode. A file that may not
	 * be written is not replaced; one that cannot be replaced is written.
	 */
	bool keeps_mode;
	bool seeks;	   /* a file without a position, such as a pipe, is refused */
	bool only_regular; /* any other kind is refused, and no link followed */
	/* Returns true for the first bytes of a file that must not be replaced; NULL: all are. */
	bool (*keeps)(const char *bytes, size_t size);
};

struct output_file {
	struct output_place place;
	int fd;	       /* to read and write; of a device or a FIFO, only to write */
	bool is_draft; /* not published yet */
	char *draft;   /* the present name of the draft; NULL: none */
	bool is_copied;
	int target; /* the file that a copied draft is written to at the end */
};

/* Opens a draft. Returns 0, or -1 with an error. `path` is borrowed until the file is closed. */
int output_file_open(struct output_file *file, const char *path, const struct output_kind *kind,
		     struct err *err);

/* Writes the reason, errno, why a file cannot be written. Returns -1 with an error. */
int output_file_refuse(const char *path, struct err *err);

/* Writes all of the bytes; *written is the number written. Returns 0, or -1 with an error. */
int output_file_write(const struct output_file *file, const void *bytes, size_t size,
		      size_t *written, struct err *err);

/* Ways to publish a draft where a file has its name. */
enum output_publish {
	OUTPUT_REPLACES,
	OUTPUT_KEEPS_OLD, /* the file becomes PATH.old */
	OUTPUT_IS_NEW,	  /* no file may have the name */
};

/*
 * Gives a draft its name; more may be written to file->fd afterwards. Returns 0, or -1 with an
 * error. If only the name failed, the draft is kept and the error says where, except with
 * OUTPUT_KEEPS_OLD.
 */
int output_file_publish(struct output_file *file, enum output_publish how, struct err *err);

/*
 * Closes the file; a draft that was not published is removed. A file that is all zero is closed.
 * Returns 0, or -1 with an error.
 */
int output_file_close(struct output_file *file, struct err *err);

#endif
