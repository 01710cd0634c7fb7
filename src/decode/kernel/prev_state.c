/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/prev_state.h"

#include "base/alloc.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FLAG_COUNT_MAX = 32 };

enum thread_state prev_state_work_out(const struct prev_state *prev_state, uint64_t bits)
{
	if (!prev_state->sleeping)
		return thread_state_of_bits(bits);
	if (bits & prev_state->dead) /* whatever else it is */
		return STATE_NONE;
	if (bits & prev_state->idle)
		return STATE_SLEEPING;
	if (bits & prev_state->disk)
		return STATE_DISK;
	if (bits & prev_state->stopped)
		return STATE_STOPPED;
	if (bits & prev_state->sleeping)
		return STATE_SLEEPING;
	/* 0 is R; what the table does not name says that it was preempted (R+). */
	return bits & prev_state->moot ? STATE_UNKNOWN : STATE_RUNNABLE;
}

static void fill_small(struct prev_state *prev_state)
{
	for (uint64_t bits = 0; bits < PREV_STATE_SMALL; bits++)
		prev_state->small[bits] = (uint8_t)prev_state_work_out(prev_state, bits);
}

void prev_state_init(struct prev_state *prev_state)
{
	*prev_state = (struct prev_state){0};
	fill_small(prev_state);
}

/* --- Print formats ------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* `{ 0x01, "S" }`, with blanks as it likes. Returns what follows, or NULL. */
static const char *parse_flag(const char *at, uint64_t *bit, char *letter)
{
	char *end;

	at = skip_blanks(at);
	if (*at++ != '{')
		return NULL;
	at = skip_blanks(at);
	if (!isdigit((unsigned char)*at))
		return NULL;
	*bit = strtoull(at, &end, 0);
	at = skip_blanks(end);
	if (*at++ != ',')
		return NULL;
	at = skip_blanks(at);
	if (*at++ != '"' || !isalpha((unsigned char)*at))
		return NULL;
	*letter = *at++;
	if (*at++ != '"')
		return NULL;
	at = skip_blanks(at);
	return *at == '}' ? at + 1 : NULL;
}

/* N is TASK_NOLOAD: D and N together are an idle kernel thread, which later kernels call I. */
static void add_flag(struct prev_state *prev_state, uint64_t bit, char letter)
{
	const char letters[] = {letter, '\0'};

	if (letter == 'N') {
		prev_state->idle |= bit;
		return;
	}
	switch (thread_state_of_letters(letters)) {
	case STATE_NONE:
		prev_state->dead |= bit;
		break;
	case STATE_DISK:
		prev_state->disk |= bit;
		break;
	case STATE_STOPPED:
		prev_state->stopped |= bit;
		break;
	case STATE_SLEEPING:
		prev_state->sleeping |= bit;
		break;
	default: /* K: a signal may end it, W: being woken, n: new */
		prev_state->moot |= bit;
	}
}

/* In every kernel 1 has been S, and 2 D; and a thread dies somehow. */
static bool is_sound(const struct prev_state *prev_state)
{
	return prev_state->sleeping & 1 && prev_state->disk & 2 && prev_state->dead;
}

void prev_state_learn(struct prev_state *prev_state, const char *print, size_t length)
{
	static const char call[] = "__print_flags(REC->prev_state", delimiter[] = "\"|\"";
	const char *begin = memmem(print, length, call, sizeof(call) - 1);
	struct prev_state learnt = {0};
	char *text;
	const char *at;

	if (!begin)
		return;
	text = xcalloc(length - (size_t)(begin - print) + 1, 1);
	memcpy(text, begin, length - (size_t)(begin - print));
	at = strstr(text, delimiter);
	if (at)
		at = skip_blanks(at + sizeof(delimiter) - 1);
	for (int i = 0; at && *at == ',' && i < FLAG_COUNT_MAX; i++) {
		uint64_t bit;
		char letter;

		at = parse_flag(at + 1, &bit, &letter);
		if (!at || !bit || bit & (bit - 1))
			break;
		add_flag(&learnt, bit, letter);
		at = skip_blanks(at);
	}
	if (is_sound(&learnt)) {
		*prev_state = learnt;
		fill_small(prev_state);
	}
	free(text);
}
