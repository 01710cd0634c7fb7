/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The test's own program without symbols and lines, below a directory of its own, and a separate
 * file that has them. Made with objcopy, which compilers need as well.
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
 * `at` is where the separate file is below the directory; NULL: where its build id leads to. Only
 * without `at` the two have one. .gnu_debuglink says program.debug. The caller removes it.
 */
void stripped_make(struct stripped *stripped, const char *at);
void stripped_remove(struct stripped *stripped);

#endif
