/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions compiled with -finstrument-functions. Compilers call the two in pairs, gcc also if an
 * exception ends the function. If clang does not, and after a longjmp, calls have no end until one
 * around them ends.
 */
#ifndef PSCAL_PROBE_INSTRUMENTED_H
#define PSCAL_PROBE_INSTRUMENTED_H

struct probe_thread;

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

/* Releases the calls of a thread that has ended. */
void instrumented_release(struct probe_thread *self);

#endif
