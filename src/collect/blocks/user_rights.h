/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens files as another user: for a recorder of root that reads files which a process names. */
#ifndef PSCAL_COLLECT_BLOCKS_USER_RIGHTS_H
#define PSCAL_COLLECT_BLOCKS_USER_RIGHTS_H

#include <sys/types.h>

struct user_rights {
	uid_t uid;
	gid_t gid, *groups;
	int group_count; /* 0: there are none, or they have not been changed */
};

/*
 * From now on this thread opens files with the rights of a user and a group alone; *before is what
 * it had. Without the right to do so nothing changes. To be given back soon.
 */
void user_rights_take(struct user_rights *before, uid_t uid, gid_t gid);
void user_rights_give_back(struct user_rights *before);

#endif
