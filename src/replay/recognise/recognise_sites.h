/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sites and names for waits that are at no object, so that it can be said where time goes: a site
 * for each two threads that wait for one another, or where those are very many, for each two names
 * of threads; and one for each kind of pause.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_RECOGNISE_SITES_H
#define PSCAL_REPLAY_RECOGNISE_RECOGNISE_SITES_H

struct recognition;

void recognise_sites(struct recognition *recognition);

#endif
