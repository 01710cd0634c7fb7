/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/bytes_check.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "check/block_check.h"
#include "check/forecast_check.h"
#include "check/program_check.h"
#include "check/rdam_check.h"
#include "check/task_check.h"
#include "check/trace_check.h"
#include "decode/trace_input.h"
#include "fit/closed_form.h"
#include "replay/forecast/forecast.h"
#include "replay/program/program.h"
#include "report/forecast/report_forecast.h"
#include "report/profile/report_profile.h"
#include "report/report.h"
#include "report/report_text.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/levels.h"
#include "stats/profile/levels_csv.h"
#include "stats/profile/profile.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- Sentences and files ------------------------------------------------------------------- */

int bytes_check_sentence(const char *sentence, const char *path, struct err *err)
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

int bytes_check_file(const void *bytes, size_t length, char path[64])
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
	return bytes_check_sentence(sentence, path, err);
}

static struct event_source *open_path(const char *path, struct err *why)
{
	struct input *input = input_open(path, INPUT_OF_ANYONE, why);
	struct event_source *source = input ? trace_input_read(input, why) : NULL;

	if (source)
		source->chains.wanted = true;
	return source;
}

/* --- Events -------------------------------------------------------------------------------- */

static int check_events(const char *path, struct err *err)
{
	struct err why = {.text = ""};
	struct event_source *source = open_path(path, &why);
	struct event event;
	int rc = 0;

	while (!rc && source && event_source_next(source, &event, &why) > 0)
		if (event.kind > EVENT_NOTE || event.state >= STATE_COUNT ||
		    (event.kind == EVENT_CALL &&
		     (event.call == SYNC_NONE || event.call >= SYNC_CALLS ||
		      (event.count < 0 && event.call != SYNC_FUTEX_WAIT))) ||
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
	struct err why = {.text = ""};
	struct event_source *source = open_path(path, &why);
	int rc = source ? block_check_spans(source, err) : 0;

	event_source_free(source);
	return rc;
}

static int check_rdam(const char *path, struct err *err)
{
	struct err why = {.text = ""};
	struct event_source *source = open_path(path, &why);
	int rc = source ? rdam_check_trace(source, err) : 0;

	event_source_free(source);
	return rc < 0 ? -1 : 0;
}

static int check_tasks(const char *path, struct err *err)
{
	struct err why = {.text = ""};
	struct event_source *source = open_path(path, &why);
	int rc = source ? task_check_trace(source, err) : 0;

	event_source_free(source);
	return rc;
}

/* --- Commands ------------------------------------------------------------------------------ */

/* Returns 1 if the input was read, 0 if it was refused, -1 with the fault. */
static int check_timeline(struct level_times *levels, const char *path, struct err *err)
{
	const struct selection everybody = {0};
	struct err why = {.text = ""};
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
	made = levels_new(0, 0);
	while (!wrong && (rc = timeline_next(timeline, &change, &why)) > 0) {
		levels_begin(made, timeline_begin_ns(timeline));
		trace_check_begin(check, timeline_begin_ns(timeline));
		wrong = trace_check_change(check, &change, err);
		if (!wrong)
			wrong = levels_add(made, &change);
	}
	levels_sum(made, levels);
	if (!wrong && rc < 0)
		wrong = bytes_check_sentence(why.text, path, err);
	if (!wrong && !rc) /* otherwise intervals are open */
		wrong = trace_check_levels(check, levels, err);
	levels_free(made);
	trace_check_free(check);
	timeline_free(timeline);
	event_source_free(source);
	return wrong ? -1 : rc == 0;
}

/* Packed by gzip or zstd: then places are offsets in the unpacked data. */
static bool is_packed(const void *bytes, size_t length)
{
	return length >= 4 &&
	       (memcmp(bytes, "\x1f\x8b", 2) == 0 || memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0);
}

/* True if each case is a finding of its own. Records are lost together, and missed wakes leave no
 * event. */
static bool is_told(enum quality_fact fact)
{
	return quality_kind(fact) == QUALITY_COUNT && quality_words(fact)->action &&
	       fact != QUALITY_LOST;
}

/* Compares the findings of an audit with the counts of the input: each finding is one counted
 * case. */
static int check_findings(const char *path, size_t length, bool packed, struct err *err)
{
	const struct selection everybody = {0};
	struct err why = {.text = ""};
	struct event_source *source = open_path(path, &why);
	uint64_t found[QUALITY_FACTS] = {0};
	struct timeline *timeline;
	struct quality opened;
	struct finding finding;
	int rc = 0, more;

	if (!source)
		return 0;
	opened = source->quality; /* flaws that opening the input has found */
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

		/* A kind of event that is absent everywhere is one flaw of the recording, not a
		 * flaw of each event. */
		if ((fact == QUALITY_REPAIRED_WAKES && source->quality.no_wakes) ||
		    (fact == QUALITY_MISSED_SWITCH_INS && source->quality.partial))
			continue;
		if (is_told(fact) && found[fact] != counted)
			rc = err_set(err, "%s: found %" PRIu64 ", counted %" PRIu64,
				     quality_words(fact)->key, found[fact], counted);
	}
	timeline_free(timeline);
	event_source_free(source);
	return rc;
}

/* Joins wrapped lines. */
static void join_blanks(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
}

/* Each flaw is a sentence of the text, behind "!" where it changes the meaning of the result. */
static int check_flaws(char *text, const struct quality *quality, struct err *err)
{
	int rc = 0;

	join_blanks(text);
	for (enum quality_fact fact = 0; !rc && fact < QUALITY_FACTS; fact++) {
		char *sentence = report_quality_sentence(fact, quality_value(quality, fact));
		char *said = xasprintf("%s%s", quality_matters(quality, fact) ? "! " : "",
				       sentence ? sentence : "");

		if (sentence && !strstr(text, said))
			rc = err_set(err, "the text does not say '%.150s'", said);
		free(said);
		free(sentence);
	}
	return rc;
}

/*
 * Reads JSON. Each row of a table has a line of its own, and is read alone: a tree of all rows takes
 * many times the memory of the program under test.
 */
static json_t *load_json(FILE *in, json_error_t *error)
{
	char *line = NULL, *frame = NULL;
	size_t capacity = 0, length;
	FILE *out = open_memstream(&frame, &length);
	json_t *json;

	while (getline(&line, &capacity, in) > 0) {
		json_t *row = *line == '{' ? json_loads(line, JSON_DISABLE_EOF_CHECK, error) : NULL;

		fprintf(out, row ? "0%s" : "%s", line + (row ? error->position : 0));
		json_decref(row);
	}
	fclose(out);
	json = json_loads(frame, 0, error);
	free(frame);
	free(line);
	return json;
}

static int check_json(FILE *in, struct err *err)
{
	json_error_t error;
	json_t *json = load_json(in, &error);
	int rc = 0;

	if (!json)
		rc = err_set(err, "the JSON is none: %s", error.text);
	else if (!json_object_get(json, "quality"))
		rc = err_set(err, "the JSON lacks the quality of the data");
	json_decref(json);
	return rc;
}

/* The output has the right format, and reports the quality of the data. Closes the file. */
static int check_output(int fd, enum report_format format, const struct quality *quality,
			struct err *err)
{
	FILE *in = fdopen(fd, "r");
	size_t length = (size_t)lseek(fd, 0, SEEK_END);
	char *text;
	int rc = 0;

	rewind(in);
	if (!length) {
		rc = err_set(err, "nothing was printed");
	} else if (format == REPORT_JSON) {
		rc = check_json(in, err);
	} else if (format == REPORT_TEXT) {
		text = xcalloc(length + 1, 1);
		rc = fread(text, 1, length, in) == length ? check_flaws(text, quality, err)
							  : err_set(err, "the text cannot be read");
		free(text);
	}
	fclose(in);
	return rc;
}

static void report_closed_form(struct report *report, const struct profile *profile)
{
	const struct forecast_request request = {.model = FORECAST_CLOSED_FORM,
						 .measured_cores = 2,
						 .cores = (const uint64_t[]){1, 2, 1 << 20},
						 .count = 3};
	struct forecast forecast;
	struct program none = {0};
	struct err err;

	if (!forecast_make(&forecast, &request, &none, profile, NULL, &err))
		report_forecast(report, &forecast, NULL, "");
	forecast_release(&forecast);
	program_release(&none);
}

static int check_reports(const struct profile *profile, struct err *err)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_CSV, REPORT_JSON};
	struct overhead overhead;
	const struct profile_view view = {.profile = profile, .overhead = &overhead};
	int rc = 0;

	overhead_init(&overhead, profile, &(struct target_info){0});
	for (size_t i = 0; !rc && i < 3; i++) {
		char path[64];
		int fd = bytes_check_file("", 0, path);
		struct report *report = report_open(path, formats[i], err);

		report_set(report, REPORT_VERBOSE, err);
		report_profile(report, &view);
		if (formats[i] == REPORT_TEXT && profile->counters.row_count)
			report_counters(report, profile);
		if (formats[i] == REPORT_TEXT)
			report_closed_form(report, profile);
		rc = report_finish(report, 0, err);
		if (!rc)
			rc = check_output(fd, formats[i], &profile->quality, err);
		else
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

/* Reads the same input again, as the commands read it. */
static int check_again(const char *path, const struct level_times *levels, bool read,
		       struct err *err)
{
	const struct selection everybody = {0};
	struct err why = {.text = ""};
	struct event_source *source = open_path(path, &why);
	struct profile profile;
	int rc = 0;

	if (!source)
		return err_set(err, "an input that was opened once cannot be opened again: %.200s",
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

/* A table of levels, which the command forecast reads, too. */
static int check_levels_csv(bool *read, const char *path, struct err *err)
{
	struct err why = {.text = ""};
	struct input *input = input_open(path, INPUT_OF_ANYONE, &why);
	struct level_times levels;
	int rc = 0;

	if (!input)
		return 0;
	if (levels_csv_matches(input)) {
		*read = levels_csv_read(&levels, input, &why) == 0;
		rc = *read ? check_forecast(&levels, err)
			   : bytes_check_sentence(why.text, path, err);
		if (*read)
			level_times_release(&levels);
	}
	input_close(input);
	return rc;
}

int bytes_check_levels_csv(bool *read, const void *bytes, size_t length, struct err *err)
{
	char path[64];
	int fd = bytes_check_file(bytes, length, path);
	int rc;

	*read = false;
	rc = check_levels_csv(read, path, err);
	close(fd);
	return rc;
}

int bytes_check_trace(bool *read, const void *bytes, size_t length, struct err *err)
{
	struct level_times levels = {0};
	char path[64];
	int fd = bytes_check_file(bytes, length, path);
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
