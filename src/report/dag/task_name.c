/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/dag/task_name.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char BODY[] = "._omp_fn.", CLONE[] = " [clone ";

char *task_name(const char *function, size_t length)
{
	char *name = xasprintf("%.*s", (int)length, function), *body = strstr(name, BODY), *text;
	const char *number = body ? body + strlen(BODY) : NULL;
	size_t digits = number ? strspn(number, "0123456789") : 0;
	size_t clone = strlen(CLONE), before = body ? (size_t)(body - name) : 0;
	bool is_clone = before > clone && memcmp(body - clone, CLONE, clone) == 0;

	if (!digits || !before || strcmp(number + digits, is_clone ? "]" : "") != 0)
		return name;
	text = xasprintf("%.*s (task %.*s)", (int)(is_clone ? before - clone : before), name,
			 (int)digits, number);
	free(name);
	return text;
}
