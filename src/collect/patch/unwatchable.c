/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/unwatchable.h"

#include "base/err.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define PROBE_LIBRARY "*/libpscal-probe.so*"

/* Most of them are also told by what they do (object_patches.h), but not on each machine. */
static const struct {
	const char *glob, *why;
} names[] = {
	{"*setjmp", "returns twice"},
	{"*vfork", "returns twice"},
	{"*getcontext", "returns twice"},
	{"*swapcontext", "returns on another stack"},
	{"*makecontext", "makes another stack"},
	{"__morestack*", "returns on another stack"},
	{"_dl_start*", "returns to nobody"},
	{"_dl_runtime_*", "is called by no ordinary call"},
	{"_dl_tlsdesc_*", "is called by no ordinary call"},
	{"clone", "returns on two stacks"},
	{"__clone*", "returns on two stacks"},
	{"clone3", "returns on two stacks"},
	{"_start", "is where the program begins, and returns to nobody"},
	{"_init", "is run by the loader"},
	{"_fini", "is run by the loader"},
	{"*.cold", "is a part of a function, to which that jumps"},
	{"*.cold.*", "is a part of a function, to which that jumps"},
	{"dl_iterate_phdr", "looks at who has called it"},
	{"_Unwind_*", "looks at who has called it"},
	{"__gxx_personality*", "looks at who has called it"},
	{"__cxa_*throw", "looks at who has called it"},
	{"backtrace", "looks at who has called it"},
	{"prctl", "is replaced by what watches"},
	{"syscall", "is replaced by what watches"},
	{"__restore_rt", "is called by nobody: a signal handler returns there"},
	{"*dlsym", "looks at who has called it"},
	{"*dlvsym", "looks at who has called it"},
	{"*dlopen*", "looks at who has called it"},
	{"*dlmopen*", "looks at who has called it"},
	{"*mcount", "looks at who has called it"},
	{"__fentry__", "looks at who has called it"},
	{"__cyg_profile_func_*", "is how the program reports its functions itself"},
};

const char *unwatchable_name(const char *function)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (fnmatch(names[i].glob, function, 0) == 0)
			return names[i].why;
	return NULL;
}

const char *unwatchable_object(const char *path, const char *loader)
{
	char *real = loader ? realpath(loader, NULL) : NULL;
	int is_loader = real && strcmp(real, path) == 0;

	free(real);
	if (is_loader)
		return "is part of the loader, which runs before anything can be watched";
	if (fnmatch(PROBE_LIBRARY, path, 0) == 0)
		return "is part of what watches";
	return NULL;
}

int unwatchable_program(const char *path, const char *loader, const char *option, struct err *err)
{
	struct stat file;

	if (!loader)
		return err_set(err,
			       "%s: %s is linked statically, and nothing can be loaded into "
			       "it: it cannot be watched from inside",
			       option, path);
	if (stat(path, &file) == 0 &&
	    ((file.st_mode & S_ISUID && file.st_uid != geteuid()) ||
	     (file.st_mode & S_ISGID && file.st_gid != getegid()) ||
	     (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)))
		return err_set(err,
			       "%s: %s runs with rights that its caller has not (setuid), and "
			       "loads nothing for it: record as the user that it runs as",
			       option, path);
	return 0;
}
