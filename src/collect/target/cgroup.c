/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/target/cgroup.h"

#include "base/alloc.h"
#include "base/err.h"

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pids {
	pid_t *list;
	size_t count, capacity;
};

static void read_procs(struct pids *pids, const char *path)
{
	FILE *file = fopen(path, "re");
	int pid;

	while (file && fscanf(file, "%d", &pid) == 1) {
		if (pid <= 0)
			continue; /* of another pid namespace */
		array_reserve(&pids->list, &pids->capacity, pids->count + 1);
		pids->list[pids->count++] = pid;
	}
	if (file)
		fclose(file);
}

/* Groups come and go meanwhile: one that is gone has no processes. */
static int read_all(struct pids *pids, char *top)
{
	char *const paths[] = {top, NULL};
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	if (!tree)
		return -1;
	while ((entry = fts_read(tree)))
		if (strcmp(entry->fts_name, "cgroup.procs") == 0)
			read_procs(pids, entry->fts_path);
	fts_close(tree);
	return 0;
}

int cgroup_pids(pid_t **pids, size_t *count, const char *root, const char *path, struct err *err)
{
	char *top = xasprintf("%s/%s", root, path + strspn(path, "/"));
	char *procs = xasprintf("%s/cgroup.procs", top);
	FILE *file = fopen(procs, "re");
	struct pids found = {.count = 0};
	int rc = 0;

	if (!file)
		rc = err_set(err, "%s: is no control group: %m", top);
	else
		fclose(file);
	if (!rc && (read_all(&found, top) || !found.count))
		rc = err_set(err, "%s: there is no process in this control group", top);
	free(procs);
	free(top);
	*pids = found.list;
	*count = found.count;
	return rc;
}
