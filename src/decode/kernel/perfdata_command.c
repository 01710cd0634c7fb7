/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/perfdata_source_private.h"

#include "base/printable.h"
#include "perfdata/byte_order.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum option {
	OPTION_OTHER,
	OPTION_TAIL,
	OPTION_PER_THREAD,
	OPTION_FILTER,	     /* leaves out the events that its argument describes */
	OPTION_PART,	     /* leaves CPUs or threads out */
	OPTION_EXCLUDE_PERF, /* leaves out switches of perf itself */
};

/*
 * The long options of perf record, up to Linux 6.15, that matter here, or whose argument may be the
 * next word, and those whose name begins like one of these. Other long options have no argument, or
 * have it in the same word.
 */
static const struct {
	const char *name;
	bool has_argument;
	enum option option;
} options[] = {
	{"tail-synthesize", false, OPTION_TAIL},
	{"per-thread", false, OPTION_PER_THREAD},
	{"exclude-perf", false, OPTION_EXCLUDE_PERF},
	{"filter", true, OPTION_FILTER},
	{"cpu", true, OPTION_PART},
	{"cgroup", true, OPTION_PART},
	{"off-cpu", false, OPTION_OTHER},
	{"switch-output", false, OPTION_OTHER},
	{"affinity", true, OPTION_OTHER},
	{"branch-filter", true, OPTION_OTHER},
	{"call-graph", true, OPTION_OTHER},
	{"clang-opt", true, OPTION_OTHER},
	{"clang-path", true, OPTION_OTHER},
	{"clockid", true, OPTION_OTHER},
	{"control", true, OPTION_OTHER},
	{"count", true, OPTION_OTHER},
	{"delay", true, OPTION_OTHER},
	{"event", true, OPTION_OTHER},
	{"freq", true, OPTION_OTHER},
	{"max-size", true, OPTION_OTHER},
	{"mmap-flush", true, OPTION_OTHER},
	{"mmap-pages", true, OPTION_OTHER},
	{"num-thread-synthesize", true, OPTION_OTHER},
	{"off-cpu-thresh", true, OPTION_OTHER},
	{"output", true, OPTION_OTHER},
	{"pid", true, OPTION_OTHER},
	{"proc-map-timeout", true, OPTION_OTHER},
	{"realtime", true, OPTION_OTHER},
	{"setup-filter", true, OPTION_OTHER},
	{"switch-max-files", true, OPTION_OTHER},
	{"switch-output-event", true, OPTION_OTHER},
	{"synth", true, OPTION_OTHER},
	{"tid", true, OPTION_OTHER},
	{"uid", true, OPTION_OTHER},
	{"vmlinux", true, OPTION_OTHER},
};

/* The letters whose argument is the rest of the word, and those that may use the next word. */
static const char letters_with_argument[] = "CDFGIScejkmoprtuz";
static const char letters_with_word[] = "CDFGcejkmoprtu";

struct command_reading {
	struct perfdata_command *command;
	bool is_argument; /* the next word is an argument */
	bool is_filter;	  /* the next word is an argument of --filter */
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

/* Reads an argument. A filter of sched_switch names fields of it, or of all events. */
static void command_take_argument(struct command_reading *reading, const char *argument)
{
	if (reading->is_filter && (strstr(argument, "prev_") || strstr(argument, "next_") ||
				   strstr(argument, "common_"))) {
		command_take(reading, OPTION_PART);
		reading->command->chosen = true;
	}
	reading->is_argument = reading->is_filter = false;
}

/* Reads a word of letters. The argument of the last is the rest of the word, or the next word. */
static void command_take_letters(struct command_reading *reading, const char *letters)
{
	for (; *letters; letters++) {
		if (strchr("CG", *letters))
			command_take(reading, OPTION_PART);
		reading->is_argument = strchr(letters_with_word, *letters) && !letters[1];
		if (strchr(letters_with_argument, *letters))
			return;
	}
}

/* Returns the option with this name, or one that begins with it; COUNT(options): none. */
static size_t find_option(const char *name, size_t length)
{
	size_t found = COUNT(options);

	for (size_t i = COUNT(options); i-- > 0;)
		if (strncmp(options[i].name, name, length) == 0) {
			found = i;
			if (!options[i].name[length])
				break;
		}
	return found;
}

static void command_take_long(struct command_reading *reading, const char *word)
{
	size_t length = strcspn(word, "=");
	size_t option = length ? find_option(word, length) : COUNT(options);

	if (option == COUNT(options))
		return;
	command_take(reading, options[option].option);
	reading->is_argument = options[option].has_argument && !word[length];
	if (word[length])
		command_take_argument(reading, word + length);
}

/* Reads one word. Returns false where the command begins, and the options of perf end. */
static bool command_take_word(struct command_reading *reading, const char *word)
{
	if (reading->is_argument) {
		command_take_argument(reading, word);
		return true;
	}
	if (*word != '-')
		return false;
	if (word[1] == '-')
		command_take_long(reading, word + 2);
	else
		command_take_letters(reading, word + 1);
	return word[1] != '-' || word[2];
}

/* Returns the next word, which stands behind its size and ends with a NUL; NULL: none is left. */
static const char *command_word(struct byte_cursor *cursor)
{
	uint32_t size = byte_cursor_u32(cursor);
	const char *word = byte_cursor_take(cursor, size);

	return word && memchr(word, '\0', size) ? word : NULL;
}

/* Returns true for pscal: the first word of its command is "pscal record". */
static bool is_ours(const char *program)
{
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
	size_t length = strcspn(name, " ");

	return length == strlen("pscal") && strncmp(name, "pscal", length) == 0;
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

/* Returns the place of the word, or `count` if it is missing. */
static size_t find_word(const char *const *words, size_t count, const char *word)
{
	size_t i = 0;

	while (i < count && strcmp(words[i], word) != 0)
		i++;
	return i;
}

/* Returns the place of the recorded command, behind the options of perf. */
static size_t perf_command_begin(const char *const *words, size_t count)
{
	struct perfdata_command ignored = {0};
	struct command_reading reading = {.command = &ignored};
	size_t i = find_word(words, count, "record") + 1;

	while (i < count && command_take_word(&reading, words[i]))
		i++;
	return i < count ? i : count;
}

char *perfdata_command_text(const char *bytes, size_t length, bool swapped)
{
	struct byte_cursor cursor = {.at = bytes, .left = length, .swapped = swapped};
	const char *words[COMMAND_WORDS_MAX + 1] = {NULL}, *word;
	uint32_t count = byte_cursor_u32(&cursor);
	size_t used = 0, first;

	for (; used < count && used < COMMAND_WORDS_MAX && (word = command_word(&cursor)); used++)
		words[used] = word;
	if (!used)
		return NULL;
	first = is_ours(words[0]) ? find_word(words, used, "--") : perf_command_begin(words, used);
	first += first < used && strcmp(words[first], "--") == 0;
	return shell_quote(first < used ? words + first : words);
}
