/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which file a command is, before it runs. */
#ifndef PSCAL_CODE_COMMAND_FILE_H
#define PSCAL_CODE_COMMAND_FILE_H

/* As execvp(3) would find it; to be freed. NULL: it is not there. */
char *command_file_find(const char *command);

/* What runs in place of a script: the program that its first line names; to be freed. NULL: `path`
 * is no script. */
char *command_file_interpreter(const char *path);

#endif
