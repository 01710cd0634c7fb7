/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory for small structs, which other threads may give back than those that have taken them. It
 * is never used for anything else; what a thread has left as it ends, others get.
 */
#ifndef PSCAL_OMP_OMP_POOL_H
#define PSCAL_OMP_OMP_POOL_H

enum { OMP_POOL_BYTES = 128 };

/* So many bytes. Ends the program where there is no memory, as runtime libraries do. */
void *omp_pool_take(void);

/* NULL: nothing. */
void omp_pool_give(void *node);

#endif
