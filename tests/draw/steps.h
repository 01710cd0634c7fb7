/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs for tests, as text. A line is a thread. The first thread begins at once, another one
 * when it is forked, or after "@TIME":
 *
 *	main: fork(a) fork(b) 2ms join(a) join(b)
 *	a: 5ms lock(m) 1ms unlock(m) barrier(x:2)
 *	b: 3ms lock(m) 1ms unlock(m) barrier(x:2) sleep(2ms)
 *	c@4ms: 1us wake(a,1) block(2)
 *
 * Times are in ns, us, ms or s and are CPU time, except in sleep, due, poll, device, external,
 * unknown and loop. Other words are those of enum step_op: fork(THREAD) join(THREAD)
 * wake(THREAD,EDGE) block(EDGE) block() (for ever) lock(SITE) lock_shared(SITE) unlock(SITE)
 * take(SITE) give(SITE) give(SITE,N) barrier(SITE:PARTIES) yield() call(SITE,N) return(SITE,N), and
 * for calls also the names of enum sync_call: mutex_lock(SITE:ORDER). Each thread ends with an exit
 * of its own, or with exit(TIME). Sites are named in the order of their first use; an object may
 * begin with tokens: take(SITE:TOKENS). The site of a wait without an object follows it:
 * sleep(2ms@SITE) block(EDGE@SITE) join(THREAD@SITE). A thread has the tid 1, 2, 3, ... and the
 * name of its line.
 */
#ifndef PSCAL_TESTS_DRAW_STEPS_H
#define PSCAL_TESTS_DRAW_STEPS_H

#include "replay/program/program.h"

/* Fails the test at a text that it does not understand. The caller releases *program. */
void steps_read(struct program *program, const char *text);

/*
 * The text of a program, in one canonical form, to compare programs. Times are in ns, and an edge
 * has its number. The caller frees it.
 */
char *steps_text(const struct program *program);

#endif
