/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recorder_private.h"

#include "base/alloc.h"
#include "base/monotonic.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* The time that a user waits without a question. */
enum { PATIENCE_NS = 200000000 };

static void *announcer_watch(void *context)
{
	struct announcer *announcer = context;
	uint64_t until_ns = monotonic_ns() + announcer->patience_ns;
	const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
				       .tv_nsec = (long)(until_ns % 1000000000)};
	int late = 0;

	pthread_mutex_lock(&announcer->mutex);
	while (!announcer->over && !late)
		late = pthread_cond_clockwait(&announcer->end, &announcer->mutex, CLOCK_MONOTONIC,
					      &until);
	if (!announcer->over)
		announcer->tell(announcer->context, announcer->step);
	pthread_mutex_unlock(&announcer->mutex);
	return NULL;
}

/* Starts the thread, with all signals blocked: they are for the thread that records. */
static bool announcer_start(struct announcer *announcer)
{
	sigset_t all, before;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&announcer->thread, NULL, announcer_watch, announcer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code == 0;
}

void announcer_step(struct announcer *announcer, const char *step)
{
	if (announcer->watches) {
		pthread_mutex_lock(&announcer->mutex);
		announcer->over = true;
		pthread_cond_signal(&announcer->end);
		pthread_mutex_unlock(&announcer->mutex);
		pthread_join(announcer->thread, NULL);
		announcer->watches = false;
	}
	free(announcer->step);
	announcer->step = NULL;
	if (!announcer->tell || !step)
		return;
	announcer->step = xstrdup(step);
	announcer->over = false;
	announcer->watches = announcer_start(announcer);
}

void announcer_init(struct announcer *announcer, void (*tell)(void *context, const char *sentence),
		    void *context)
{
	*announcer =
		(struct announcer){.tell = tell, .context = context, .patience_ns = PATIENCE_NS};
	pthread_mutex_init(&announcer->mutex, NULL);
	pthread_cond_init(&announcer->end, NULL);
}
