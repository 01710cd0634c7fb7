/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/steps.h"

#include "base/alloc.h"
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 32 };

struct names {
	char (*items)[NAME_SIZE];
	size_t count, capacity;
};

struct reader {
	struct program *program;
	struct names sites;
};

struct word {
	char name[NAME_SIZE];	  /* lock; or empty: a time */
	char argument[NAME_SIZE]; /* m, of lock(m:1,2) */
	uint64_t ns;		  /* of a time, or of an argument that is a time */
	uint32_t first;		  /* the text after the colon */
	uint32_t second;	  /* the text after the comma; 1 if there is none */
	char site[NAME_SIZE];	  /* the text after the at sign; empty: none */
};

static const char *const op_names[STEP_OPS] = {
	[STEP_NONE] = "none",	    [STEP_WAKE] = "wake",
	[STEP_BLOCK] = "block",	    [STEP_SLEEP] = "sleep",
	[STEP_DUE] = "due",	    [STEP_POLL] = "poll",
	[STEP_DEVICE] = "device",   [STEP_EXTERNAL] = "external",
	[STEP_UNKNOWN] = "unknown", [STEP_FORK] = "fork",
	[STEP_JOIN] = "join",	    [STEP_EXIT] = "exit",
	[STEP_LOCK] = "lock",	    [STEP_LOCK_SHARED] = "lock_shared",
	[STEP_UNLOCK] = "unlock",   [STEP_TAKE] = "take",
	[STEP_GIVE] = "give",	    [STEP_BARRIER] = "barrier",
	[STEP_YIELD] = "yield",	    [STEP_CALL] = "call",
	[STEP_RETURN] = "return",   [STEP_SOCKET] = "socket",
	[STEP_LOOP] = "loop",
};

static enum step_op op_of(const char *name)
{
	for (int op = 0; op < STEP_OPS; op++)
		if (strcmp(op_names[op], name) == 0)
			return (enum step_op)op;
	if (sync_call_of_name(name))
		return STEP_CALL;
	fail_msg("'%s' is no step", name);
	return STEP_NONE;
}

/* --- Reading ------------------------------------------------------------------------------- */

static uint64_t time_of(const char *text)
{
	char *unit;
	double value = strtod(text, &unit);
	double scale = strcmp(unit, "ns") == 0	 ? 1
		       : strcmp(unit, "us") == 0 ? 1e3
		       : strcmp(unit, "ms") == 0 ? 1e6
		       : strcmp(unit, "s") == 0	 ? 1e9
						 : 0;

	if (unit == text || scale <= 0)
		fail_msg("'%s' is no time", text);
	return (uint64_t)(value * scale + 0.5);
}

/* "m:1,2", "2ms@nap" */
static void read_argument(struct word *word, const char *text)
{
	unsigned first = 0, second = 1;
	size_t length = strcspn(text, ":,@");
	const char *at = strchr(text, '@');

	if (at)
		strcpy(word->site, at + 1);

	memcpy(word->argument, text, length);
	word->argument[length] = '\0';
	text += length;
	if (*text == ':')
		sscanf(text, ":%u,%u", &first, &second);
	else if (*text == ',')
		sscanf(text, ",%u", &second);
	word->first = first;
	word->second = second;
}

static void read_word(struct word *word, char *text)
{
	char *open = strchr(text, '('), *close = strchr(text, ')');

	*word = (struct word){.second = 1};
	if (strlen(text) >= NAME_SIZE)
		fail_msg("'%s' is too long", text);
	if (!open) {
		word->ns = time_of(text);
		return;
	}
	if (!close || close[1])
		fail_msg("'%s' does not end in a parenthesis", text);
	*open = *close = '\0';
	memcpy(word->name, text, (size_t)(open - text) + 1);
	read_argument(word, open + 1);
}

static uint32_t thread_of(const struct program *program, const char *name)
{
	for (size_t i = 0; i < program->thread_count; i++)
		if (strcmp(thread_name_text(&program->threads[i].name), name) == 0)
			return (uint32_t)i;
	fail_msg("there is no thread '%s'", name);
	return 0;
}

static uint32_t edge_of(struct program *program, uint32_t edge)
{
	if (edge >= program->edge_count)
		program->edge_count = edge + 1;
	return edge;
}

static enum site_kind kind_of(enum step_op op)
{
	switch (op) {
	case STEP_LOCK:
	case STEP_LOCK_SHARED:
	case STEP_UNLOCK:
		return SITE_LOCK;
	case STEP_TAKE:
	case STEP_GIVE:
		return SITE_TOKENS;
	case STEP_BARRIER:
		return SITE_BARRIER;
	case STEP_JOIN:
		return SITE_JOIN;
	case STEP_SLEEP:
	case STEP_DUE:
	case STEP_POLL:
		return SITE_SLEEP;
	case STEP_DEVICE:
		return SITE_DEVICE;
	case STEP_EXTERNAL:
		return SITE_EXTERNAL;
	default:
		return SITE_UNKNOWN;
	}
}

static uint32_t site_named(struct reader *reader, const char *name, enum site_kind kind)
{
	struct names *names = &reader->sites;
	uint32_t site = 0;

	while (site < names->count && strcmp(names->items[site], name) != 0)
		site++;
	if (site == names->count) {
		array_reserve(&names->items, &names->capacity, names->count + 1);
		strcpy(names->items[names->count++], name);
		program_add_site(reader->program, kind);
		reader->program->sites[site].name = xstrdup(name);
	}
	if (reader->program->sites[site].kind == SITE_UNKNOWN)
		reader->program->sites[site].kind = kind;
	return site;
}

static uint32_t site_of(struct reader *reader, const struct word *word, enum step_op op)
{
	uint32_t site = site_named(reader, word->argument, kind_of(op));
	struct site *found = &reader->program->sites[site];

	if (op == STEP_BARRIER && word->first)
		found->parties = word->first;
	if (op == STEP_TAKE && word->first)
		found->tokens = word->first;
	return site;
}

static void fill_in(struct reader *reader, struct step *step, const struct word *word)
{
	struct program *program = reader->program;
	enum step_op op = step_op(step);
	uint32_t site =
		*word->site ? site_named(reader, word->site, kind_of(op)) : (uint32_t)PROGRAM_NONE;

	if (step_op_is_pause(op) || op == STEP_LOOP) {
		step->pause = step_pause(time_of(word->argument), site);
	} else if (op == STEP_BLOCK) {
		step->site = site;
		if (*word->argument)
			step->edge = edge_of(program, (uint32_t)strtoul(word->argument, NULL, 10));
	} else if (op == STEP_WAKE || op == STEP_FORK || op == STEP_JOIN) {
		step->thread = thread_of(program, word->argument);
		if (op == STEP_WAKE)
			step->edge = edge_of(program, word->second);
		else if (op == STEP_FORK)
			program->threads[step->thread].forked = true;
		else
			step->join_site = site;
	} else if (op == STEP_EXIT) {
		step->exit_ns = *word->argument ? time_of(word->argument) : 0;
	} else if (op != STEP_YIELD && op != STEP_NONE) {
		step->site = site_of(reader, word, op);
		step->count = op == STEP_CALL && sync_call_of_name(word->name)
				      ? step_call_count(sync_call_of_name(word->name), word->first)
				      : word->second;
	}
}

static bool has_exit(const struct program_thread *thread)
{
	return thread->count && step_op(&thread->steps[thread->count - 1]) == STEP_EXIT;
}

static void read_steps(struct reader *reader, uint32_t thread, char *text)
{
	uint64_t run_ns = 0;
	struct word word;
	char *rest;

	for (char *part = strtok_r(text, " \t", &rest); part; part = strtok_r(NULL, " \t", &rest)) {
		enum step_op op;

		read_word(&word, part);
		if (!*word.name) {
			run_ns += word.ns;
			continue;
		}
		op = op_of(word.name);
		fill_in(reader, program_add_step(reader->program, thread, run_ns, op), &word);
		run_ns = 0;
	}
	if (!has_exit(&reader->program->threads[thread]))
		program_add_step(reader->program, thread, run_ns, STEP_EXIT);
}

/* Cuts "name@4ms: " off a line, and returns what follows. */
static char *read_head(struct program *program, char *line)
{
	char *colon = strchr(line, ':'), *at;
	uint32_t thread;

	if (!colon)
		fail_msg("'%s' names no thread", line);
	*colon = '\0';
	at = strchr(line, '@');
	if (at)
		*at = '\0';
	thread = program_add_thread(program, (int32_t)program->thread_count + 1, 1, line);
	program->threads[thread].start_ns = at ? time_of(at + 1) : 0;
	return colon + 1;
}

void steps_read(struct program *program, const char *text)
{
	struct reader reader = {.program = program};
	char *copy = xstrdup(text), *rest;
	char **bodies = NULL;
	size_t count = 0, capacity = 0;

	*program = (struct program){0};
	program->has_wakes = true;
	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		line += strspn(line, " \t");
		if (!*line)
			continue;
		array_reserve(&bodies, &capacity, count + 1);
		bodies[count++] = read_head(program, line);
	}
	for (size_t i = 0; i < count; i++)
		read_steps(&reader, (uint32_t)i, bodies[i]);
	free(bodies);
	free(copy);
	free(reader.sites.items);
}

/* --- Writing ------------------------------------------------------------------------------- */

static void write_operands(FILE *out, const struct program *program, const struct step *step)
{
	enum step_op op = step_op(step);

	if (step_op_is_pause(op) || op == STEP_LOOP)
		fprintf(out, "%" PRIu64 "ns", step_pause_ns(step));
	else if (op == STEP_WAKE)
		fprintf(out, "%s,%u", thread_name_text(&program->threads[step->thread].name),
			step->edge);
	else if (op == STEP_FORK || op == STEP_JOIN)
		fprintf(out, "%s", thread_name_text(&program->threads[step->thread].name));
	else if (op == STEP_BLOCK && step->edge != PROGRAM_NONE)
		fprintf(out, "%u", step->edge);
	else if (op == STEP_CALL || op == STEP_RETURN)
		fprintf(out, "%u,%u", step->site, step_call(step));
	else if (op == STEP_GIVE)
		fprintf(out, "%u,%u", step->site, step->count);
	else if (op == STEP_BARRIER)
		fprintf(out, "%u:%u", step->site, program->sites[step->site].parties);
	else if (op >= STEP_LOCK && op <= STEP_TAKE)
		fprintf(out, "%u", step->site);
	if ((op == STEP_BLOCK || op == STEP_JOIN || step_op_is_pause(op)) &&
	    step_site(step) != PROGRAM_NONE)
		fprintf(out, "@%u", step_site(step));
}

static void write_thread(FILE *out, const struct program *program,
			 const struct program_thread *thread)
{
	fputs(thread_name_text(&thread->name), out);
	if (thread->start_ns)
		fprintf(out, "@%" PRIu64 "ns", thread->start_ns);
	fputc(':', out);
	for (size_t i = 0; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];

		if (step_run_ns(step))
			fprintf(out, " %" PRIu64 "ns", step_run_ns(step));
		if (step_op(step) == STEP_EXIT && i + 1 == thread->count)
			break;
		fprintf(out, " %s(", op_names[step_op(step)]);
		write_operands(out, program, step);
		fputc(')', out);
	}
	fputc('\n', out);
}

char *steps_text(const struct program *program)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	for (size_t i = 0; i < program->thread_count; i++)
		write_thread(out, program, &program->threads[i]);
	fclose(out);
	return text;
}
