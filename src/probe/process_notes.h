/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The notes of a process for its recorder (spool.h), beside the events of its threads. They are in
 * memory that is handed over once, so that a process can write them when it may do nothing else,
 * and they remain after its end.
 */
#ifndef PSCAL_PROBE_PROCESS_NOTES_H
#define PSCAL_PROBE_PROCESS_NOTES_H

#include <stdbool.h>
#include <stdint.h>

/* Notes that the process has begun to run a program. Returns 0, or -1: it has no recorder. */
int probe_process_program(void);

/* Notes the mapped code of the process; the caller repeats it when libraries may have come. */
void probe_process_maps(void);

/* Notes the name of a block that no symbol names. */
void probe_process_name(uint64_t block, const char *name);

/* Notes a place in the source. Long names keep their beginning, long paths their end. */
void probe_process_site(uint64_t block, const char *function, const char *file, uint32_t line);

/* Notes a sentence for the user on a failure about `what`; NULL: about nothing in particular. */
void probe_process_trouble(const char *sentence, const char *what);

/* Notes that nothing is recorded in the process, as it has other ids. */
void probe_process_elsewhere(void);

/* Notes that the process confines itself; or that it has not done so after all. */
void probe_process_confined(bool is_confined);

#endif
