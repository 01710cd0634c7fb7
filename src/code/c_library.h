/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that the functions of the C library may be in which a program calls. */
#ifndef PSCAL_CODE_C_LIBRARY_H
#define PSCAL_CODE_C_LIBRARY_H

#include <sys/types.h>

#include "code/file_set.h"

/*
 * What a running process has mapped of it, and its program, which may be linked with it. `proc` is
 * "/proc". One that has ended adds nothing.
 */
void c_library_of_process(struct file_set *library, pid_t pid, const char *proc);

/*
 * The program that a command is, as execvp(3) would find it, and its loader: it is not known
 * before it runs which library that takes, but usually it is the one of this process.
 */
void c_library_of_command(struct file_set *library, const char *command);
void c_library_own(struct file_set *library, const char *proc);

#endif
