/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/tracefs.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "collect/permission.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

/* A file that each tracefs has, to tell a mounted one from an empty directory. */
#define PROBE "events/header_page"

static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* Sets errno to what the first of the places says when none can be read. */
static const char *find_mounted(void)
{
	int first_errno = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/" PROBE, places[i]);
		/* access(2) would not count what setcap(8) has granted. */
		if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0)
			return places[i];
		if (i == 0)
			first_errno = errno;
	}
	errno = first_errno;
	return NULL;
}

const char *tracefs_find(struct err *err)
{
	const char *root = find_mounted();

	if (!root && errno == ENOENT &&
	    mount("tracefs", places[0], "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0)
		root = find_mounted();
	if (!root)
		permission_tracefs(err, places[0]);
	return root;
}

char *tracefs_read(const char *root, const char *path, size_t *length, struct err *err)
{
	char *name = xasprintf("%s/%s", root, path);
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	size_t used = 0, capacity = 0;
	char *text = NULL;
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0) { /* files of tracefs say that their size is 0 */
		array_reserve(&text, &capacity, used + 4096);
		got = read(fd, text + used, capacity - used - 1);
		if (got > 0)
			used += (size_t)got;
	}
	if (got < 0) {
		err_set(err, "%s: cannot read: %m", name);
		free(text);
		text = NULL;
	} else {
		text[used] = '\0';
	}
	if (fd >= 0)
		close(fd);
	free(name);
	if (length)
		*length = used;
	return text;
}

int tracefs_event_id(uint64_t *id, const char *root, const char *event, struct err *err)
{
	char path[128];
	char *text;
	int rc;

	snprintf(path, sizeof(path), "events/%s/id", event);
	text = tracefs_read(root, path, NULL, err);
	if (!text)
		return err_wrap(err, "this kernel does not offer the event %s", event);
	text[strcspn(text, "\n")] = '\0';
	rc = parse_u64(id, text, UINT32_MAX);
	if (rc)
		err_set(err, "%s/%s: '%s' is not an event number", root, path, text);
	free(text);
	return rc;
}
