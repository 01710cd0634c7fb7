/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory with instructions, which is never both writable and executable if that can be. */
#ifndef PSCAL_PROBE_CODE_MEMORY_H
#define PSCAL_PROBE_CODE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Maps zeros for `bytes` from where a jump of 32 bits leads to anywhere in `begin` .. `end`, to be
 * written now, and for code_memory_seal() to be run. NULL: there is no room, or the system does not
 * let what has been written be run.
 */
void *code_memory_map(uint64_t begin, uint64_t end, size_t bytes);

/* It can be run from now on, and no more be written. False: not even that. */
bool code_memory_seal(void *at, size_t bytes);

/* For many writes to instructions of the process. */
struct code_writer {
	int fd;		     /* of /proc/self/mem, which writes to what is not writable; -1: none */
	uint64_t begin, end; /* instructions that are writable meanwhile */
};

/* Instructions in `begin` .. `end` are to be written. False: the system does not allow it. */
bool code_writer_open(struct code_writer *writer, uint64_t begin, uint64_t end);
bool code_writer_write(struct code_writer *writer, uint64_t at, const void *bytes, size_t length);
void code_writer_close(struct code_writer *writer);

#endif
