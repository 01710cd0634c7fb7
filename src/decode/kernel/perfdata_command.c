/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/perfdata_source_private.h"

#include "perfdata/byte_order.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum option {
	OPTION_TAIL,
	OPTION_PER_THREAD,
	OPTION_FILTER,	     /* leaves events out, of which its argument tells */
	OPTION_PART,	     /* leaves CPUs or threads out */
	OPTION_EXCLUDE_PERF, /* leaves switches of perf itself out */
};

static const struct {
	const char *name;
	char letter;
	enum option option;
} options[] = {
	{"tail-synthesize", 0, OPTION_TAIL}, {"per-thread", 0, OPTION_PER_THREAD},
	{"filter", 0, OPTION_FILTER},	     {"cpu", 'C', OPTION_PART},
	{"cgroup", 'G', OPTION_PART},	     {"exclude-perf", 0, OPTION_EXCLUDE_PERF},
};

struct command_reading {
	struct perfdata_command *command;
	bool is_argument;  /* the next word is one */
	bool may_argument; /* ... if it is no option */
	bool is_filter;	   /* ... and then of --filter */
};

static void command_take(struct command_reading *reading, enum option option)
{
	struct perfdata_command *command = reading->command;

	command->has_tail |= option == OPTION_TAIL;
	command->per_thread |= option == OPTION_PER_THREAD;
	command->filtered |= option == OPTION_PART;
	command->partial |= option == OPTION_PART || option == OPTION_EXCLUDE_PERF;
	reading->is_filter = option == OPTION_FILTER;
}

/* A filter of sched_switch names fields of it, or of all events. */
static void command_take_argument(struct command_reading *reading, const char *argument)
{
	if (reading->is_filter &&
	    (strstr(argument, "prev_") || strstr(argument, "next_") || strstr(argument, "common_")))
		command_take(reading, OPTION_PART);
	reading->is_argument = reading->may_argument = false;
}

/* Several may stand in one word. The argument of one is the rest of the word, or the next one. */
static void command_take_letters(struct command_reading *reading, const char *letters)
{
	for (; *letters; letters++) {
		for (size_t i = 0; i < COUNT(options); i++)
			if (options[i].letter == *letters)
				command_take(reading, options[i].option);
		reading->is_argument = strchr("CDFGcejkmoprtu", *letters) && !letters[1];
		if (strchr("CDFGIScejkmoprtuz", *letters))
			return;
	}
}

/* Which of the others have an argument depends on the version of perf. */
static void command_take_long(struct command_reading *reading, const char *word)
{
	size_t length = strcspn(word, "=");

	for (size_t i = 0; i < COUNT(options); i++)
		if (strlen(options[i].name) == length && memcmp(options[i].name, word, length) == 0)
			command_take(reading, options[i].option);
	reading->may_argument = !word[length];
	if (word[length])
		command_take_argument(reading, word + length);
}

/* Returns whether more options may follow: they end where the command begins that perf ran. */
static bool command_take_word(struct command_reading *reading, const char *word)
{
	if (reading->is_argument || (*word != '-' && reading->may_argument)) {
		command_take_argument(reading, word);
		return true;
	}
	if (*word != '-')
		return false;
	reading->is_filter = reading->may_argument = false;
	if (word[1] == '-')
		command_take_long(reading, word + 2);
	else
		command_take_letters(reading, word + 1);
	return word[1] != '-' || word[2];
}

/* The next word, which ends with a NUL, behind its size; NULL: there is none. */
static const char *command_word(struct byte_cursor *cursor)
{
	uint32_t size = byte_cursor_u32(cursor);
	const char *word = byte_cursor_take(cursor, size);

	return word && memchr(word, '\0', size) ? word : NULL;
}

static bool is_ours(const char *program)
{
	const char *slash = strrchr(program, '/');

	return strcmp(slash ? slash + 1 : program, "pscal") == 0;
}

struct perfdata_command perfdata_command_read(const char *bytes, size_t length, bool swapped)
{
	struct byte_cursor cursor = {.at = bytes, .left = length, .swapped = swapped};
	struct perfdata_command command = {0};
	struct command_reading reading = {.command = &command};
	uint32_t count = byte_cursor_u32(&cursor);
	const char *word = count ? command_word(&cursor) : NULL;

	if (!word || is_ours(word))
		return command;
	do {
		word = command_word(&cursor);
	} while (word && strcmp(word, "record") != 0); /* perf record, perf sched record */
	do {
		word = word ? command_word(&cursor) : NULL;
	} while (word && command_take_word(&reading, word));
	return command;
}
