/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions that were compiled with -finstrument-functions. Compilers call the two in pairs, gcc
 * also where an exception ends the function; where clang does not, or after a longjmp, calls are
 * left without an end, until one around them ends.
 */
#ifndef PSCAL_PROBE_INSTRUMENTED_H
#define PSCAL_PROBE_INSTRUMENTED_H

struct probe_thread;

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

/* The thread has ended. */
void instrumented_release(struct probe_thread *self);

#endif
