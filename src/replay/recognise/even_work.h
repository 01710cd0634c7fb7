/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work that may have moved: threads that take theirs from where none of them ever has to wait leave
 * no trace of that. It shows where two or more of a process do more than half of what they do after
 * their last wait, and end within a twentieth of the wall time though some had more of the cores
 * than others.
 *
 * Where they are more than the cores, and those are more than one, it is presumed: threads with
 * work of their own end together only by chance, or where it is the same. With as many cores as
 * threads pipelines end together too, and with one core all that compute do.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_EVEN_WORK_H
#define PSCAL_REPLAY_RECOGNISE_EVEN_WORK_H

#include "replay/program/program.h"

/*
 * Has such threads all do the mean after their last wait, if there are more than `few`. Returns
 * whether there are.
 */
bool even_work_make(struct program *program, unsigned few);

/* The same, where it is presumed. */
bool even_work_presume(struct program *program);

/* Each does what it did. */
void even_work_undo(struct program *program);

#endif
