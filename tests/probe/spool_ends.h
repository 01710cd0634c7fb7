/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both ends of a spool (probe/spool.h) without a probe library and without a recording. */
#ifndef PSCAL_TESTS_PROBE_SPOOL_ENDS_H
#define PSCAL_TESTS_PROBE_SPOOL_ENDS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/blocks/spool_listener.h"

/* The recorder's: listens, with a plan that has `header` and nothing else. */
void spool_ends_listen(struct spool_listener *listener, const struct plan_header *header);

/* The next offer of this kind; what comes before it is dropped. fd -1: there is none. */
struct spool_arrival spool_ends_take(struct spool_listener *listener, unsigned kind);

/* The notes in a file of them, as lines of text; ends in a NUL. Returns its length. */
size_t spool_ends_notes(char *text, size_t size, int fd);

/* The process's: a memory file that is sealed, mapped as a whole; *fd is its descriptor. */
void *spool_ends_make(int *fd, size_t bytes);

/* A connection without an offer. */
int spool_ends_connect(const char *path);

/* Offers it from this process and closes it; `fd` -1: without one. Magic and version are filled in. */
void spool_ends_offer(const char *path, struct spool_offer offer, int fd);

/* The same with any bytes as the offer. */
void spool_ends_send(const char *path, const void *bytes, size_t length, int fd);

#endif
