/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors that this process shares with children made by clone(2) with CLONE_FILES. */
#ifndef PSCAL_BASE_IO_OWN_DESCRIPTORS_H
#define PSCAL_BASE_IO_OWN_DESCRIPTORS_H

/*
 * From now on this process has its descriptors alone, and those of the children are closed: a child
 * that cannot end keeps no pipe or file open. Returns 0, or -1 with errno: they may still be
 * shared.
 */
int own_descriptors_take(void);

#endif
