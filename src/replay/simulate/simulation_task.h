/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread while its program is simulated. */
#ifndef PSCAL_REPLAY_SIMULATE_SIMULATION_TASK_H
#define PSCAL_REPLAY_SIMULATE_SIMULATION_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/program/program.h"

enum task_state {
	TASK_NEW,     /* it has not begun */
	TASK_QUEUED,  /* waits for a core */
	TASK_RUNNING, /* has one */
	TASK_PAUSED,  /* waits for a time */
	TASK_WAITING, /* for others */
	TASK_ENDED,
};

struct task {
	const struct step *step, *end; /* that it is at; behind its last */
	const struct step *polled;     /* behind the polls that it is at; NULL: not known */
	double left_ns;		       /* CPU time, on a core of speed 1, before the operation */
	double runtime;	  /* what it has had of the cores; while it runs, less the clock of these */
	double since_ns;  /* it waits */
	uint32_t core;	  /* it runs on, or has run on last */
	uint32_t next;	  /* in the same list of waiting threads */
	uint32_t joiners; /* the first of those that wait for its end */
	uint32_t shares;  /* locks that it holds with others */
	uint8_t state;	  /* enum task_state */
	bool decided;	  /* that it has to wait here was said before */
};

#endif
