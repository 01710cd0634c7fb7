/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/sweep_run.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "base/parse.h"
#include "base/printable.h"
#include "collect/child.h"
#include "collect/stop_signals.h"
#include "collect/sweep/conditions.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int set_work(struct sweep_rate *rate, const char *text, struct err *err)
{
	char *number = xstrdup(text);
	char *star = strchr(number, '*');
	int rc;

	rate->work_per_n = star && strcmp(star, "*n") == 0;
	if (rate->work_per_n)
		*star = '\0';
	rc = parse_double(&rate->work, number);
	free(number);
	if (rc || !(rate->work > 0))
		return err_set(err,
			       "--work %s: is not a number above 0, as 1000, or 1000*n for work "
			       "that grows with N",
			       text);
	return 0;
}

static int set_pattern(struct sweep_rate *rate, enum sweep_rate_kind kind, const char *pattern,
		       struct err *err)
{
	const char *option = kind == SWEEP_RATE_TIME ? "--match-time" : "--match";
	char why[128];
	int code = regcomp(&rate->pattern, pattern, REG_EXTENDED);

	if (code) {
		regerror(code, &rate->pattern, why, sizeof(why));
		return err_set(err, "%s '%s': is not an extended regular expression: %s", option,
			       pattern, why);
	}
	rate->kind = kind; /* there is a pattern to release */
	if (rate->pattern.re_nsub == 0)
		return err_set(err, "%s '%s': put parentheses around the number, as ([0-9.]+)",
			       option, pattern);
	return 0;
}

int sweep_rate_init(struct sweep_rate *rate, const char *work, enum sweep_rate_kind kind,
		    const char *pattern, struct err *err)
{
	*rate = (struct sweep_rate){.kind = SWEEP_RATE_WALL};
	if (set_work(rate, work, err))
		return -1;
	return kind == SWEEP_RATE_WALL ? 0 : set_pattern(rate, kind, pattern, err);
}

void sweep_rate_release(struct sweep_rate *rate)
{
	if (rate->kind != SWEEP_RATE_WALL)
		regfree(&rate->pattern);
}

/* The bytes to search before give_up() is called again. */
enum { ASK_BYTES = 1 << 16 };

struct search {
	const regex_t *pattern;
	const struct sweep_rate_run *run;
	size_t bytes;	/* searched since the last call of give_up() */
	char text[64];	/* the last match */
	char whole[64]; /* the number that it is only a part of, or "" */
	bool found;
};

static void copy(char out[64], const char *from, const char *to)
{
	size_t count = 0;

	for (; from < to && count < 63; from++)
		out[count++] = *from;
	out[count] = '\0';
	printable_mend(out);
}

/* Returns whether a text is a number, possibly with commas. */
static bool is_number(const char *from, const char *to)
{
	char digits[64];
	size_t count = 0;
	double number;

	for (; from < to; from++)
		if (*from != ',' && count < sizeof(digits) - 1)
			digits[count++] = *from;
	digits[count] = '\0';
	return parse_double(&number, digits) == 0;
}

/*
 * Finds the number that a match is only a part of. "1,532" is one and a half or one and a half
 * thousand, but not the 1 that ([0-9.]+) matches in it, nor is "1.5e+06" 1.5. If the pattern itself
 * continues beyond the group, it decides.
 */
static void find_whole(struct search *search, const char *line, const char *begin,
		       const regmatch_t match[2])
{
	static const char in_number[] = "0123456789.,+-eE";
	const char *from = begin + match[1].rm_so, *to = begin + match[1].rm_eo;

	search->whole[0] = '\0';
	if (match[1].rm_so == match[0].rm_so)
		while (from > line && strchr(in_number, from[-1]))
			from--;
	if (match[1].rm_eo == match[0].rm_eo)
		while (*to && strchr(in_number, *to))
			to++;
	while (to > begin + match[1].rm_eo && strchr(".,", to[-1])) /* the end of a sentence */
		to--;
	if (from > line && isalnum((unsigned char)from[-1])) /* "run-8", "v1" */
		return;
	if ((from < begin + match[1].rm_so || to > begin + match[1].rm_eo) && is_number(from, to))
		copy(search->whole, from, to);
}

static bool find_in(void *context, const char *line)
{
	struct search *search = context;
	const char *begin = line;
	regmatch_t match[2];
	int flags = 0;

	while (regexec(search->pattern, begin, 2, match, flags) == 0) {
		if (match[1].rm_so >= 0) {
			copy(search->text, begin + match[1].rm_so, begin + match[1].rm_eo);
			find_whole(search, line, begin, match);
			search->found = true;
		}
		begin += match[0].rm_eo;
		flags = REG_NOTBOL;
		if (match[0].rm_eo == match[0].rm_so && !*begin++) /* it may match nothing */
			break;
	}
	search->bytes += strlen(line);
	if (search->bytes < ASK_BYTES || !search->run->give_up)
		return true;
	search->bytes = 0;
	return !search->run->give_up(search->run->context);
}

static int find_number(double *number, const struct sweep_rate *rate,
		       const struct sweep_rate_run *run, struct err *err)
{
	struct search search = {.pattern = &rate->pattern, .run = run};

	sweep_output_lines(run->output, find_in, &search);
	if (!search.found)
		return err_set(err, "the pattern matches nothing");
	if (search.whole[0])
		return err_set(err,
			       "it printed '%s', and the group in the pattern matches only '%s'; "
			       "match the whole number, with a decimal point and no commas",
			       search.whole, search.text);
	if (parse_double(number, search.text))
		return err_set(err, "it printed '%s', which is not a number", search.text);
	if (!(*number > 0))
		return err_set(err, "it printed %s, which is not above 0", search.text);
	return 0;
}

int sweep_rate_take(double *throughput, const struct sweep_rate *rate,
		    const struct sweep_rate_run *run, struct err *err)
{
	double seconds = (double)(run->wall_ns ? run->wall_ns : 1) / 1e9, found;

	if (rate->kind != SWEEP_RATE_WALL && find_number(&found, rate, run, err))
		return -1;
	if (rate->kind == SWEEP_RATE_TIME)
		seconds = found;
	if (rate->kind == SWEEP_RATE_MATCH)
		*throughput = found;
	else
		*throughput = rate->work * (rate->work_per_n ? (double)run->n : 1) / seconds;
	if (!isfinite(*throughput))
		return err_set(err, "the throughput is too large for a number");
	return 0;
}

/* Standard streams of the child. Its standard error is not that of the command. */
enum { STREAM_IN = 0, STREAM_ERROR = 2 };

static const uint64_t tick_ns = 200000000, grace_ns = 5000000000, never = UINT64_MAX;

/* --- In the child ---------------------------------------------------------------------------- */

static int confine(const int *cpus, size_t count)
{
	size_t largest = 0;
	cpu_set_t *set;
	size_t size;
	int code = 0;

	for (size_t i = 0; i < count; i++)
		largest = (size_t)cpus[i] > largest ? (size_t)cpus[i] : largest;
	set = CPU_ALLOC(largest + 1);
	size = CPU_ALLOC_SIZE(largest + 1);
	if (!set)
		return ENOMEM;
	CPU_ZERO_S(size, set);
	for (size_t i = 0; i < count; i++)
		CPU_SET_S((size_t)cpus[i], size, set);
	if (sched_setaffinity(0, size, set))
		code = errno;
	CPU_FREE(set);
	return code;
}

static int set_environment(const char *const *env)
{
	union { /* putenv does not change the text, but its prototype allows it */
		const char *in;
		char *out;
	} text;

	for (; env && *env; env++) {
		text.in = *env;
		if (putenv(text.out))
			return errno;
	}
	return 0;
}

static int prepare(const void *context)
{
	const struct sweep_run_setup *setup = context;
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) || nothing < 0 ||
	    dup2(nothing, STREAM_IN) < 0 || dup2(setup->output, STREAM_ERROR) < 0)
		return errno;
	if (setup->cpu_count) {
		int code = confine(setup->cpus, setup->cpu_count);

		if (code)
			return code;
	}
	return set_environment(setup->env);
}

/* --- In the parent --------------------------------------------------------------------------- */

struct watch {
	const struct sweep_run_setup *setup;
	struct sweep_run *run;
	struct child child;
	uint64_t begin_ns;
	uint64_t deadline_ns; /* time at which it gets SIGTERM */
	uint64_t kill_ns;     /* time at which it gets SIGKILL */
	bool ended_by_us;
};

static void signal_group(const struct watch *watch, int number)
{
	kill(-watch->child.pid, number);
	kill(-watch->child.pid, SIGCONT); /* a stopped process would not notice */
}

static void ask_to_end(struct watch *watch, uint64_t now)
{
	watch->ended_by_us = true;
	watch->deadline_ns = never;
	watch->kill_ns = now + grace_ns;
	signal_group(watch, SIGTERM);
}

static void answer_signals(struct watch *watch, uint64_t now)
{
	int number;

	while ((number = stop_signals_next(watch->setup->signals))) {
		watch->run->paused |= number == SIGCONT;
		if (!stop_signals_ask(number))
			continue;
		if (watch->run->stopped_by)
			watch->kill_ns = now;
		watch->run->stopped_by = number;
		if (!watch->ended_by_us)
			ask_to_end(watch, now);
	}
}

static void answer_time(struct watch *watch, uint64_t now)
{
	if (now >= watch->deadline_ns) {
		watch->run->timed_out = true;
		ask_to_end(watch, now);
	}
	if (now >= watch->kill_ns) {
		watch->kill_ns = never;
		signal_group(watch, SIGKILL);
	}
}

static int wait_ms(const struct watch *watch, uint64_t now)
{
	uint64_t until = watch->deadline_ns < watch->kill_ns ? watch->deadline_ns : watch->kill_ns;

	if (watch->setup->tick && until > now + tick_ns)
		until = now + tick_ns;
	if (until == never)
		return -1;
	until = until > now ? (until - now) / 1000000 + 1 : 0;
	return until < 1000000 ? (int)until : 1000000;
}

static void wait_for_end(struct watch *watch)
{
	struct pollfd fd = {.fd = watch->setup->signals->fd, .events = POLLIN};
	uint64_t now = monotonic_ns();

	while (!child_is_zombie(&watch->child)) {
		poll(&fd, 1, wait_ms(watch, now));
		now = monotonic_ns();
		answer_signals(watch, now);
		answer_time(watch, now);
		if (watch->setup->tick)
			watch->setup->tick(watch->setup->context, now - watch->begin_ns);
	}
	watch->run->wall_ns = now - watch->begin_ns;
	answer_signals(watch, now);
	if (watch->ended_by_us)
		signal_group(watch, SIGKILL); /* the zombie still holds the id of the group */
	while (!child_ended(&watch->child, &watch->run->status))
		;
	watch->run->cpu_ns = watch->child.cpu_ns;
}

int sweep_run(struct sweep_run *run, const struct sweep_run_setup *setup, struct err *err)
{
	struct child_setup child = {.signals = setup->signals,
				    .output = setup->output,
				    .prepare = prepare,
				    .context = setup};
	double before_s, after_s;
	struct watch watch = {.setup = setup, .run = run, .deadline_ns = never, .kill_ns = never};

	*run = (struct sweep_run){0};
	if (child_start(&watch.child, setup->command, &child, err))
		return -1;
	before_s = cpu_busy_s("");
	watch.begin_ns = monotonic_ns();
	if (setup->timeout_ns)
		watch.deadline_ns = watch.begin_ns + setup->timeout_ns;
	if (child_release(&watch.child, setup->command, err))
		return -1;
	wait_for_end(&watch);
	after_s = cpu_busy_s("");
	run->busy_s = before_s < 0 || after_s < before_s ? -1 : after_s - before_s;
	return 0;
}

/* --- Output ----------------------------------------------------------------------------------- */

enum { PIECE = 1 << 16, END_LINES = 3, END_BYTES = 300, NUMBER_BYTES = 64 };

struct splitter {
	char line[SWEEP_LINE_MAX + 1];
	size_t length;
	bool (*take)(void *context, const char *line);
	void *context;
	bool enough; /* `take` needs no more lines */
};

static void end_line(struct splitter *splitter)
{
	splitter->line[splitter->length] = '\0';
	if (splitter->length && !splitter->enough)
		splitter->enough = !splitter->take(splitter->context, splitter->line);
	splitter->length = 0;
}

/* Ends a line before a number that may be incomplete. */
static void break_line(struct splitter *splitter)
{
	static const char number[] = "0123456789.,+-eE";
	char rest[NUMBER_BYTES];
	size_t kept = 0;

	while (kept < NUMBER_BYTES && strchr(number, splitter->line[splitter->length - 1 - kept]))
		kept++;
	if (kept == NUMBER_BYTES) /* no number */
		kept = 0;
	splitter->length -= kept;
	memcpy(rest, splitter->line + splitter->length, kept);
	end_line(splitter);
	memcpy(splitter->line, rest, kept);
	splitter->length = kept;
}

static void add_byte(struct splitter *splitter, char byte)
{
	if (byte == '\n' || byte == '\r' || byte == '\0') {
		end_line(splitter);
		return;
	}
	if (splitter->length == SWEEP_LINE_MAX)
		break_line(splitter);
	splitter->line[splitter->length++] = byte;
}

void sweep_output_lines(int fd, bool (*take)(void *context, const char *line), void *context)
{
	struct splitter splitter = {.take = take, .context = context};
	char *piece = xcalloc(PIECE, 1);
	off_t offset = 0;
	ssize_t got;

	while (!splitter.enough &&
	       ((got = pread(fd, piece, PIECE, offset)) > 0 || (got < 0 && errno == EINTR))) {
		for (ssize_t i = 0; i < got && !splitter.enough; i++)
			add_byte(&splitter, piece[i]);
		offset += got > 0 ? got : 0;
	}
	end_line(&splitter);
	free(piece);
}

/* The last lines, in a ring. */
struct last_lines {
	char text[END_LINES][END_BYTES / END_LINES];
	size_t count;
};

static bool keep_last(void *context, const char *line)
{
	struct last_lines *last = context;
	char *text = last->text[last->count++ % END_LINES];

	snprintf(text, sizeof(last->text[0]), "%s", line);
	printable_mend(text);
	return true;
}

char *sweep_output_end(int fd)
{
	struct last_lines last = {.count = 0};
	char end[END_BYTES + END_LINES * sizeof(" | ")] = "";
	size_t from;

	sweep_output_lines(fd, keep_last, &last);
	from = last.count > END_LINES ? last.count - END_LINES : 0;
	for (size_t i = from; i < last.count; i++) {
		if (i > from)
			strcat(end, " | ");
		strcat(end, last.text[i % END_LINES]);
	}
	return xstrdup(end);
}
