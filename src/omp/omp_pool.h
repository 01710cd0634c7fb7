/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory for small structs, which other threads may free than those that allocated them. It is
 * never used for anything else; nodes of a thread that ends go to others.
 */
#ifndef PSCAL_OMP_OMP_POOL_H
#define PSCAL_OMP_OMP_POOL_H

enum { OMP_POOL_BYTES = 128 };

/* Returns that many bytes. Ends the program if there is no memory, as runtime libraries do. */
void *omp_pool_take(void);

/* Frees a node; NULL: nothing. */
void omp_pool_give(void *node);

#endif
