/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The notes of a process for its recorder (spool.h), beside the events of its threads. They lie in
 * memory that is handed over once, so a process can take them that may do nothing any more,
 * and they are there also after its end.
 */
#ifndef PSCAL_PROBE_PROCESS_NOTES_H
#define PSCAL_PROBE_PROCESS_NOTES_H

#include <stdbool.h>
#include <stdint.h>

/* The process has begun to run a program. Returns 0, or -1: it has no recorder. */
int probe_process_program(void);

/* Notes the code that the process has mapped; again whenever libraries may have come. */
void probe_process_maps(void);

/* No symbol names this block. */
void probe_process_name(uint64_t block, const char *name);

/* It is a place in the source. Of long names the beginning is kept, of long paths the end. */
void probe_process_site(uint64_t block, const char *function, const char *file, uint32_t line);

/* A sentence for the user on what cannot be done, about `what`; NULL: about nothing more. */
void probe_process_trouble(const char *sentence, const char *what);

/* Nothing is recorded in it, with a sentence that it has other ids. */
void probe_process_elsewhere(void);

/* That it confines itself; and that it has not, after all. */
void probe_process_confined(bool is_confined);

#endif
