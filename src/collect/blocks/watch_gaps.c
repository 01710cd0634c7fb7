/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/watch_gaps.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "collect/patch/function_list.h"
#include "collect/patch/probe_plan.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most files in a sentence, files that are examined, and programs that are counted. */
enum { NAMED = 3, LOOKED_MAX = 64, BEGUN_MAX = 1 << 20 };

/* --- Requested files ------------------------------------------------------------------------ */

/* Returns whether the pattern requests this file. One without an object means the program. */
static bool is_meant(const char *path, const char *pattern)
{
	const char *colon = strrchr(pattern, ':');
	char *object = colon ? xasprintf("%.*s", (int)(colon - pattern), pattern) : NULL;
	char *real = object ? realpath(object, NULL) : NULL;
	bool meant =
		object && (loaded_objects_means(path, object) || (real && strcmp(real, path) == 0));

	free(object);
	free(real);
	return meant;
}

/* Returns whether a file is new; each is examined once. */
static bool is_new(struct watch_gaps *gaps, const char *path)
{
	for (size_t i = 0; i < gaps->looked_count; i++)
		if (strcmp(gaps->looked[i], path) == 0)
			return false;
	if (gaps->looked_count == LOOKED_MAX)
		return false;
	array_reserve(&gaps->looked, &gaps->looked_capacity, gaps->looked_count + 1);
	gaps->looked[gaps->looked_count++] = xstrdup(path);
	return true;
}

void watch_gaps_late(struct watch_gaps *gaps, const char *path, const struct probe_plan *plan,
		     bool (*has)(void *context, const char *path, const char *glob), void *context)
{
	bool meant = false;

	if (!is_new(gaps, path))
		return;
	for (const char *const *pattern = plan->patterns; pattern && *pattern && !meant; pattern++)
		meant = is_meant(path, *pattern) && has(context, path, strrchr(*pattern, ':') + 1);
	if (!meant)
		return;
	array_reserve(&gaps->late, &gaps->late_capacity, gaps->late_count + 1);
	gaps->late[gaps->late_count++] = gaps->looked[gaps->looked_count - 1];
}

void watch_gaps_begun(struct watch_gaps *gaps, pid_t pid)
{
	if (gaps->begun_count == BEGUN_MAX)
		return;
	array_reserve(&gaps->begun, &gaps->begun_capacity, gaps->begun_count + 1);
	gaps->begun[gaps->begun_count++] = pid;
}

/* --- Sentences ------------------------------------------------------------------------------- */

/* Adds a word to a sentence, which it takes ownership of; "and others" for more than NAMED. */
static char *add_word(char *sentence, size_t index, char *word)
{
	char *more = index > NAMED    ? xstrdup(sentence)
		     : index == NAMED ? xasprintf("%s and others", sentence)
				      : xasprintf("%s%s%s", sentence, index ? ", " : "", word);

	free(sentence);
	free(word);
	return more;
}

/* Compares execs by process, in the order of their programs. */
static int by_process(const void *a, const void *b)
{
	const struct recording_exec *const *one = a, *const *other = b;

	return compare_values((*one)->pid, (*other)->pid) ?: compare_values(*one, *other);
}

static const struct recording_exec **sort_execs(const struct recording_counts *counts)
{
	const struct recording_exec **sorted = xcalloc(counts->exec_count + 1, sizeof(*sorted));

	for (size_t i = 0; i < counts->exec_count; i++)
		sorted[i] = &counts->execs[i];
	sort_items(sorted, counts->exec_count, by_process);
	return sorted;
}

/* Returns each process that has run more programs than had the library, with its last name. */
static char *name_programs(size_t *count, const struct watch_gaps *gaps,
			   const struct recording_counts *counts)
{
	const struct recording_exec **execs = sort_execs(counts);
	char *names = xstrdup("");
	size_t at = 0;

	for (size_t i = 0, next; i < counts->exec_count; i = next) {
		pid_t pid = execs[i]->pid;
		size_t begun = 0;

		next = i + 1;
		while (next < counts->exec_count && execs[next]->pid == pid)
			next++;
		for (; at < gaps->begun_count && gaps->begun[at] <= pid; at++)
			begun += gaps->begun[at] == pid;
		if (begun < next - i && lineage_had_process(counts->lineage, pid))
			names = add_word(
				names, (*count)++,
				xasprintf("%s (process %d)", execs[next - 1]->name, (int)pid));
	}
	free(execs);
	return names;
}

static char *tell_programs(const struct watch_gaps *gaps, const struct recording_counts *counts)
{
	size_t count = 0;
	char *names = name_programs(&count, gaps, counts), *sentence;

	sentence = count ? xasprintf("%s loaded no probe library, and so %s not recorded: static, "
				     "for another machine, setuid, in another PID namespace, or "
				     "without LD_PRELOAD and PSCAL_SPOOL",
				     names, count == 1 ? "was" : "were")
			 : NULL;
	free(names);
	return sentence;
}

static char *tell_files(const struct watch_gaps *gaps)
{
	char *names = xstrdup(""), *sentence;

	for (size_t i = 0; i < gaps->late_count; i++)
		names = add_word(names, i, xstrdup(gaps->late[i]));
	sentence = gaps->late_count
			   ? xasprintf("%s %s loaded after functions had been patched, and so not "
				       "recorded: load %s earlier, with LD_PRELOAD",
				       names, gaps->late_count == 1 ? "was" : "were",
				       gaps->late_count == 1 ? "it" : "them")
			   : NULL;
	free(names);
	return sentence;
}

char *watch_gaps_tell(struct watch_gaps *gaps, const struct recording_counts *counts)
{
	char *programs, *files, *both;

	sort_items(gaps->begun, gaps->begun_count, compare_i32);
	programs = tell_programs(gaps, counts);
	files = tell_files(gaps);
	if (!programs || !files)
		return programs ? programs : files;
	both = xasprintf("%s; %s", files, programs);
	free(programs);
	free(files);
	return both;
}

void watch_gaps_release(struct watch_gaps *gaps)
{
	for (size_t i = 0; i < gaps->looked_count; i++)
		free(gaps->looked[i]);
	free(gaps->looked);
	free(gaps->late);
	free(gaps->begun);
	*gaps = (struct watch_gaps){.late = NULL};
}
