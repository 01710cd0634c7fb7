/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both ends of a spool (probe/spool.h) without a probe library and without a recording. */
#ifndef PSCAL_TESTS_PROBE_SPOOL_ENDS_H
#define PSCAL_TESTS_PROBE_SPOOL_ENDS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/blocks/spool_listener.h"

/* The recorder's end: listens, with a plan that has only `header`. */
void spool_ends_listen(struct spool_listener *listener, const struct plan_header *header);

/* Takes the next offer of this kind; drops offers before it. fd is -1 if there is none. */
struct spool_arrival spool_ends_take(struct spool_listener *listener, unsigned kind);

/* Reads a file of notes as lines of text, which ends in a NUL. Returns its length. */
size_t spool_ends_notes(char *text, size_t size, int fd);

/* The process's end: a sealed memory file, mapped as a whole; *fd is its descriptor. */
void *spool_ends_make(int *fd, size_t bytes);

/* A connection without an offer. */
int spool_ends_connect(const char *path);

/* Offers `fd` from this process and closes it; -1: no file. Fills in magic and version. */
void spool_ends_offer(const char *path, struct spool_offer offer, int fd);

/* Sends any bytes as an offer. */
void spool_ends_send(const char *path, const void *bytes, size_t length, int fd);

#endif
