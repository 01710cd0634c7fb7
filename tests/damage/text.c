/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "damage/damage.h"

size_t damage_lines(struct range lines[DAMAGE_PIECES], const struct bytes *bytes)
{
	size_t count = 0, at = 0;

	while (count < DAMAGE_PIECES && at < bytes->count) {
		const char *newline = memchr(bytes->at + at, '\n', bytes->count - at);
		size_t end = newline ? (size_t)(newline - bytes->at) + 1 : bytes->count;

		lines[count++] = (struct range){at, end};
		at = end;
	}
	return count;
}

static struct range any_line(const struct bytes *bytes, struct random *random)
{
	struct range lines[DAMAGE_PIECES];
	size_t count = damage_lines(lines, bytes);

	return count ? lines[random_below(random, count)] : (struct range){0, 0};
}

static void swap_lines(struct bytes *bytes, struct random *random)
{
	struct range one = any_line(bytes, random);

	damage_exchange(bytes, one, any_line(bytes, random));
}

static void repeat_line(struct bytes *bytes, struct random *random)
{
	struct range line = any_line(bytes, random);

	damage_insert_copy(bytes, any_line(bytes, random).begin, line);
}

static void drop_line(struct bytes *bytes, struct random *random)
{
	damage_erase(bytes, any_line(bytes, random));
}

/* Breaks a line, as a newline in a name does. */
static void break_line(struct bytes *bytes, struct random *random)
{
	struct range line = any_line(bytes, random);
	static const char *const breaks[] = {"\n", "\r\n", "\t", "\r", "\n\n", ">"};
	const char *with = breaks[random_below(random, sizeof(breaks) / sizeof(breaks[0]))];

	damage_insert(bytes, line.begin + random_below(random, line.end - line.begin), with,
		      strlen(with));
}

static void join_lines(struct bytes *bytes, struct random *random)
{
	struct range line = any_line(bytes, random);

	if (line.end > line.begin)
		damage_erase(bytes, (struct range){line.end - 1, line.end});
}

static void put_word(struct bytes *bytes, struct random *random)
{
	static const char *const words[] = {" prev_pid=",
					    "next_comm=",
					    " ==> ",
					    " [000] ",
					    "1.000001:",
					    " 5/5 ",
					    "sched_switch:",
					    "PERF_RECORD_SWITCH",
					    " IN ",
					    "#",
					    "99999999999999999999",
					    "-1",
					    "=>",
					    "[120] ",
					    "pid=2147483647 ",
					    "success=0",
					    "\xff\xfe",
					    "target_cpu=",
					    " (msec)",
					    "[4/4]",
					    "9999999999.999999999: ",
					    " 4194303 ",
					    "<idle>-0",
					    "\"",
					    ",",
					    ";",
					    "1e308",
					    "nan"};
	const char *word = words[random_below(random, sizeof(words) / sizeof(words[0]))];

	damage_insert(bytes, random_below(random, bytes->count), word, strlen(word));
}

/* Times go back, CPUs and threads change. */
static void change_digits(struct bytes *bytes, struct random *random)
{
	size_t from = random_below(random, bytes->count), left = 1 + random_below(random, 4);

	for (size_t i = from; left && i < bytes->count; i++) {
		if (bytes->at[i] < '0' || bytes->at[i] > '9')
			continue;
		bytes->at[i] = (char)('0' + random_below(random, 10));
		left--;
	}
}

const struct way damage_text[] = {
	{"swap two lines", swap_lines},	  {"repeat a line", repeat_line},
	{"drop a line", drop_line},	  {"break a line", break_line},
	{"join two lines", join_lines},	  {"put a word in", put_word},
	{"change digits", change_digits}, {NULL, NULL},
};
