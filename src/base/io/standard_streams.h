/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Standard input, output and error that whoever started the program has closed. */
#ifndef PSCAL_BASE_IO_STANDARD_STREAMS_H
#define PSCAL_BASE_IO_STANDARD_STREAMS_H

/*
 * Keeps their places taken, before anything is opened: a file in the place of standard error would
 * get all that is said. To read or write a closed one is still an error, and in a program that is
 * started it is closed.
 */
void standard_streams_keep(void);

#endif
