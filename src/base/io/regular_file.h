/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens files whose paths come from somebody who is not to be trusted. */
#ifndef PSCAL_BASE_IO_REGULAR_FILE_H
#define PSCAL_BASE_IO_REGULAR_FILE_H

#include <sys/stat.h>

/*
 * Opens a regular file that is not empty, to be read, and fills in its *status. Anything else is
 * not even opened, as that alone may wait for somebody or do something: pipes, devices, and what
 * procfs and sysfs make up. Returns a descriptor, which the caller closes, or -1.
 */
int regular_file_open(struct stat *status, const char *path);

#endif
