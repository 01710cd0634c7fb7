/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that confine themselves to some system calls (seccomp) may be killed for any other. So
 * this library makes none from the moment on in which its process begins to be confined: it takes
 * the place of prctl() and syscall(), by which programs ask for that. Nothing is recorded any more
 * then, as threads could not be given memory for it; what is lost is counted. It is the same for
 * children, and those that they start are not watched.
 */
#ifndef PSCAL_PROBE_CONFINEMENT_H
#define PSCAL_PROBE_CONFINEMENT_H

#include <stdbool.h>

/* System calls are about to be made, until confinement_free(). False: none may be. */
bool confinement_hold(void);
void confinement_free(void);

/* For syscall.S: syscall(), where `number` may be one that confines. */
long confinement_syscall(long number, long a, long b, long c, long d, long e, long f);

/* For syscall.S: -errno as the C library has it. */
long confinement_failed(long result);

#endif
