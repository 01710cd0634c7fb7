/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/names.h"
#include "cmd/options/options_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Options of which the argument may be left out ----------------------------------------- */

const struct option_slot *option_find(const struct option_rows *rows, const char *name, char letter)
{
	size_t length = strcspn(name, "=");

	for (size_t i = 0; i < rows->slot_count; i++) {
		const struct option *option = rows->slots[i].option;

		if (letter ? option->letter == letter
			   : option->name && strncmp(option->name, name, length) == 0 &&
				     !option->name[length])
			return &rows->slots[i];
	}
	return NULL;
}

static bool takes_argument(const struct option_slot *slot)
{
	enum option_type type = slot ? slot->option->type : OPTION_FLAG;

	return type != OPTION_FLAG && type != OPTION_VALUE && type != OPTION_HELP &&
	       type != OPTION_GONE;
}

/* Returns true if the next word is the argument of an option in this one. */
static bool takes_next(const struct option_rows *rows, const char *word)
{
	if (strncmp(word, "--", 2) == 0)
		return !strchr(word, '=') && takes_argument(option_find(rows, word + 2, '\0'));
	for (word++; *word; word++)
		if (takes_argument(option_find(rows, "", *word)))
			return !word[1]; /* else the rest of the word is the argument */
	return false;
}

/* Returns the option with its default argument; NULL: it has an argument, or needs one. */
static const char *whole_word(const struct option_rows *rows, const char *word)
{
	const struct option_slot *slot = NULL;

	if (strncmp(word, "--", 2) == 0 && !strchr(word, '='))
		slot = option_find(rows, word + 2, '\0');
	return slot ? slot->option->whole_word : NULL;
}

/*
 * Spells "--sync" as "--sync=futex", as popt takes the word after an option with an optional
 * argument for the argument, and that may be a COMMAND, whose own options are left alone.
 */
const char **option_words_spell(const struct option_rows *rows, enum options_set set, int argc,
				const char **argv)
{
	const char **words = xcalloc((size_t)argc + 1, sizeof(*words));

	memcpy(words, argv, (size_t)argc * sizeof(*words));
	for (int i = 1; i < argc && strcmp(words[i], "--") != 0; i++) {
		const char *whole = whole_word(rows, words[i]);

		if (whole)
			words[i] = whole;
		else if (words[i][0] != '-' && options_set_runs(set))
			break;
		else if (words[i][0] == '-' && takes_next(rows, words[i]))
			i++;
	}
	return words;
}

/* Returns the length of an option without its argument: of "--interval" in "--interval=1". */
static int bare_length(const char *word)
{
	return word[1] == '-' ? (int)strcspn(word, "=") : 2;
}

static const struct option_slot *slot_of(const struct option_rows *rows, const char *word)
{
	if (strncmp(word, "--", 2) == 0)
		return option_find(rows, word + 2, '\0');
	return word[0] == '-' && word[1] ? option_find(rows, "", word[1]) : NULL;
}

/* Sets the error about a missing argument, of the last letter in a word as "-qn". */
static int refuse_missing(const struct option_rows *rows, const char *word, struct err *err)
{
	bool is_long = word[1] == '-';
	const char letter[] = {'-', word[strlen(word) - 1], '\0'};
	const struct option_slot *slot = slot_of(rows, is_long ? word : letter);
	const char *argument = slot && slot->option->argument ? slot->option->argument : "ARGUMENT";

	word = is_long ? word : letter;
	return err_set(err, "%s: its argument is missing; say %s%s%s", word, word,
		       is_long ? "=" : " ", argument);
}

/* Returns true if `word` is not an argument: the end, "--", or another long option. */
static bool is_no_argument(const struct option_rows *rows, const char *word)
{
	return !word || strcmp(word, "--") == 0 ||
	       (strncmp(word, "--", 2) == 0 && option_find(rows, word + 2, '\0'));
}

static int check_word(const struct option_rows *rows, const char *const *words, struct err *err)
{
	const char *word = *words;
	const struct option_slot *slot = slot_of(rows, word);

	if (word[0] == '-' && word[1] != '-' && word[1] && word[2] &&
	    option_find(rows, word + 1, '\0'))
		return err_set(err, "%s: there is no such option; did you mean '-%s'?", word, word);
	if (!slot)
		return 0;
	if (slot->option->type == OPTION_GONE)
		return err_set(err, "%.*s %s", bare_length(word), word, slot->option->help);
	if (takes_next(rows, word) && is_no_argument(rows, words[1]))
		return refuse_missing(rows, word, err);
	return 0;
}

int option_words_check(const struct option_rows *rows, enum options_set set, struct err *err)
{
	for (const char **words = rows->words + 1; *words && strcmp(*words, "--") != 0; words++) {
		if (**words != '-' && options_set_runs(set))
			break;
		if (check_word(rows, words, err))
			return -1;
		if (**words == '-' && takes_next(rows, *words) && words[1])
			words++;
	}
	return 0;
}

/* --- Options as they were typed ------------------------------------------------------------- */

/* Returns true if the word is the option's long name, or contains its letter as an option. */
static bool is_option_word(const struct option_rows *rows, const struct option_slot *slot,
			   const char *word)
{
	if (strncmp(word, "--", 2) == 0)
		return option_find(rows, word + 2, '\0') == slot;
	while (*++word && *word != slot->option->letter)
		if (takes_argument(option_find(rows, "", *word)))
			return false;
	return *word && slot->option->letter;
}

void option_words_typed(char name[NAME_SIZE], const struct option_rows *rows, enum options_set set,
			const struct option_slot *slot)
{
	const struct option *option = slot->option;
	bool is_long = !option->letter;

	for (const char **words = rows->words + 1; *words && strcmp(*words, "--") != 0; words++) {
		if (**words != '-' && options_set_runs(set))
			break;
		if (**words == '-' && is_option_word(rows, slot, *words))
			is_long = (*words)[1] == '-';
		if (**words == '-' && takes_next(rows, *words) && words[1])
			words++;
	}
	if (is_long)
		snprintf(name, NAME_SIZE, "--%s", option->name);
	else
		snprintf(name, NAME_SIZE, "-%c", option->letter);
}

/* --- Words that popt refuses --------------------------------------------------------------- */

static void try_option(struct nearest *nearest, const struct option *option)
{
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "--%s", option->name ? option->name : "");
	if (option->name && option->type != OPTION_GONE)
		nearest_try(nearest, name);
}

void option_words_refuse(const struct option_rows *rows, int rc, struct err *err)
{
	const char *word = poptBadOption(rows->context, POPT_BADOPTION_NOALIAS);
	char *name = xasprintf("%.*s", (int)strcspn(word, "="), word);
	struct nearest nearest;
	char *question;

	nearest_init(&nearest, name);
	for (size_t i = 0; i < rows->slot_count && strncmp(name, "--", 2) == 0; i++)
		try_option(&nearest, rows->slots[i].option);
	question = nearest_question(&nearest);
	if (rc == POPT_ERROR_UNWANTEDARG)
		err_set(err, "%s: takes no argument; say %s", word, name);
	else if (rc != POPT_ERROR_BADOPT)
		err_set(err, "%s: %s; see '%s --help'", name, poptStrerror(rc), rows->words[0]);
	else if (question)
		err_set(err, "%s: there is no such option; %s", name, question);
	else
		err_set(err, "%s: there is no such option; '%s --help' lists them", name,
			rows->words[0]);
	free(question);
	free(name);
}
