/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/user_rights.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of this thread, as setfsuid(2) is; the C library's function is of all. */
static void set_groups(int count, const gid_t *groups)
{
	syscall(SYS_setgroups, count, groups);
}

void user_rights_take(struct user_rights *before, uid_t uid, gid_t gid)
{
	*before = (struct user_rights){.group_count = 0};
	if (geteuid() == 0 && (before->group_count = getgroups(0, NULL)) > 0) {
		before->groups = xcalloc((size_t)before->group_count, sizeof(*before->groups));
		before->group_count = getgroups(before->group_count, before->groups);
		set_groups(0, NULL);
	}
	before->gid = (gid_t)setfsgid(gid);
	before->uid = (uid_t)setfsuid(uid);
}

void user_rights_give_back(struct user_rights *before)
{
	setfsuid(before->uid);
	setfsgid(before->gid);
	if (before->group_count > 0)
		set_groups(before->group_count, before->groups);
	free(before->groups);
}
