/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the libraries are that go into commands: libpscal-probe.so, and libpscal-omp.so beside it.
 */
#ifndef PSCAL_COLLECT_BLOCKS_PROBE_LIBRARY_PATH_H
#define PSCAL_COLLECT_BLOCKS_PROBE_LIBRARY_PATH_H

struct err;

/* Beside the program, as where it is built, or installed with it; to be freed. NULL with a
 * sentence. */
char *probe_library_path(struct err *err);
char *omp_library_path(struct err *err);

/*
 * Has the program that this process becomes load the library, with what it would load anyhow, and
 * all that it starts: in its environment.
 */
void probe_library_preload(const char *library);
/* ... and this one as well, to be called behind that. */
void omp_library_preload(const char *library);

#endif
