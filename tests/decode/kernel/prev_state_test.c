/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/prev_state.h"

#include "support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define CALL "(REC->prev_state & (1023)) ? __print_flags(REC->prev_state & (1023), \"|\", "
#define REST " ) : \"R\", REC->prev_state & 1024 ? \"+\" : \"\""

/* Print formats as kernels have them. */
#define LINUX_3_2                                                                            \
	"\"prev_state=%s\", REC->prev_state & (512-1) ? __print_flags(REC->prev_state & "    \
	"(512-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, "     \
	"\"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"W\" }) : \"R\", REC->prev_state & " \
	"512 ? \"+\" : \"\""
#define LINUX_4_9                                                                             \
	"\"prev_state=%s%s\", REC->prev_state & (4096-1) ? __print_flags(REC->prev_state & "  \
	"(4096-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, "     \
	"\"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, "      \
	"\"P\" }, { 1024, \"N\" }, { 2048, \"n\" }) : \"R\", REC->prev_state & 4096 ? \"+\" " \
	": \"\", REC->next_comm"
#define LINUX_6_1                                                                           \
	"\"%s%s\", (REC->prev_state & ((((0x00000000 | 0x00000001) + 1) << 1) - 1)) ? "     \
	"__print_flags(REC->prev_state & ((((0x00000000 | 0x00000001) + 1) << 1) - 1), "    \
	"\"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, { "    \
	"0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, " \
	"\"P\" }, { 0x00000080, \"I\" }) : \"R\", REC->prev_state & 0x100 ? \"+\" : \"\""

/* Exactly so many bytes, so that the sanitizer sees one too many. */
static void learn(struct prev_state *prev_state, const char *print, size_t length)
{
	char *copy = malloc(length ? length : 1);

	memcpy(copy, print, length);
	prev_state_init(prev_state);
	prev_state_learn(prev_state, copy, length);
	free(copy);
}

static void each_kernel_says_what_its_bits_mean(void **state)
{
	static const struct {
		const char *print;
		uint64_t bits;
		enum thread_state want;
	} cases[] = {
		{LINUX_3_2, 0, STATE_RUNNABLE},
		{LINUX_3_2, 1, STATE_SLEEPING},
		{LINUX_3_2, 2, STATE_DISK},
		{LINUX_3_2, 4, STATE_STOPPED},
		{LINUX_3_2, 16, STATE_NONE},
		{LINUX_3_2, 32, STATE_NONE},
		{LINUX_3_2, 64, STATE_NONE},
		{LINUX_3_2, 512, STATE_RUNNABLE}, /* TASK_STATE_MAX: preempted */
		{LINUX_4_9, 1, STATE_SLEEPING},
		{LINUX_4_9, 8, STATE_STOPPED},
		{LINUX_4_9, 64, STATE_NONE},
		{LINUX_4_9, 64 | 2, STATE_NONE},
		{LINUX_4_9, 128 | 2, STATE_DISK},    /* killable */
		{LINUX_4_9, 128 | 4, STATE_STOPPED}, /* by a signal */
		{LINUX_4_9, 128, STATE_UNKNOWN},
		{LINUX_4_9, 256, STATE_UNKNOWN},
		{LINUX_4_9, 512, STATE_SLEEPING},      /* parked */
		{LINUX_4_9, 1024 | 2, STATE_SLEEPING}, /* TASK_IDLE */
		{LINUX_4_9, 4096, STATE_RUNNABLE},
		{LINUX_6_1, 0, STATE_RUNNABLE},
		{LINUX_6_1, 1, STATE_SLEEPING},
		{LINUX_6_1, 2, STATE_DISK},
		{LINUX_6_1, 0x10, STATE_NONE},
		{LINUX_6_1, 0x20, STATE_NONE},
		{LINUX_6_1, 0x40, STATE_SLEEPING},
		{LINUX_6_1, 0x80, STATE_SLEEPING},
		{LINUX_6_1, 0x100, STATE_RUNNABLE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct prev_state learnt;

		learn(&learnt, cases[i].print, strlen(cases[i].print));
		if (prev_state_of(&learnt, cases[i].bits) != cases[i].want)
			fail_msg("case %zu: %s", i,
				 thread_state_name(prev_state_of(&learnt, cases[i].bits)));
	}
}

static void without_a_sound_table_the_bits_are_those_of_today(void **state)
{
	static const char *const prints[] = {
		"",
		"\"prev_state=%ld\", REC->prev_state",
		CALL REST,
		CALL "{ 1, \"S\" }, { 2, \"D\" }" REST,		       /* nobody dies */
		CALL "{ 1, \"D\" }, { 2, \"S\" }, { 64, \"x\" }" REST, /* never so */
		CALL "{ 3, \"S\" }, { 64, \"x\" }, { 2, \"D\" }" REST, /* not one bit */
		CALL "{ 0, \"S\" }, { 64, \"x\" }, { 2, \"D\" }" REST, /* none */
		CALL "{ -1, \"S\" }, { 64, \"x\" }, { 2, \"D\" }" REST,
		CALL "{ 1, \"S\" }, { 2, \"D\" }, { 99999999999999999999, \"x\" }" REST,
		CALL "{ 1, \"Sleeping\" }, { 2, \"D\" }, { 64, \"x\" }" REST,
		CALL "{ A, \"S\" }, { B, \"D\" }, { C, \"x\" }" REST,
		"__print_flags(REC->prev_state, , { 1, \"S\" }, { 2, \"D\" }, { 64, \"x\" })",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(prints); i++) {
		struct prev_state learnt;

		learn(&learnt, prints[i], strlen(prints[i]));
		if (prev_state_of(&learnt, 64) != STATE_SLEEPING)
			fail_msg("'%s' was believed", prints[i]);
	}
}

static void a_print_format_may_be_cut_anywhere(void **state)
{
	(void)state;
	for (size_t length = 0; length < sizeof(LINUX_4_9); length++) {
		struct prev_state learnt;

		learn(&learnt, LINUX_4_9, length);
		assert_int_equal(prev_state_of(&learnt, 1), STATE_SLEEPING);
		assert_int_equal(prev_state_of(&learnt, 2), STATE_DISK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kernel_says_what_its_bits_mean),
		cmocka_unit_test(without_a_sound_table_the_bits_are_those_of_today),
		cmocka_unit_test(a_print_format_may_be_cut_anywhere),
	};

	return RUN_TESTS(tests);
}
