/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The words in memory at which threads wait for one another, where the system calls on them are
 * recorded: a wait in a call on a word, which a thread ended in a call on the same word, is one at
 * that word, whichever two threads that were. It stays as recorded: the word is that of a lock, of
 * a queue or of anything else, and the calls do not tell of those who did not have to wait.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_RECOGNISE_FUTEX_H
#define PSCAL_REPLAY_RECOGNISE_RECOGNISE_FUTEX_H

struct recognition;

/* The waits that have no site yet get one, a SITE_FUTEX where nothing else is known of it. */
void recognise_futex(struct recognition *recognition);

#endif
