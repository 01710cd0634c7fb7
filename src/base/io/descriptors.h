/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The descriptors that this process has from its parent, or shares with its children. */
#ifndef PSCAL_BASE_IO_DESCRIPTORS_H
#define PSCAL_BASE_IO_DESCRIPTORS_H

/*
 * Keeps the places of standard input, output and error taken where the parent has closed them. To
 * be called before anything is opened: a file in the place of standard error would get all
 * messages. To read or write a closed one is still an error, and in a program that is started it is
 * closed.
 */
void descriptors_keep_standard(void);

/*
 * From now on this process has its descriptors alone, and those of children that were made by
 * clone(2) with CLONE_FILES are closed: a child that cannot end keeps no pipe or file open. Returns
 * 0, or -1 with errno: they may still be shared.
 */
int descriptors_unshare(void);

#endif
