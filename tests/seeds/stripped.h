/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The test's own program without symbols and lines, below a directory of its own, and a separate
 * file that has them. Needs objcopy, which is installed with a compiler.
 */
#ifndef PSCAL_TESTS_SEEDS_STRIPPED_H
#define PSCAL_TESTS_SEEDS_STRIPPED_H

#include <stdbool.h>

struct stripped {
	char root[64];
	char *program; /* ROOT/bin/program */
	char *debug;   /* the separate file */
};

/*
 * `at` is the place of the separate file below the directory; NULL: that of its build id. Only
 * without `at` both have a build id. .gnu_debuglink names program.debug. The caller removes it.
 */
void stripped_make(struct stripped *stripped, const char *at);
void stripped_remove(struct stripped *stripped);

#endif
