/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/function_reader.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "code/function_table.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- The rights of a user ------------------------------------------------------------------ */

/*
 * Sets the groups of this thread, as setfsuid(2) does; the C library's function sets those of all.
 */
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

/* --- Questions and answers ----------------------------------------------------------------- */

/* The limits of files that are kept. */
enum { FILES_MAX = 4096, FUNCTIONS_MAX = 2 << 20 };

/* The limits of the process; the table of that many functions takes some 300 MB. */
enum { CPU_S = 30, WAIT_S = 30 };
static const uint64_t memory_bytes = UINT64_C(1) << 30;

struct user_function_table {
	struct function_table table;
	char *path; /* as asked for */
	uid_t uid;
	gid_t gid;
};

struct function_question {
	uid_t uid;
	gid_t gid;
	uint64_t offset;
	uint32_t path_size; /* with its NUL, followed by the glob; "": the offset is asked for */
	char text[GUARDED_MESSAGE_MAX - 3 * sizeof(uint64_t)];
};

struct function_answer {
	uint32_t is_known;
	uint64_t inside;
	char label[GUARDED_MESSAGE_MAX - 2 * sizeof(uint64_t)];
};

_Static_assert(sizeof(struct function_question) <= GUARDED_MESSAGE_MAX, "it is one message");
_Static_assert(sizeof(struct function_answer) <= GUARDED_MESSAGE_MAX, "it is one message");

/* --- The process that reads files ---------------------------------------------------------- */

static struct user_function_table *add_file(struct function_reader *reader, const char *path,
					    uid_t uid, gid_t gid)
{
	struct user_function_table *file;

	if (reader->file_count == FILES_MAX)
		return NULL;
	array_reserve(&reader->files, &reader->file_capacity, reader->file_count + 1);
	file = &reader->files[reader->file_count++];
	*file = (struct user_function_table){.path = xstrdup(path), .uid = uid, .gid = gid};
	if (function_table_read(&file->table, path) == 0 &&
	    reader->functions + file->table.count > FUNCTIONS_MAX)
		function_table_release(&file->table);
	reader->functions += file->table.count;
	object_close(&file->table.object);
	return file;
}

/* Returns the file, which is added if it is new; NULL: too many files. */
static struct user_function_table *find_file(struct function_reader *reader, const char *path,
					     uid_t uid, gid_t gid)
{
	for (size_t i = 0; i < reader->file_count; i++)
		if (reader->files[i].uid == uid && reader->files[i].gid == gid &&
		    strcmp(reader->files[i].path, path) == 0)
			return &reader->files[i];
	return add_file(reader, path, uid, gid);
}

static bool has_function(const struct function_table *table, const char *glob)
{
	for (size_t i = 0; i < table->count; i++)
		if (fnmatch(glob, table->items[i].name, 0) == 0)
			return true;
	return false;
}

static size_t answer_offset(struct function_answer *answer, const struct function_table *table,
			    uint64_t offset)
{
	const struct code_function *function = function_table_at(table, offset);
	char *label;

	answer->is_known = function != NULL;
	if (function) {
		label = code_function_label(function);
		snprintf(answer->label, sizeof(answer->label), "%s", label);
		answer->inside = offset - function->offset;
		free(label);
	}
	return offsetof(struct function_answer, label) + strlen(answer->label) + 1;
}

static size_t answer_question(void *context, void *answer, const void *question, size_t size)
{
	struct function_reader *reader = context;
	struct function_question asked = {.uid = 0};
	struct function_answer *answered = answer;
	const struct user_function_table *file;
	struct user_rights before;
	const char *glob;

	memcpy(&asked, question, size);
	glob = asked.text + asked.path_size;
	*answered = (struct function_answer){.is_known = false};
	user_rights_take(&before, asked.uid, asked.gid);
	file = find_file(reader, asked.text, asked.uid, asked.gid);
	user_rights_give_back(&before);
	if (file && !*glob)
		return answer_offset(answered, &file->table, asked.offset);
	answered->is_known = file && has_function(&file->table, glob);
	return offsetof(struct function_answer, label) + 1;
}

/* --- Asking -------------------------------------------------------------------------------- */

static void note_trouble(struct function_reader *reader, const char *path, const struct err *err)
{
	if (!reader->why)
		reader->why = xasprintf("names of functions of %s are unknown: its reader %s", path,
					err->text);
}

static bool start_process(struct function_reader *reader, const char *path)
{
	const struct guarded_work work = {answer_question, reader, CPU_S, WAIT_S, memory_bytes};
	struct err err;

	if (reader->process.pid || guarded_start(&reader->process, &work, &err) == 0)
		return true;
	note_trouble(reader, path, &err);
	return false;
}

/* Asks the process. Returns whether there is an answer. */
static bool ask_process(struct function_answer *answer, struct function_reader *reader,
			const struct user_file *file, uint64_t offset, const char *glob,
			uint64_t until_ns)
{
	struct function_question question = {file->uid, file->gid, offset, 0, ""};
	size_t path = strlen(file->path) + 1, size = path + strlen(glob) + 1;
	size_t head = offsetof(struct function_answer, label);
	struct err err = {.text = "gave a damaged answer"};
	ssize_t got;

	if (size > sizeof(question.text) || monotonic_ns() >= until_ns ||
	    !start_process(reader, file->path))
		return false;
	question.path_size = (uint32_t)path;
	memcpy(question.text, file->path, path);
	memcpy(question.text + path, glob, size - path);
	reader->process.until_ns = until_ns;
	got = guarded_ask(answer, sizeof(*answer), &reader->process, &question,
			  offsetof(struct function_question, text) + size, &err);
	if (got > (ssize_t)head && !answer->label[(size_t)got - head - 1])
		return true;
	note_trouble(reader, file->path, &err);
	guarded_end(&reader->process);
	return false;
}

char *function_reader_label(uint64_t *inside, struct function_reader *reader,
			    const struct user_file *file, uint64_t offset, uint64_t until_ns)
{
	struct function_answer answer;

	if (!ask_process(&answer, reader, file, offset, "", until_ns) || !answer.is_known)
		return NULL;
	*inside = answer.inside;
	return xstrdup(answer.label);
}

bool function_reader_has(struct function_reader *reader, const struct user_file *file,
			 const char *glob, uint64_t until_ns)
{
	struct function_answer answer;

	return *glob && ask_process(&answer, reader, file, 0, glob, until_ns) && answer.is_known;
}

void function_reader_release(struct function_reader *reader)
{
	guarded_end(&reader->process);
	free(reader->why);
	*reader = (struct function_reader){.why = NULL};
}
