/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognition.h"

#include "draw/steps.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* After its fourth progress p lets f pass twice, which waited before and does so after. */
#define P(first, second, third)                                                \
	"p: mutex_lock(m:1) cond_broadcast(c:0) wake(f,0) mutex_unlock(m:2) "  \
	"1ms mutex_lock(m:4) cond_broadcast(c:1) " first "mutex_unlock(m:5) "  \
	"1ms mutex_lock(m:6) cond_broadcast(c:2) " second "mutex_unlock(m:7) " \
	"1ms mutex_lock(m:8) cond_broadcast(c:3) " third "mutex_unlock(m:9) "  \
	"1ms mutex_lock(m:15) cond_broadcast(c:5) wake(f,1) mutex_unlock(m:16)\n"
#define F(one, other)                                                             \
	"f: mutex_lock(m:0) call(m,0) cond_wait(c:0) block(0) mutex_unlock(m:3) " \
	"1ms " one "mutex_lock(m:10) 1us mutex_unlock(m:11) "                     \
	"1ms " other "mutex_lock(m:12) 1us mutex_unlock(m:13) "                   \
	"1ms mutex_lock(m:14) call(m,0) cond_wait(c:4) block(1) mutex_unlock(m:17)\n"

static const struct {
	const char *what, *text, *want;
} cases[] = {
	{"a following thread needs more and more progress", P("", "", "") F("", ""),
	 P("wake(f,2) ", "wake(f,3) ", "") F("block(2@c) ", "block(3@c) ")},
	{"but not more than the recorded progress",
	 "p: mutex_lock(m:1) cond_broadcast(c:0) wake(f,0) mutex_unlock(m:2) "
	 "1ms mutex_lock(m:8) cond_broadcast(c:3) mutex_unlock(m:9) "
	 "1ms mutex_lock(m:13) cond_broadcast(c:5) wake(f,1) mutex_unlock(m:14)\n"
	 "f: mutex_lock(m:0) call(m,0) cond_wait(c:0) block(0) mutex_unlock(m:3) "
	 "1ms mutex_lock(m:4) mutex_unlock(m:5) mutex_lock(m:6) mutex_unlock(m:7) "
	 "1ms mutex_lock(m:12) call(m,0) cond_wait(c:4) block(1) mutex_unlock(m:15)\n",
	 NULL},
	{"the need of a thread that has waited once is unknown",
	 "p: mutex_lock(m:1) cond_broadcast(c:0) wake(f,0) mutex_unlock(m:2) "
	 "1ms mutex_lock(m:4) cond_broadcast(c:1) mutex_unlock(m:5)\n"
	 "f: mutex_lock(m:0) call(m,0) cond_wait(c:0) block(0) mutex_unlock(m:3) "
	 "1ms mutex_lock(m:6) mutex_unlock(m:7)",
	 NULL},
	{"another condition of the mutex belongs to no counter",
	 P("", "", "") F("", "") "o: mutex_lock(m:18) cond_broadcast(d:0) mutex_unlock(m:19)",
	 NULL},
	{"a signal is for one waiting thread",
	 P("", "", "") F("", "") "o: mutex_lock(m:18) cond_signal(c:6) mutex_unlock(m:19)", NULL},
	{"a mutex that is held with other ones belongs to no counter",
	 P("", "", "") F("", "") "o: mutex_lock(n:0) mutex_lock(m:18) mutex_unlock(m:19) "
				 "mutex_unlock(n:1)",
	 NULL},
	{"without calls no progress is known", "a: 1ms wake(b,0)\nb: block(0) 1ms", NULL},
};

static void progress_is_followed_even_without_waits(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program, want;
		char *is, *should;

		steps_read(&program, cases[i].text);
		steps_read(&want, cases[i].want ? cases[i].want : cases[i].text);
		condition_counters_add(&program);
		is = steps_text(&program);
		should = steps_text(&want);
		if (strcmp(is, should))
			print_error("%s: got\n%swant\n%s", cases[i].what, is, should);
		assert_string_equal(is, should);
		free(is);
		free(should);
		program_release(&program);
		program_release(&want);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(progress_is_followed_even_without_waits),
};

TEST_FILE(tests);
