/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/nearest_name.h"

#include "base/alloc.h"
#include "base/edit_distance.h"
#include "code/function_table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Longer names are not compared by letters. Two letters may always be others. */
enum { NEAREST = 3, LENGTH_MAX = 63, LETTERS_OFF = 2, FAR = INT_MAX };

struct nearest {
	const char *names[NEAREST];
	int distances[NEAREST];
};

static int letters_between(const char *a, const char *b)
{
	size_t length = strlen(a), other = strlen(b);

	return length > LENGTH_MAX || other > LENGTH_MAX ? FAR
							 : (int)edit_distance(a, length, b, other);
}

static int distance(const char *name, const char *letters)
{
	int between = letters_between(name, letters);

	if (between <= LETTERS_OFF || between <= (int)strlen(letters) / 3)
		return between;
	return *letters && strstr(name, letters) ? LENGTH_MAX + (int)strlen(name) : FAR;
}

static void take(struct nearest *nearest, const char *name, int away)
{
	size_t at = NEAREST;

	for (size_t i = 0; i < NEAREST; i++)
		if (nearest->names[i] && strcmp(nearest->names[i], name) == 0)
			return;
	while (at > 0 && away < nearest->distances[at - 1])
		at--;
	if (at == NEAREST)
		return;
	for (size_t i = NEAREST - 1; i > at; i--) {
		nearest->names[i] = nearest->names[i - 1];
		nearest->distances[i] = nearest->distances[i - 1];
	}
	nearest->names[at] = name;
	nearest->distances[at] = away;
}

/* What a glob has beside what stands for anything. */
static char *letters_of(const char *glob)
{
	char *letters = xstrdup(glob), *to = letters;

	for (; *glob; glob++)
		if (!strchr("*?[]", *glob))
			*to++ = *glob;
	*to = '\0';
	return letters;
}

static char *join(const struct nearest *nearest)
{
	char *names = xstrdup("");

	for (size_t i = 0; i < NEAREST && nearest->names[i]; i++) {
		char *more = xasprintf("%s%s%.100s", names, i ? ", " : "", nearest->names[i]);

		free(names);
		names = more;
	}
	return names;
}

char *nearest_names(const struct function_table *table, const char *glob)
{
	struct nearest nearest = {.distances = {FAR, FAR, FAR}};
	char *letters = letters_of(glob);

	for (size_t i = 0; i < table->count; i++)
		take(&nearest, table->items[i].name, distance(table->items[i].name, letters));
	free(letters);
	return join(&nearest);
}
