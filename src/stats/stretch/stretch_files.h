/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a run was sampled in, and whether another run had the same ones. */
#ifndef PSCAL_STATS_STRETCH_STRETCH_FILES_H
#define PSCAL_STATS_STRETCH_STRETCH_FILES_H

#include <stddef.h>

struct symbol_finder;

struct stretch_files {
	struct stretch_file *items; /* sorted by path */
	size_t count;
};

/* Those that `finder` has been asked for. */
void stretch_files_init(struct stretch_files *files, const struct symbol_finder *finder);
void stretch_files_release(struct stretch_files *files);

/*
 * How many files of both have other build ids, or, where these are not known of both, other inodes:
 * they have been built again, or replaced, in between. *path: one of them, a program rather than a
 * library; borrowed from `one`.
 */
size_t stretch_files_changed(const char **path, const struct stretch_files *one,
			     const struct stretch_files *other);

#endif
