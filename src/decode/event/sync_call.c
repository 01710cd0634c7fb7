/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/sync_call.h"

#include <string.h>

static const char *const names[SYNC_CALLS] = {
	[SYNC_NONE] = "none",
	[SYNC_FUTEX_WAIT] = "futex_wait",
	[SYNC_FUTEX_WAKE] = "futex_wake",
	[SYNC_FUTEX_MOVE] = "futex_move",
	[SYNC_FUTEX_LOCK] = "futex_lock",
	[SYNC_FUTEX_UNLOCK] = "futex_unlock",
	[SYNC_SLEEP] = "sleep",
	[SYNC_YIELD] = "yield",
	[SYNC_MUTEX_LOCK] = "mutex_lock",
	[SYNC_MUTEX_TRYLOCK] = "mutex_trylock",
	[SYNC_MUTEX_UNLOCK] = "mutex_unlock",
	[SYNC_READ_LOCK] = "read_lock",
	[SYNC_WRITE_LOCK] = "write_lock",
	[SYNC_RW_UNLOCK] = "rw_unlock",
	[SYNC_COND_WAIT] = "cond_wait",
	[SYNC_COND_SIGNAL] = "cond_signal",
	[SYNC_COND_BROADCAST] = "cond_broadcast",
	[SYNC_BARRIER_INIT] = "barrier_init",
	[SYNC_BARRIER_WAIT] = "barrier_wait",
	[SYNC_SEM_INIT] = "sem_init",
	[SYNC_SEM_WAIT] = "sem_wait",
	[SYNC_SEM_POST] = "sem_post",
};

const char *sync_call_name(enum sync_call call)
{
	return names[call];
}

enum sync_call sync_call_of_name(const char *name)
{
	for (int call = SYNC_NONE + 1; call < SYNC_CALLS; call++)
		if (strcmp(names[call], name) == 0)
			return (enum sync_call)call;
	return SYNC_NONE;
}
