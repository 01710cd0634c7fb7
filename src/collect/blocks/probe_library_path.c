/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/probe_library_path.h"

#include "base/alloc.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NULL: it is not there. */
static char *find(const char *directory, const char *place, const char *name)
{
	char *path = xasprintf("%s/%s%s", directory, place, name);
	char *found = realpath(path, NULL);

	free(path);
	return found;
}

static char *find_library(const char *name, const char *option, struct err *err)
{
	char *directory = realpath("/proc/self/exe", NULL), *found;

	if (!directory) {
		err_set(err, "%s: /proc/self/exe: %m", option);
		return NULL;
	}
	*strrchr(directory, '/') = '\0';
	found = find(directory, "", name);
	if (!found)
		found = find(directory, "../lib/pscal/", name);
	if (!found)
		err_set(err,
			"%s: %s is neither in %s nor in ../lib/pscal from there: install pscal as "
			"a whole",
			option, name, directory);
	free(directory);
	if (!found || !strpbrk(found, " :"))
		return found;
	err_set(err,
		"%s: %s: the loader takes no path with a space or a colon: install pscal elsewhere",
		option, found);
	free(found);
	return NULL;
}

char *probe_library_path(struct err *err)
{
	return find_library("libpscal-probe.so", "--probe", err);
}

char *omp_library_path(struct err *err)
{
	return find_library("libpscal-omp.so", "--omp", err);
}

/* Adds to a list in the environment. */
static void append(const char *variable, const char *more)
{
	const char *others = getenv(variable);
	char *all = others && *others ? xasprintf("%s:%s", others, more) : xstrdup(more);

	setenv(variable, all, 1);
	free(all);
}

/*
 * AddressSanitizer ends programs in which its library is not the first one: who is before it may
 * have the functions that it replaces, which ours has not.
 */
void probe_library_preload(const char *library)
{
	append("LD_PRELOAD", library);
	append("ASAN_OPTIONS", "verify_asan_link_order=0");
}

/*
 * Runtime libraries look for it among what is loaded; the variable is for those that are hidden
 * from there.
 */
void omp_library_preload(const char *library)
{
	append("LD_PRELOAD", library);
	append("OMP_TOOL_LIBRARIES", library);
}
