/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that confine themselves to some system calls (seccomp) may be killed for any other. So
 * this library makes none from the moment when its process begins to be confined: it replaces
 * prctl() and syscall(), with which programs request that. Nothing is recorded any more then, as
 * threads cannot get memory for it; lost events are counted. The same applies to children, and
 * programs that they start are not watched.
 */
#ifndef PSCAL_PROBE_CONFINEMENT_H
#define PSCAL_PROBE_CONFINEMENT_H

#include <stdbool.h>

/* Announces system calls, until confinement_free(). False: they are not allowed. */
bool confinement_hold(void);
void confinement_free(void);

/* For syscall.S: syscall(), with a `number` that may confine the process. */
long confinement_syscall(long number, long a, long b, long c, long d, long e, long f);

/* For syscall.S: sets errno and returns -1, as the C library does. */
long confinement_failed(long result);

#endif
