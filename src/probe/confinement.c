/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/confinement.h"

#include "probe/probe_thread.h"
#include "probe/process_notes.h"
#include "probe/raw_call.h"
#include "probe/spool.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <unistd.h>

#define HIDDEN "pscal_spool"

_Static_assert(sizeof(HIDDEN) == sizeof(SPOOL_ENVIRONMENT), "in its place");

#define EXPORTED __attribute__((visibility("default")))

/* No process has this id: threads then find that they are not watched. */
#define NO_PROCESS (UINT32_MAX - 1)

/* The tries to wait for a thread that may have been stopped while it holds. */
enum { PATIENCE = 100000 };

/* Children have it too, whatever happens to probe_process in them. */
static bool confined;

/* --- Threads that make system calls -------------------------------------------------------- */

bool confinement_hold(void)
{
	__atomic_fetch_add(&probe_process->holders, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&confined, __ATOMIC_SEQ_CST))
		return true;
	confinement_free();
	return false;
}

void confinement_free(void)
{
	__atomic_fetch_sub(&probe_process->holders, 1, __ATOMIC_SEQ_CST);
}

static void wait_for_holders(void)
{
	for (int i = 0; i < PATIENCE; i++) {
		if (!__atomic_load_n(&probe_process->holders, __ATOMIC_SEQ_CST))
			return;
		raw_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
}

/* --- Beginning ----------------------------------------------------------------------------- */

/* Renames the variable, so that new programs do not find the spool. Names have one length. */
static void rename_variable(const char *from, const char *to)
{
	for (char **variable = environ; variable && *variable; variable++) {
		char *text = *variable;
		size_t at = 0;

		while (from[at] && text[at] == from[at])
			at++;
		for (size_t i = 0; !from[at] && text[at] == '=' && i < at; i++)
			text[i] = to[i];
	}
}

/*
 * Returns whether this is a child of vfork, which has the memory of its parent, for which nothing
 * changes, and soon becomes another program. A child of fork has `id` 0 until it is recorded.
 */
static bool is_child_of_vfork(uint32_t id)
{
	return id && id != (uint32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static long call(long number, long a, long b, long c, long d, long e, long f)
{
	uint32_t id = __atomic_load_n(&probe_process->id, __ATOMIC_RELAXED);
	long result;

	if (!probe_settings.on || confined || is_child_of_vfork(id))
		return raw_call(number, a, b, c, d, e, f);
	probe_process_confined(true);
	__atomic_store_n(&confined, true, __ATOMIC_SEQ_CST);
	wait_for_holders();
	__atomic_store_n(&probe_process->id, NO_PROCESS, __ATOMIC_RELAXED);
	rename_variable(SPOOL_ENVIRONMENT, HIDDEN);
	result = raw_call(number, a, b, c, d, e, f);
	if (!raw_call_failed(result))
		return result;
	rename_variable(HIDDEN, SPOOL_ENVIRONMENT);
	__atomic_store_n(&probe_process->id, id, __ATOMIC_RELAXED);
	__atomic_store_n(&confined, false, __ATOMIC_SEQ_CST);
	probe_process_confined(false);
	return result;
}

/* --- Replaced functions --------------------------------------------------------------------- */

long confinement_failed(long result)
{
	errno = (int)-result;
	return -1;
}

/* Returns whether a call confines the process. Without a filter it only asks whether it could. */
static bool confines(long number, long a, long b, long c)
{
	if (number == SYS_prctl)
		return a == PR_SET_SECCOMP && (b == SECCOMP_MODE_STRICT || c);
	return number == SYS_seccomp &&
	       (a == SECCOMP_SET_MODE_STRICT || (a == SECCOMP_SET_MODE_FILTER && c));
}

long confinement_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long result = confines(number, a, b, c) ? call(number, a, b, c, d, e, f)
						: raw_call(number, a, b, c, d, e, f);

	return raw_call_failed(result) ? confinement_failed(result) : result;
}

EXPORTED int prctl(int option, ...)
{
	unsigned long words[4];
	va_list list;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		words[i] = va_arg(list, unsigned long);
	va_end(list);
	return (int)confinement_syscall(SYS_prctl, option, (long)words[0], (long)words[1],
					(long)words[2], (long)words[3], 0);
}
