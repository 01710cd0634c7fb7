/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace_check.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/input.h"
#include "block_check.h"
#include "fit/closed_form.h"
#include "forecast_check.h"
#include "program_check.h"
#include "rdam_check.h"
#include "report/report_counters.h"
#include "report/report_forecast.h"
#include "report/report_profile.h"
#include "report/report_quality.h"
#include "stats/levels_csv.h"
#include "stats/profile.h"
#include "task_check.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Longer traces are not added up a second time. */
enum { EDGES_MAX = 1 << 16, CPUS_MAX = 1 << 16 };

struct seen {
	bool ended;
	bool any;
	uint64_t end_ns;
	enum thread_state next;
	int32_t tid;
};

/* A thread begins or ends to be active or unknown. */
struct edge {
	uint64_t time_ns;
	int32_t active, unknown;
};

struct trace_check {
	struct seen *threads;
	size_t capacity;
	uint64_t *busy_until_ns; /* of each CPU */
	size_t cpu_capacity;
	uint64_t begin_ns, now_ns;
	bool begun;
	struct edge *edges;
	size_t edge_count, edge_capacity;
};

struct trace_check *trace_check_new(void)
{
	return xcalloc(1, sizeof(struct trace_check));
}

void trace_check_free(struct trace_check *check)
{
	free(check->threads);
	free(check->busy_until_ns);
	free(check->edges);
	free(check);
}

/* --- Changes ------------------------------------------------------------------------------- */

void trace_check_begin(struct trace_check *check, uint64_t begin_ns)
{
	if (check->begun)
		return;
	check->begun = true;
	check->begin_ns = begin_ns;
}

/* A state may turn out to have been another one, which says less, or a wait. */
static bool may_turn_out(enum thread_state told, enum thread_state state)
{
	return told == state || state == STATE_UNKNOWN || state == STATE_ACTIVE ||
	       state == STATE_RUNNABLE || state == STATE_INACTIVE;
}

static int check_continuity(const struct trace_check *check, const struct seen *seen,
			    const struct change *change, struct err *err)
{
	if (!seen->any && change->state == STATE_NONE && change->begin_ns == change->end_ns)
		return 0;
	if (!seen->any && change->state != STATE_NONE && change->begin_ns == check->begin_ns)
		return 0;
	if (!seen->any)
		return err_set(err,
			       "thread %zu (tid %d) begins in the middle, at %" PRIu64 " as %s",
			       change->thread, change->tid, change->begin_ns,
			       thread_state_name(change->state));
	if (seen->ended)
		return err_set(err, "thread %zu (tid %d) goes on after its end", change->thread,
			       change->tid);
	if (seen->end_ns != change->begin_ns)
		return err_set(err, "tid %d goes on at %" PRIu64 ", not at %" PRIu64, change->tid,
			       change->begin_ns, seen->end_ns);
	if (seen->tid != change->tid)
		return err_set(err, "tid %d turns into %d", seen->tid, change->tid);
	if (!may_turn_out(seen->next, change->state))
		return err_set(err, "tid %d was %s and turns out to have been %s", change->tid,
			       thread_state_name(seen->next), thread_state_name(change->state));
	return 0;
}

static int check_cpu(struct trace_check *check, const struct change *change, struct err *err)
{
	if (change->state != STATE_RUNNING || change->cpu < 0)
		return 0;
	if (change->cpu >= CPUS_MAX)
		return err_set(err, "tid %d runs on CPU %d", change->tid, change->cpu);
	array_reserve(&check->busy_until_ns, &check->cpu_capacity, (size_t)change->cpu + 1);
	if (change->begin_ns < check->busy_until_ns[change->cpu])
		return err_set(err,
			       "CPU %d runs tid %d from %" PRIu64 " on and another up to %" PRIu64,
			       change->cpu, change->tid, change->begin_ns,
			       check->busy_until_ns[change->cpu]);
	check->busy_until_ns[change->cpu] = change->end_ns;
	return 0;
}

static void add_edge(struct trace_check *check, uint64_t time_ns, enum thread_state state,
		     int32_t by)
{
	bool active = thread_state_is_active(state);

	if ((!active && state != STATE_UNKNOWN) || check->edge_count == EDGES_MAX)
		return;
	array_reserve(&check->edges, &check->edge_capacity, check->edge_count + 1);
	check->edges[check->edge_count++] =
		(struct edge){time_ns, active ? by : 0, active ? 0 : by};
}

int trace_check_change(struct trace_check *check, const struct change *change, struct err *err)
{
	struct seen *seen;

	if (change->begin_ns > change->end_ns)
		return err_set(err, "tid %d ends before it begins", change->tid);
	if (change->end_ns < check->now_ns)
		return err_set(err, "time goes back, to %" PRIu64, change->end_ns);
	if (change->state >= STATE_COUNT || change->next >= STATE_COUNT || change->tid <= 0 ||
	    !memchr(change->comm, '\0', sizeof(change->comm)))
		return err_set(err, "a change of tid %d is no change", change->tid);
	trace_check_begin(check, change->begin_ns);
	array_reserve(&check->threads, &check->capacity, change->thread + 1);
	seen = &check->threads[change->thread];
	if (check_continuity(check, seen, change, err) || check_cpu(check, change, err))
		return -1;
	add_edge(check, change->begin_ns, change->state, +1);
	add_edge(check, change->end_ns, change->state, -1);
	check->now_ns = change->end_ns;
	*seen = (struct seen){change->next == STATE_NONE, true, change->end_ns, change->next,
			      change->tid};
	return 0;
}

/* --- Levels -------------------------------------------------------------------------------- */

static int compare_edges(const void *a, const void *b)
{
	const struct edge *one = a, *other = b;

	return (one->time_ns > other->time_ns) - (one->time_ns < other->time_ns);
}

/* The slow way: in the order of time, how many are active from one edge to the next. */
static uint64_t *add_up(const struct trace_check *check, uint64_t *unknown_ns)
{
	uint64_t *wall_ns = xcalloc(check->edge_count + 1, sizeof(*wall_ns));
	uint64_t last_ns = check->begin_ns;
	int32_t active = 0, unknown = 0;

	*unknown_ns = 0;
	qsort(check->edges, check->edge_count, sizeof(*check->edges), compare_edges);
	for (size_t i = 0; i <= check->edge_count; i++) {
		bool end = i == check->edge_count;
		uint64_t now_ns = end ? check->now_ns : check->edges[i].time_ns;

		*(unknown ? unknown_ns : &wall_ns[active]) += now_ns - last_ns;
		last_ns = now_ns;
		active += end ? 0 : check->edges[i].active;
		unknown += end ? 0 : check->edges[i].unknown;
	}
	return wall_ns;
}

static int compare_levels(const struct trace_check *check, const struct level_times *levels,
			  struct err *err)
{
	uint64_t unknown_ns, *wall_ns;
	int rc = 0;

	if (!check->edge_count || check->edge_count == EDGES_MAX)
		return 0;
	wall_ns = add_up(check, &unknown_ns);
	if (unknown_ns != levels->unknown_ns)
		rc = err_set(err, "%" PRIu64 " ns are unknown, not %" PRIu64, unknown_ns,
			     levels->unknown_ns);
	for (size_t j = 0; !rc && j <= check->edge_count; j++) {
		uint64_t got = j <= levels->max_active ? levels->wall_ns[j] : 0;

		if (got != wall_ns[j])
			rc = err_set(err, "%" PRIu64 " ns have %zu threads active, not %" PRIu64,
				     wall_ns[j], j, got);
	}
	free(wall_ns);
	return rc;
}

int trace_check_levels(struct trace_check *check, const struct level_times *levels, struct err *err)
{
	uint64_t sum = levels->unknown_ns;

	for (size_t j = 0; j <= levels->max_active; j++)
		sum += levels->wall_ns[j];
	if (sum != levels->total_ns)
		return err_set(err, "the levels add up to %" PRIu64 " ns, not to %" PRIu64, sum,
			       levels->total_ns);
	if (check->begun && sum != check->now_ns - check->begin_ns)
		return err_set(err,
			       "the levels add up to %" PRIu64 " ns, but the wall time is %" PRIu64,
			       sum, check->now_ns - check->begin_ns);
	return compare_levels(check, levels, err);
}

/* --- Sentences and files ------------------------------------------------------------------- */

int trace_check_sentence(const char *sentence, const char *path, struct err *err)
{
	const char *named = path ? strstr(sentence, path) : NULL;

	if (strlen(sentence) <= 20 || strchr(sentence, '\n'))
		return err_set(err, "'%.200s' is not one sentence in one line", sentence);
	if (!named)
		return 0;
	named += strlen(path);
	named += strspn(named, ":0123456789 ");
	if (strncmp(named, path, strlen(path)) == 0)
		return err_set(err, "'%.200s' names the input twice", sentence);
	return 0;
}

int trace_check_file(const void *bytes, size_t length, char path[64])
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
		abort();
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static int check_refusal(const char *sentence, const char *path, struct err *err)
{
	if (!strstr(sentence, path))
		return err_set(err, "'%.200s' does not name the input", sentence);
	return trace_check_sentence(sentence, path, err);
}

static struct event_source *open_path(const char *path, struct err *why)
{
	struct input *input = input_open(path, why);
	struct event_source *source = input ? event_source_open(input, why) : NULL;

	if (source)
		source->chains.wanted = true;
	return source;
}

/* --- Events -------------------------------------------------------------------------------- */

static int check_events(const char *path, struct err *err)
{
	struct err why = {""};
	struct event_source *source = open_path(path, &why);
	struct event event;
	int rc = 0;

	while (!rc && source && event_source_next(source, &event, &why) > 0)
		if (event.kind > EVENT_NOTE || event.state >= STATE_COUNT ||
		    (event.kind == EVENT_CALL &&
		     (event.call == SYNC_NONE || event.call >= SYNC_CALLS || event.count < 0)) ||
		    !memchr(event.comm, '\0', COMM_SIZE) ||
		    !memchr(event.other_comm, '\0', COMM_SIZE))
			rc = err_set(err, "an event at %" PRIu64 " is none", event.time_ns);
		else
			rc = block_check_event(&event, &source->blocks, err);
	event_source_free(source);
	return rc;
}

static int check_blocks(const char *path, struct err *err)
{
	struct err why = {""};
	struct event_source *source = open_path(path, &why);
	int rc = source ? block_check_spans(source, err) : 0;

	event_source_free(source);
	return rc;
}

static int check_rdam(const char *path, struct err *err)
{
	struct err why = {""};
	struct event_source *source = open_path(path, &why);
	int rc = source ? rdam_check_trace(source, err) : 0;

	event_source_free(source);
	return rc < 0 ? -1 : 0;
}

static int check_tasks(const char *path, struct err *err)
{
	struct err why = {""};
	struct event_source *source = open_path(path, &why);
	int rc = source ? task_check_trace(source, err) : 0;

	event_source_free(source);
	return rc;
}

/* --- What the commands do ------------------------------------------------------------------ */

/* Returns 1 when it was read, 0 when it was refused, -1 with what is wrong. */
static int check_timeline(struct level_times *levels, const char *path, struct err *err)
{
	const struct selection everybody = {0};
	struct err why = {""};
	struct event_source *source = open_path(path, &why);
	struct timeline *timeline;
	struct trace_check *check;
	struct levels *made;
	struct change change;
	int rc, wrong = 0;

	if (!source)
		return check_refusal(why.text, path, err);
	timeline = timeline_new(source, &everybody);
	check = trace_check_new();
	made = levels_new(0);
	while (!wrong && (rc = timeline_next(timeline, &change, &why)) > 0) {
		levels_begin(made, timeline_begin_ns(timeline));
		trace_check_begin(check, timeline_begin_ns(timeline));
		wrong = trace_check_change(check, &change, err);
		if (!wrong)
			wrong = levels_add(made, &change);
	}
	levels_sum(made, levels);
	if (!wrong && rc < 0)
		wrong = trace_check_sentence(why.text, path, err);
	if (!wrong && !rc) /* else intervals are open */
		wrong = trace_check_levels(check, levels, err);
	levels_free(made);
	trace_check_free(check);
	timeline_free(timeline);
	event_source_free(source);
	return wrong ? -1 : rc == 0;
}

/* By gzip or zstd: places are those of what it unpacks to. */
static bool is_packed(const void *bytes, size_t length)
{
	return length >= 4 &&
	       (memcmp(bytes, "\x1f\x8b", 2) == 0 || memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0);
}

/* Is each case told by itself? Records are lost together, and wakes are missed unseen. */
static bool is_told(enum quality_fact fact)
{
	return quality_kind(fact) == QUALITY_COUNT && fact != QUALITY_EVENTS &&
	       fact != QUALITY_LOST && fact != QUALITY_MISSED_WAKES;
}

/* What an audit finds is a case of what is counted, in the input, and there are as many of them. */
static int check_findings(const char *path, size_t length, bool packed, struct err *err)
{
	const struct selection everybody = {0};
	struct err why = {""};
	struct event_source *source = open_path(path, &why);
	uint64_t found[QUALITY_FACTS] = {0};
	struct timeline *timeline;
	struct quality opened;
	struct finding finding;
	int rc = 0, more;

	if (!source)
		return 0;
	opened = source->quality; /* before anybody could ask */
	timeline = timeline_new(source, &everybody);
	while (!rc && (more = timeline_next_finding(timeline, &finding, &why)) > 0) {
		if (finding.fact >= QUALITY_FACTS || finding.past >= STATE_COUNT ||
		    !memchr(finding.comm, '\0', sizeof(finding.comm)))
			rc = err_set(err, "a finding at %" PRIu64 " is none", finding.time_ns);
		else if (!packed && finding.place > length)
			rc = err_set(err, "%s is found at %" PRIu64 ", behind the input",
				     quality_words(finding.fact)->key, finding.place);
		else
			found[finding.fact]++;
	}
	for (enum quality_fact fact = 0; !rc && !more && fact < QUALITY_FACTS; fact++) {
		uint64_t counted =
			quality_value(&source->quality, fact) - quality_value(&opened, fact);

		/* Where no wakes were recorded, none that is repaired is a flaw. */
		if (fact == QUALITY_REPAIRED_WAKES && source->quality.no_wakes)
			continue;
		if (is_told(fact) && found[fact] != counted)
			rc = err_set(err, "%s: found %" PRIu64 ", counted %" PRIu64,
				     quality_words(fact)->key, found[fact], counted);
	}
	timeline_free(timeline);
	event_source_free(source);
	return rc;
}

static bool is_clean(const struct quality *quality)
{
	struct quality rest = *quality;

	rest.events = 0;
	return memcmp(&rest, &(struct quality){0}, sizeof(rest)) == 0;
}

/* What was written is as the format says, and tells of the quality. */
static int check_output(int fd, enum report_format format, const struct quality *quality,
			struct err *err)
{
	off_t length = lseek(fd, 0, SEEK_END);
	char *text = xcalloc((size_t)length + 1, 1);
	json_error_t error;
	json_t *json = NULL;
	int rc = 0;

	if (pread(fd, text, (size_t)length, 0) != length || !length)
		rc = err_set(err, "nothing was printed");
	else if (format == REPORT_TEXT && !is_clean(quality) && !strstr(text, "Data quality:"))
		rc = err_set(err, "nothing was printed of the quality of the data");
	else if (format == REPORT_JSON && !(json = json_loads(text, 0, &error)))
		rc = err_set(err, "the JSON is none: %s", error.text);
	else if (format == REPORT_JSON && !json_object_get(json, "quality"))
		rc = err_set(err, "the JSON says nothing of the quality of the data");
	json_decref(json);
	free(text);
	return rc;
}

static int check_reports(const struct profile *profile, struct err *err)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_CSV, REPORT_JSON};
	const uint64_t cores[] = {1, 2, 1 << 20};
	int rc = 0;

	for (size_t i = 0; !rc && i < 3; i++) {
		char path[64];
		int fd = trace_check_file("", 0, path);
		struct report *report = report_open(path, formats[i], err);

		report_profile(report, profile, NULL, 0);
		if (formats[i] == REPORT_TEXT && profile->counters.row_count)
			report_counters(report, profile);
		if (formats[i] == REPORT_TEXT)
			report_forecast(report, &(struct forecast_view){.levels = &profile->levels,
									.measured_cores = 2,
									.cores = cores,
									.count = 3});
		rc = report_close(report, err);
		if (!rc)
			rc = check_output(fd, formats[i], &profile->quality, err);
		close(fd);
	}
	return rc;
}

static int check_forecast(const struct level_times *levels, struct err *err)
{
	double before = INFINITY;

	for (uint64_t cores = 1; cores <= 1 << 20; cores *= 4) {
		double wall_s = closed_form_wall_s(levels, 2, cores);

		if (!(wall_s >= 0) || wall_s > before * (1 + 1e-12))
			return err_set(err, "the forecast for %" PRIu64 " cores is %g s, after %g",
				       cores, wall_s, before);
		before = wall_s;
	}
	return 0;
}

static int check_profile(const struct profile *profile, const struct level_times *levels,
			 struct err *err)
{
	if (profile->levels.total_ns != levels->total_ns ||
	    profile->levels.unknown_ns != levels->unknown_ns)
		return err_set(err, "read again it is another trace");
	for (size_t i = 0; i < profile->thread_count; i++) {
		uint64_t sum = 0;

		for (size_t state = 0; state < STATE_COUNT; state++)
			sum += profile->threads[i].state_ns[state];
		if (sum > levels->total_ns)
			return err_set(err, "tid %d lives for longer than the trace",
				       profile->threads[i].tid);
	}
	if (check_forecast(levels, err))
		return -1;
	return check_reports(profile, err);
}

static int check_program(const char *path, const struct profile *profile, struct err *err)
{
	struct event_source *source = open_path(path, err);
	int rc = source ? program_check_trace(source, profile, err) : -1;

	event_source_free(source);
	if (rc)
		return rc;
	source = open_path(path, err);
	rc = source ? forecast_check_trace(source, err) : -1;
	event_source_free(source);
	return rc < 0 ? -1 : 0;
}

/* The same input once more, as the commands read it. */
static int check_again(const char *path, const struct level_times *levels, bool read,
		       struct err *err)
{
	const struct selection everybody = {0};
	struct err why = {""};
	struct event_source *source = open_path(path, &why);
	struct profile profile;
	int rc = 0;

	if (!source)
		return err_set(err, "what could be opened once cannot be opened again: %.200s",
			       why.text);
	if (profile_init(&profile, source, &everybody, 0, &why)) {
		rc = read ? err_set(err, "read again it is refused: %.200s", why.text) : 0;
	} else {
		rc = read ? check_profile(&profile, levels, err)
			  : err_set(err, "read again it is not refused");
		if (!rc)
			rc = check_program(path, &profile, err);
		profile_release(&profile);
	}
	event_source_free(source);
	return rc;
}

/* A table of levels, which forecast takes too. */
static int check_levels_csv(bool *read, const char *path, struct err *err)
{
	struct err why = {""};
	struct input *input = input_open(path, &why);
	struct level_times levels;
	int rc = 0;

	if (!input)
		return 0;
	if (levels_csv_matches(input)) {
		*read = levels_csv_read(&levels, input, &why) == 0;
		rc = *read ? check_forecast(&levels, err)
			   : trace_check_sentence(why.text, path, err);
		if (*read)
			level_times_release(&levels);
	}
	input_close(input);
	return rc;
}

int trace_check_levels_csv(bool *read, const void *bytes, size_t length, struct err *err)
{
	char path[64];
	int fd = trace_check_file(bytes, length, path);
	int rc;

	*read = false;
	rc = check_levels_csv(read, path, err);
	close(fd);
	return rc;
}

int trace_check_bytes(bool *read, const void *bytes, size_t length, struct err *err)
{
	struct level_times levels = {0};
	char path[64];
	int fd = trace_check_file(bytes, length, path);
	int rc = check_events(path, err);

	if (!rc)
		rc = check_timeline(&levels, path, err);
	*read = rc > 0;
	if (rc > 0 && (check_blocks(path, err) || check_rdam(path, err) || check_tasks(path, err)))
		rc = -1;
	if (rc >= 0 && check_findings(path, length, is_packed(bytes, length), err))
		rc = -1;
	else if (rc > 0)
		rc = check_again(path, &levels, *read, err);
	else if (!rc)
		rc = check_levels_csv(read, path, err);
	level_times_release(&levels);
	close(fd);
	return rc;
}
