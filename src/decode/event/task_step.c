/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/task_step.h"

#include <stddef.h>

const char *task_step_name(unsigned step)
{
	static const char *const names[TASK_STEPS] = {
		[TASK_BEGIN] = "begin",	    [TASK_END] = "end",		[TASK_SPAWN] = "spawn",
		[TASK_SPAWNED] = "spawned", [TASK_SYNC_OF] = "sync_of", [TASK_SYNC] = "sync",
		[TASK_SYNCED] = "synced",   [TASK_PAUSE] = "pause",	[TASK_RESUME] = "resume",
		[TASK_BARRIER] = "barrier",
	};

	return step < TASK_STEPS ? names[step] : NULL;
}
