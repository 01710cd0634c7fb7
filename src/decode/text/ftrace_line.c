/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of ftrace, as the kernel prints it (/sys/kernel/tracing/trace and trace_pipe, with or
 * without the options irq-info, record-tgid and latency-format), as `trace-cmd report` prints it,
 * and as the HTML pages of systrace and perfetto contain it:
 *
 *	COMM-TID [(PID)] [CPU] [FLAGS] TIME: EVENT: FIELDS
 *	COMM-TID CPU FLAGS TIME: EVENT: FIELDS			latency-format
 *
 * COMM is the name of the thread when the text was printed, not when the event happened. It is not
 * used: the fields have the names of their time. COMM may look like the rest of a line, in at most
 * 15 characters: the first match that does not end within them is the right one.
 *
 * Lines that report lost records become gaps: from the last event before, as far as the order of
 * time allows.
 */
#include "decode/text/call_text.h"
#include "decode/text/line_layout.h"
#include "decode/text/scan.h"
#include "decode/text/sched_fields.h"

#include <stdlib.h>
#include <strings.h>

/* --- COMM-TID [(PID)] [CPU] [FLAGS] TIME: -------------------------------------------------- */

struct head {
	int32_t cpu, pid, tid;
	uint64_t time_ns;
	bool interrupt;	      /* an interrupt raised the event, by the flags */
	bool counted;	      /* the time is a plain number, of a clock that is not in seconds */
	const char *comm_end; /* the '-' before the thread */
	const char *rest;     /* the text behind the time */
};

/* Reads seconds with a fraction, microseconds ("12us!:") or a plain number, up to a colon. */
static const char *read_time(struct head *head, const char *at)
{
	size_t length = strspn(at, "0123456789"), digits;
	const char *rest = at + length;

	head->counted = length >= 1 && length <= 19 && *rest == ':';
	if (head->counted)
		return rest + 1;
	if (rest[0] == 'u' && rest[1] == 's') {
		rest += 2;
		rest += *rest && *rest != ':'; /* marks the delay up to the next event */
		if (*rest != ':' || length > 16 || !scan_unsigned(at, &head->time_ns))
			return NULL;
		head->time_ns *= 1000;
		return rest + 1;
	}
	rest = scan_decimal(at, &head->time_ns, &digits);
	return rest && *rest == ':' ? rest + 1 : NULL;
}

/* Reads the process in parentheses, if any: `(  123)`, `(-------)`. */
static const char *read_pid(struct head *head, const char *at)
{
	const char *end;

	if (*at != '(')
		return at;
	at = scan_blanks(at + 1);
	end = scan_number(at, &head->pid);
	if (!end)
		end = at + strspn(at, "-");
	return *end == ')' ? scan_blanks(end + 1) : NULL;
}

/*
 * Returns true if the third flag marks an interrupt: hard, soft, both, or not maskable. See
 * print_trace_header() and trace_print_lat_fmt() of the kernel.
 */
static bool in_interrupt(const char *flags, size_t length)
{
	return length > 2 && strchr("hsHzZ", flags[2]);
}

/* Reads `[003] d..2. `, maybe without the flags, or `  3d..2. `. */
static const char *read_cpu(struct head *head, const char *at)
{
	enum { FLAGS_MIN = 3 };
	bool bracket = *at == '[';
	const char *flags = scan_number(at + bracket, &head->cpu);
	size_t length;

	if (!flags || head->cpu < 0)
		return NULL;
	length = strcspn(flags, " \t");
	if (!bracket) {
		head->interrupt = in_interrupt(flags, length);
		return length >= FLAGS_MIN ? scan_blanks(flags + length) : NULL;
	}
	if (*flags != ']' || length != 1)
		return NULL;
	at = scan_blanks(flags + 1);
	length = strcspn(at, " \t");
	if (!length || at[length - 1] == ':')
		return at;
	head->interrupt = in_interrupt(at, length);
	return scan_blanks(at + length);
}

/* Reads all behind the name, which ends before the '-' at `at`. */
static bool read_head_at(struct head *head, const char *at)
{
	*head = (struct head){.comm_end = at, .pid = -1};
	if (!isdigit((unsigned char)at[1]))
		return false;
	at = scan_number(at + 1, &head->tid);
	if (!at || !scan_is_blank(*at))
		return false;
	at = read_pid(head, scan_blanks(at));
	at = at ? read_cpu(head, at) : NULL;
	head->rest = at ? read_time(head, at) : NULL;
	return head->rest != NULL;
}

/* Reads the first match that does not end within a possible name, or the last one. */
static bool read_head(struct head *head, const char *line)
{
	const char *comm_max = scan_blanks(line) + COMM_SIZE - 1;
	struct head found;
	bool any = false;

	for (const char *at = strchr(line, '-'); at; at = strchr(at + 1, '-')) {
		if (!read_head_at(&found, at))
			continue;
		*head = found;
		any = true;
		if (found.rest > comm_max)
			break;
	}
	return any;
}

/* Reads `EVENT: `, or `SYSTEM:EVENT: ` by an option of trace-cmd. Returns the fields, or NULL. */
static const char *read_name(const char **name, size_t *length, const char *at)
{
	const char *end;

	at = scan_blanks(at);
	end = at + strcspn(at, " \t");
	if (end - at < 2 || end[-1] != ':')
		return NULL;
	for (*name = --end; *name > at && (*name)[-1] != ':';)
		--*name;
	*length = (size_t)(end - *name);
	return scan_blanks(end + 1);
}

/* --- Lines --------------------------------------------------------------------------------- */

/* The state of the reading of one text. */
struct ftrace {
	uint64_t last_ns;   /* the time of the last event */
	bool counted;	    /* a clock is not in seconds */
	bool page, outside; /* the text is an HTML page; it is now outside of ftrace */
	bool gap, held;	    /* records are missing before `event`; `event` is to be given */
	int32_t gap_cpu;    /* -1: more than one CPU */
	struct event event;
};

static void note_gap(struct ftrace *ftrace, int32_t cpu)
{
	ftrace->gap_cpu = ftrace->gap && ftrace->gap_cpu != cpu ? -1 : cpu;
	ftrace->gap = true;
}

/* Reads `CPU:3 [LOST 5 EVENTS]`, `CPU:3 [5 EVENTS DROPPED]`, maybe without the number. */
static bool is_loss(struct line_reading *reading, const char *line)
{
	const char *at = scan_word(line, "CPU:");
	uint64_t lost = 1;
	int32_t cpu;

	at = at ? scan_number(at, &cpu) : NULL;
	at = at ? scan_word(scan_blanks(at), "[") : NULL;
	if (!at || !strstr(at, "EVENTS") || (!strstr(at, "LOST") && !strstr(at, "DROPPED")))
		return false;
	at += strcspn(at, "0123456789]");
	if (*at != ']')
		lost = strtoull(at, NULL, 10);
	reading->quality->lost += lost;
	note_gap(reading->state, cpu);
	return true;
}

/*
 * Reads `# entries-in-buffer/entries-written: 219/20063 #P:2`: the oldest events were overwritten,
 * on each CPU up to another time. `##### CPU 1 buffer started ####` marks the first event of a CPU.
 */
static bool is_overwritten(struct line_reading *reading, const char *line)
{
	const char *at = scan_word(line, "# entries-in-buffer/entries-written: ");
	unsigned long long kept, written;
	char *end;

	if (scan_word(line, "##### CPU ")) {
		note_gap(reading->state, -1);
		return true;
	}
	if (!at)
		return false;
	kept = strtoull(at, &end, 10);
	written = *end == '/' ? strtoull(end + 1, NULL, 10) : 0;
	if (written > kept) {
		reading->quality->lost += written - kept;
		note_gap(reading->state, -1);
	}
	return true;
}

/* Returns true outside of ftrace: in a page only the text in a script's tags is of ftrace. */
static bool is_outside(struct ftrace *ftrace, const char *line)
{
	if (!ftrace->page)
		return false;
	if (scan_word(line, "# tracer: "))
		ftrace->outside = false;
	else if (strstr(line, "</script>"))
		ftrace->outside = true;
	return ftrace->outside;
}

/* Returns true for `-TID [003] ` without a time. */
static bool is_head_of_event(const char *line)
{
	for (const char *at = strchr(line, '['); at; at = strchr(at + 1, '[')) {
		size_t digits = strspn(at + 1, "0123456789");
		const char *tid = at;

		while (tid > line && isspace((unsigned char)tid[-1]))
			tid--;
		if (digits != 3 || at[4] != ']' || tid == at)
			continue;
		at = scan_back_digits(tid, line);
		return at < tid && at > line && at[-1] == '-';
	}
	return false;
}

/* Handles a line that does not begin as events do. */
static enum line_kind read_headless(const char *line)
{
	if (strstr(line, " sched_switch:") || strstr(line, " sched_wak") || is_head_of_event(line))
		return LINE_MALFORMED;
	return strstr(line, "pid=") || strstr(line, " ==> ") ? LINE_PIECE : LINE_OTHER;
}

/* Returns true if the word, up to one of `ends`, has signs that no name of an event has. */
static bool is_strange(const char *word, const char *ends)
{
	size_t length = strcspn(word, ends);

	for (size_t i = 0; i < length; i++)
		if (!isgraph((unsigned char)word[i]) || strchr("\"'#=[]{}\\,;?!", word[i]))
			return true;
	return false;
}

/* Reads the fields; returns what sched_fields_parse() does. */
static int read_fields(struct event *event, const char *rest)
{
	const char *name, *fields;
	size_t length;
	int rc = call_text_parse_kernel(event, scan_blanks(rest));

	if (rc)
		return rc;
	fields = read_name(&name, &length, rest);
	if (!fields) /* a function, or a stack */
		return is_strange(scan_blanks(rest), " \t:(") || !rest[strcspn(rest, "(:-<")] ||
				       scan_begins_anew(rest)
			       ? -1
			       : 0;
	if (is_strange(name, ":"))
		return -1;
	return sched_fields_parse(event, name, length, fields);
}

static enum line_kind read_event(struct line_reading *reading, struct event *event,
				 const char *line)
{
	struct ftrace *ftrace = reading->state;
	struct head head = {.tid = -1};

	if (!read_head(&head, line))
		return read_headless(line);
	reading->headed = true;
	if (head.tid && scan_word(scan_blanks(line), "<idle>-"))
		return LINE_MALFORMED;
	*event = (struct event){
		.time_ns = head.time_ns,
		.cpu = head.cpu,
		.pid = head.pid,
		.tid = head.tid,
		.other_pid = -1,
		.other = -1,
		.interrupt = head.interrupt,
	};
	switch (read_fields(event, head.rest)) {
	case 0:
		return LINE_OTHER;
	case 1:
		if (!sched_fields_contradict(event, head.tid))
			break;
		return LINE_MALFORMED;
	default:
		return LINE_MALFORMED;
	}
	ftrace->counted |= head.counted;
	reading->quality->malformed += scan_begins_anew(head.rest);
	return head.counted ? LINE_OTHER : LINE_EVENT;
}

static enum line_kind ftrace_parse(struct line_reading *reading, struct event *event,
				   const char *line, size_t length)
{
	struct ftrace *ftrace = reading->state;
	enum line_kind kind;
	struct event found;

	reading->headed = false;
	if (is_outside(ftrace, line))
		return LINE_OTHER;
	if (strlen(line) != length)
		return LINE_MALFORMED; /* a NUL within the line */
	if (is_loss(reading, line) || is_overwritten(reading, line))
		return LINE_OTHER;
	if (*line == '#')
		return scan_begins_anew(line) ? LINE_MALFORMED : LINE_OTHER;
	kind = read_event(reading, &found, line);
	if (kind != LINE_EVENT)
		return kind;
	*event = found;
	if (ftrace->gap) {
		ftrace->event = found;
		ftrace->held = true;
		*event = event_new(EVENT_GAP, ftrace->last_ns);
		event->cpu = ftrace->gap_cpu;
	}
	ftrace->gap = false;
	ftrace->last_ns = found.time_ns;
	return LINE_EVENT;
}

static bool more(struct line_reading *reading, struct event *event)
{
	struct ftrace *ftrace = reading->state;
	bool held = ftrace->held;

	if (held)
		*event = ftrace->event;
	ftrace->held = false;
	return held;
}

static const char *complaint(const struct line_reading *reading)
{
	const struct ftrace *ftrace = reading->state;

	if (ftrace->counted)
		return "is text of ftrace with a clock that is not in seconds (counter, uptime or "
		       "x86-tsc); record with 'echo mono >/sys/kernel/tracing/trace_clock'";
	return "is text of ftrace without scheduling events that can be read; enable "
	       "events/sched/sched_switch and sched_waking, and leave the options raw, hex, bin, "
	       "verbose and fields off";
}

/* --- Recognition of ftrace ----------------------------------------------------------------- */

static bool is_page(const char *bytes, size_t length)
{
	static const char *const tags[] = {"<!doctype html", "<html"};

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (length >= strlen(tags[i]) && strncasecmp(bytes, tags[i], strlen(tags[i])) == 0)
			return true;
	return false;
}

/* Returns true for an event of ftrace: no blank before "-TID", no system before its name. */
static bool is_event(const char *line)
{
	struct head head;
	const char *name, *before;
	size_t length;

	if (!read_head(&head, line) || head.comm_end == line || scan_is_blank(head.comm_end[-1]) ||
	    !read_name(&name, &length, head.rest))
		return false;
	before = scan_blanks(head.rest);
	return name == before;
}

static bool is_line(const char *line)
{
	static const char *const beginnings[] = {"# tracer: ", "cpus=", "CPU:", "CPU "};
	const char *rest;

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
		rest = scan_word(line, beginnings[i]);
		if (rest && (i == 0 || isdigit((unsigned char)*rest)))
			return true;
	}
	return is_event(line);
}

static bool ftrace_is(const char *bytes, size_t length)
{
	struct scan_lines lines = {.at = bytes, .left = length};

	if (is_page(bytes, length))
		return true;
	while (scan_lines_next(&lines))
		if (is_line(lines.line))
			return true;
	return false;
}

static void ftrace_begin(struct line_reading *reading, const char *bytes, size_t length)
{
	struct ftrace *ftrace = reading->state;

	ftrace->page = ftrace->outside = is_page(bytes, length);
}

const struct line_layout ftrace_line_layout = {
	.in_order = true,
	.joins = true,
	.has_wakes = true,
	.state_bytes = sizeof(struct ftrace),
	.is = ftrace_is,
	.begin = ftrace_begin,
	.parse = ftrace_parse,
	.more = more,
	.complaint = complaint,
};
