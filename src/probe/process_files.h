/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of the spool that a process has beside those of its threads; see spool.h. */
#ifndef PSCAL_PROBE_PROCESS_FILES_H
#define PSCAL_PROBE_PROCESS_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* What the process has mapped is copied to the spool; again whenever libraries may have come. */
void probe_process_maps(void);

/* It has begun to run a program. */
void probe_process_program(void);

/* No symbol names this block. */
void probe_process_name(uint64_t block, const char *name);

/* It is a place in the source. Of long names the beginning is kept, of long paths the end. */
void probe_process_site(uint64_t block, const char *function, const char *file, uint32_t line);

/* A sentence for the user on what cannot be done, about `what`; NULL: about nothing more. */
void probe_process_trouble(const char *sentence, const char *what);

/* Nothing is recorded in it, with a sentence that it has other ids. */
void probe_process_elsewhere(void);

/* A sentence that it confines itself; and that it has not, after all. */
void probe_process_confined(bool is_confined);

#endif
