/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/command_file.h"

#include "base/alloc.h"
#include "base/io/regular_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The kernel looks at so much of a script (BINPRM_BUF_SIZE). */
enum { FIRST_LINE_MAX = 256 };

char *command_file_find(const char *command)
{
	const char *directories = getenv("PATH");

	if (strchr(command, '/'))
		return xstrdup(command);
	for (const char *at = directories ? directories : "/bin:/usr/bin"; *at;) {
		size_t length = strcspn(at, ":");
		char *path =
			xasprintf("%.*s/%s", length ? (int)length : 1, length ? at : ".", command);

		if (access(path, X_OK) == 0)
			return path;
		free(path);
		at += length + (at[length] == ':');
	}
	return NULL;
}

char *command_file_interpreter(const char *path)
{
	char line[FIRST_LINE_MAX + 1];
	struct stat status;
	int fd = regular_file_open(&status, path);
	ssize_t length = fd < 0 ? 0 : read(fd, line, FIRST_LINE_MAX);
	const char *name = line + 2;

	if (fd >= 0)
		close(fd);
	line[length > 0 ? length : 0] = '\0';
	if (strncmp(line, "#!", 2) != 0)
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	name += strspn(name, " \t");
	return xasprintf("%.*s", (int)strcspn(name, " \t"), name);
}
