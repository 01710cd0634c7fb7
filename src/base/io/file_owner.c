/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/file_owner.h"

#include "base/parse.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_owner_is_root(uid_t owner)
{
	struct stat top;

	return owner == 0 || (stat("/", &top) == 0 && owner == top.st_uid);
}

/* sudo sets the variable itself, and only the environment of root is asked for it. */
static bool has_called_sudo(uid_t owner)
{
	const char *caller = getenv("SUDO_UID");
	uint64_t uid;

	return geteuid() == 0 && caller && parse_u64(&uid, caller, UINT32_MAX) == 0 && uid == owner;
}

bool file_owner_is_own(uid_t owner)
{
	return owner == geteuid() || file_owner_is_root(owner) || has_called_sudo(owner);
}
