/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/perfdata_source.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "base/parse.h"
#include "decode/event/samples.h"
#include "decode/kernel/formats.h"
#include "decode/kernel/order.h"
#include "decode/kernel/perfdata_source_private.h"
#include "perfdata/byte_order.h"
#include "perfdata/perfdata_file.h"
#include "perfdata/perfdata_reader.h"
#include "perfdata/sample.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- Checks of the events of a file -------------------------------------------------------- */

/* Functions with `err` return 0, or -1 with an error that lacks the name of the input. */

/* Returns the number of the clock. The clock of perf, the default, is -1. */
static int64_t attr_clock(const struct perf_event_attr *attr)
{
	return attr->use_clockid ? attr->clockid : -1;
}

static const char *clock_name(int64_t clock)
{
	static const struct {
		int64_t clock;
		const char *name;
	} names[] = {
		{-1, "that of perf"},
		{CLOCK_REALTIME, "CLOCK_REALTIME"},
		{CLOCK_MONOTONIC, "CLOCK_MONOTONIC"},
		{CLOCK_MONOTONIC_RAW, "CLOCK_MONOTONIC_RAW"},
		{CLOCK_BOOTTIME, "CLOCK_BOOTTIME"},
		{CLOCK_TAI, "CLOCK_TAI"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].clock == clock)
			return names[i].name;
	return "an unknown one";
}

static int check_clocks(const struct perfdata_file *file, struct err *err)
{
	const struct perf_event_attr *first = NULL;

	for (size_t i = 0; i < file->attr_count; i++) {
		const struct perf_event_attr *attr = &file->attrs[i];

		if (!(attr->sample_type & PERF_SAMPLE_TIME))
			continue;
		first = first ? first : attr;
		if (attr_clock(attr) != attr_clock(first))
			return err_set(err,
				       "has times of different clocks, %s and %s, which cannot be "
				       "compared; record all events with one, as with 'perf record "
				       "-k mono'",
				       clock_name(attr_clock(first)), clock_name(attr_clock(attr)));
	}
	return 0;
}

/* Checks that records of the events can be told apart and compared. */
static int file_check_attrs(const struct perfdata_file *file, struct err *err)
{
	return check_clocks(file, err) || record_owners_check(file, err) ? -1 : 0;
}

/* Returns a tracepoint of this type (formats_type) that lacks needed fields; NULL: none does. */
static const struct perf_event_attr *file_lacks(const struct perfdata_file *file, int type)
{
	for (size_t i = 0; i < file->attr_count; i++) {
		const struct perf_event_attr *attr = &file->attrs[i];

		if (attr->type == PERF_TYPE_TRACEPOINT && attr->config == (uint64_t)type &&
		    sample_attr_tells(attr) != SAMPLE_TELLS_ALL)
			return attr;
	}
	return NULL;
}

/* Returns true if there are tracepoints of this type, and all have the needed fields. */
static bool file_tells(const struct perfdata_file *file, int type)
{
	return type >= 0 && !file_lacks(file, type);
}

/* Returns true if the file has an event for which is_so() is true. */
static bool file_has(const struct perfdata_file *file,
		     bool (*is_so)(const struct perf_event_attr *attr))
{
	for (size_t i = 0; i < file->attr_count; i++)
		if (is_so(&file->attrs[i]))
			return true;
	return false;
}

/* Returns true if the event has switch records, which show the thread of a CPU. */
static bool has_switch_records(const struct perf_event_attr *attr)
{
	const uint64_t needed = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

	return attr->context_switch && attr->sample_id_all &&
	       (attr->sample_type & needed) == needed;
}

static bool is_tracepoint(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT;
}

/* Returns true for an event with samples. A dummy has a period, too, but never happens. */
static bool is_sampled(const struct perf_event_attr *attr)
{
	return attr->sample_period && !is_tracepoint(attr) &&
	       (attr->type != PERF_TYPE_SOFTWARE || attr->config != PERF_COUNT_SW_DUMMY);
}

static const char *aux_name(uint32_t type)
{
	static const char *const names[] = {
		[PERFDATA_AUX_INTEL_PT] = "intel_pt",	    [PERFDATA_AUX_INTEL_BTS] = "intel_bts",
		[PERFDATA_AUX_CS_ETM] = "cs_etm",	    [PERFDATA_AUX_ARM_SPE] = "arm_spe",
		[PERFDATA_AUX_S390_CPUMSF] = "s390_cpumsf", [PERFDATA_AUX_HISI_PTT] = "hisi_ptt",
	};

	return type < sizeof(names) / sizeof(names[0]) && names[type] ? names[type]
								      : "an unknown kind";
}

static int refuse_lacking(const struct perf_event_attr *attr, struct err *err)
{
	if (sample_attr_tells(attr) == SAMPLE_TELLS_NOTHING)
		return err_set(
			err, "has switches without times or fields; record it with 'pscal record'");
	return err_set(err,
		       "has only samples of sched_switch (-%c %llu): switches are missing; record "
		       "all with 'pscal record', or with -c 1",
		       attr->freq ? 'F' : 'c', attr->sample_freq);
}

/* Returns true if there are tracepoints whose description was cut off. */
static bool lacks_formats(const struct perfdata_file *file, bool has_formats)
{
	return file->truncated && !has_formats && file_has(file, is_tracepoint);
}

/* Checks that the file shows which thread has a CPU. `has_formats`: it describes tracepoints. */
static int file_check_switches(const struct perfdata_file *file, const struct formats *formats,
			       bool has_formats, struct err *err)
{
	int type = formats_type(formats, "sched:sched_switch");

	if (file_tells(file, type) || file_has(file, has_switch_records) ||
	    formats_have_blocks(formats))
		return 0;
	if (type >= 0)
		return refuse_lacking(file_lacks(file, type), err);
	if (file->aux_type)
		return err_set(err,
			       "holds AUX traces (of %s), which do not show which thread has a "
			       "CPU, and no scheduling events; record these, too, with 'perf "
			       "record --switch-events', or with 'pscal record'",
			       aux_name(file->aux_type));
	if (lacks_formats(file, has_formats) && file->interrupted)
		return err_set(err, "the recorder was interrupted before it wrote the table of "
				    "events at the end; record again with 'pscal record', whose "
				    "files survive that, or end perf with Ctrl-C");
	if (lacks_formats(file, has_formats))
		return err_set(err, "is cut off: the table of events at its end is missing; copy "
				    "the whole file");
	return err_set(err,
		       "holds no %s events%s; record some with 'pscal record' or 'perf sched "
		       "record'",
		       has_formats ? "sched_switch" : "scheduling",
		       file_has(file, is_sampled) && !file_has(file, samples_attr_is_clock)
			       ? ", and its samples are not of a clock (cpu-clock, cycles)"
			       : "");
}

/* --- Ignored records ----------------------------------------------------------------------- */

static struct perfdata_source *source_of(struct event_source *source)
{
	return (struct perfdata_source *)source;
}

void perfdata_source_pass_over(struct perfdata_source *source, enum quality_fact fact,
			       uint64_t place)
{
	const struct event note = event_note(fact, place);

	quality_count(&source->base.quality, fact);
	if (fact == QUALITY_MALFORMED && !source->base.quality.damaged_at)
		source->base.quality.damaged_at = place;
	if (source->base.audited)
		order_push_ahead(source->order, &note);
}

/* --- The layout of tracepoints ------------------------------------------------------------- */

static bool tells_event(const struct perfdata_source *source, const char *name)
{
	return file_tells(&source->file, formats_type(source->formats, name));
}

static int read_formats(struct perfdata_source *source, const char *bytes, size_t length,
			struct err *err)
{
	if (source->has_formats)
		return 0;
	source->has_formats = true;
	if (formats_read(source->formats, bytes, length, err))
		return -1;
	source->births = !tells_event(source, "sched:sched_process_fork");
	source->switches = tells_event(source, "sched:sched_switch");
	return 0;
}

static int read_tracing_section(struct perfdata_source *source, struct err *err)
{
	size_t length;
	char *bytes;
	int rc;

	if (!source->file.features[PERFDATA_TRACING_DATA].size)
		return 0;
	bytes = perfdata_file_feature(&source->file, source->input, PERFDATA_TRACING_DATA, &length,
				      err);
	if (!bytes)
		return -1;
	rc = read_formats(source, bytes, length, err);
	free(bytes);
	return rc;
}

/* --- The names of events, and the command that recorded -------------------------------------- */

/* Reads the names of events; without them counts have numbers. */
static void read_names(struct perfdata_source *source, const char *bytes, size_t length,
		       uint64_t place)
{
	if (source->has_names)
		return;
	source->has_names = true;
	if (counts_name(&source->base.counts, bytes, length))
		perfdata_source_pass_over(source, QUALITY_MALFORMED, place);
}

/* Reads a text that stands behind its size and may end in NULs. */
static void read_text(char **text, const char *bytes, size_t length)
{
	free(*text);
	*text = length <= sizeof(uint32_t)
			? NULL
			: strndup(bytes + sizeof(uint32_t), length - sizeof(uint32_t));
}

/* Reads "4.14.0-78", behind its size. Kernels before 4.17 do not mark preemption in records. */
static void read_release(struct perfdata_source *source, const char *bytes, size_t length,
			 uint64_t place)
{
	(void)place;
	read_text(&source->base.target.kernel, bytes, length);
	source->unmarked = target_kernel_is_before(&source->base.target, 4, 17);
}

static void read_command(struct perfdata_source *source, const char *bytes, size_t length,
			 uint64_t place)
{
	(void)place;
	source->command = perfdata_command_read(bytes, length, source->file.swapped);
	source->base.target.filtered = source->command.filtered;
	source->base.quality.partial |= source->command.partial;
	free(source->base.target.command);
	source->base.target.command = perfdata_command_text(bytes, length, source->file.swapped);
}

static void read_cpu(struct perfdata_source *source, const char *bytes, size_t length,
		     uint64_t place)
{
	(void)place;
	read_text(&source->base.target.cpu, bytes, length);
}

/* Reads two numbers: the possible CPUs, and those that are online. */
static void read_cpu_counts(struct perfdata_source *source, const char *bytes, size_t length,
			    uint64_t place)
{
	struct byte_cursor cursor = {.at = bytes, .left = length, .swapped = source->file.swapped};

	(void)place;
	byte_cursor_u32(&cursor);
	source->base.target.online_count = byte_cursor_u32(&cursor);
}

/* The features that are read: sections of a file, or records of a stream. */
static const struct {
	enum perfdata_feature feature;
	void (*read)(struct perfdata_source *source, const char *bytes, size_t length,
		     uint64_t place);
} features[] = {{PERFDATA_EVENT_DESC, read_names},
		{PERFDATA_OSRELEASE, read_release},
		{PERFDATA_NRCPUS, read_cpu_counts},
		{PERFDATA_CPUDESC, read_cpu},
		{PERFDATA_CMDLINE, read_command}};

static void read_feature_sections(struct perfdata_source *source)
{
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		struct err ignored;
		size_t length;
		char *bytes = perfdata_file_feature(&source->file, source->input,
						    features[i].feature, &length, &ignored);

		if (bytes)
			features[i].read(source, bytes, length, 0);
		free(bytes);
	}
}

/* Twice the number of features of perf. */
enum { FEATURES_EVER = 64 };

static void read_feature_record(struct perfdata_source *source,
				const struct perfdata_record *record)
{
	uint64_t feature;

	if (record->length < sizeof(feature))
		return;
	memcpy(&feature, record->body, sizeof(feature));
	if (feature >= FEATURES_EVER)
		perfdata_source_pass_over(source, QUALITY_MALFORMED, record->place);
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		if (feature == features[i].feature)
			features[i].read(source, record->body + sizeof(feature),
					 record->length - sizeof(feature), record->place);
}

/* --- Notes --------------------------------------------------------------------------------- */

static void read_time(struct perfdata_source *source, const struct perfdata_record *record)
{
	char digits[PERFDATA_TIME_BYTES] = "";
	uint64_t time_ns;

	if (record->length < sizeof(digits))
		return;
	memcpy(digits, record->body, sizeof(digits) - 1);
	if (parse_u64(&time_ns, digits, UINT64_MAX))
		return;
	if (record->header.misc == PERFDATA_NOTE_ROUND)
		order_round_from(source->order, time_ns);
	else
		order_reach(source->order, time_ns);
}

/* Reads a note. A table in a note is used only if the table at the end is missing. */
static int read_note(struct perfdata_source *source, const struct perfdata_record *record,
		     struct err *err)
{
	if (record->header.misc == PERFDATA_NOTE_ROUND ||
	    record->header.misc == PERFDATA_NOTE_REACHED) {
		read_time(source, record);
		return 0;
	}
	if (record->header.misc != PERFDATA_NOTE_TABLE)
		return perfdata_target_note(&source->target, record, err);
	if (!source->file.truncated || source->has_formats)
		return 0;
	perfdata_file_read_table(&source->file, record->body, record->length);
	read_feature_sections(source);
	return read_tracing_section(source, err);
}

/* --- Records ------------------------------------------------------------------------------- */

static void read_thread_map(struct perfdata_source *source, const struct perfdata_record *record)
{
	bool inherits = source->file.attr_count && source->file.attrs[0].inherit;

	source->narrow = perfdata_target_threads(&source->target, record, inherits);
	source->base.quality.partial |= source->narrow;
}

/* Reads a record that perf itself writes, beside those of the kernel. */
static __attribute__((noinline)) int
read_of_perf(struct perfdata_source *source, const struct perfdata_record *record, struct err *err)
{
	switch (record->header.type) {
	case PERFDATA_RECORD_FINISHED_ROUND:
		order_round(source->order);
		return 0;
	case PERFDATA_RECORD_ATTR:
		if (source->file.stream &&
		    perfdata_file_add(&source->file, record->body, record->length))
			perfdata_source_pass_over(source, QUALITY_MALFORMED, record->place);
		return 0;
	case PERFDATA_RECORD_TRACING_DATA:
		return read_formats(source, record->body, record->length, err);
	case PERFDATA_RECORD_FEATURE:
		read_feature_record(source, record);
		return 0;
	case PERFDATA_RECORD_NOTE:
		return read_note(source, record, err);
	case PERFDATA_RECORD_THREAD_MAP:
		read_thread_map(source, record);
		return 0;
	case PERFDATA_RECORD_AUXTRACE_INFO:
		if (record->length >= sizeof(source->file.aux_type))
			memcpy(&source->file.aux_type, record->body, sizeof(source->file.aux_type));
		return 0;
	default:
		if (record->header.type > PERFDATA_RECORD_LAST)
			perfdata_source_pass_over(source, QUALITY_MALFORMED, record->place);
		return 0;
	}
}

/* Reads until an event is due. Returns 1, 0 at the end, or -1 with an error. */
static int read_records(struct perfdata_source *source, struct err *err)
{
	struct perfdata_record record = source->first;
	int rc = 1;

	if (!source->has_first)
		rc = perfdata_reader_next(source->reader, &record, err);
	source->has_first = false;
	while (rc > 0) {
		if (record.header.type < PERFDATA_RECORD_USER)
			perfdata_events_read(source, &record);
		else if (read_of_perf(source, &record, err))
			break;
		if (order_is_due(source->order))
			return 1;
		rc = perfdata_reader_next(source->reader, &record, err);
	}
	return rc ? err_wrap(err, "%s", source->input->name) : 0;
}

/* Counts wakeups that the kernel counted but did not record, beyond those reported as lost. */
static void count_missed(struct perfdata_source *source)
{
	struct quality *quality = &source->base.quality;
	uint64_t missed = 0;

	for (size_t i = 0; i < source->target.feature.count; i++) {
		const struct event_count *count = &source->target.feature.counts[i];
		uint64_t found = formats_found(source->formats, count->name);

		if (strncmp(count->name, "sched:sched_wak", 15) == 0 && count->hits > found)
			missed += count->hits - found;
	}
	quality->missed_wakes = missed > quality->lost ? missed - quality->lost : 0;
}

static void note_cut(struct perfdata_source *source)
{
	struct quality *quality = &source->base.quality;

	quality->truncated |= perfdata_reader_truncated(source->reader);
	if (quality->truncated && !quality->damaged_at)
		quality->damaged_at = source->input->offset;
}

/* Ends the input. A complete recording says when it ended. */
static void source_end(struct perfdata_source *source)
{
	struct quality *quality = &source->base.quality;
	uint64_t forgotten_ns = perfdata_events_forgotten(source);

	source->ended = true;
	if (forgotten_ns)
		order_forget(source->order, forgotten_ns);
	order_finish(source->order);
	note_cut(source);
	quality->wrapped = source->target.feature.wrapped;
	quality->calls_ended = source->target.feature.calls_end_ns != 0;
	quality->paused_ns = source->target.feature.paused_ns;
	if (source->base.target.end_ns)
		count_missed(source);
	else
		quality->truncated |= source->target.described;
}

static __attribute__((noinline)) int read_on(struct perfdata_source *source, struct event *event,
					     struct err *err)
{
	do {
		int rc = source->ended ? 0 : read_records(source, err);

		if (rc < 0)
			return -1;
		if (rc)
			continue;
		if (source->ended) {
			source->base.quality.malformed += order_take_damaged(source->order);
			return 0;
		}
		source_end(source);
	} while (!order_pop(source->order, event));
	return 1;
}

static inline int source_next_read(struct perfdata_source *source, struct event *event,
				   struct err *err)
{
	if (source->base.samples.alone && !source->base.samples.suffice) {
		*err = source->no_switches;
		return err_wrap(err, "%s", source->input->name);
	}
	return order_pop(source->order, event) ? 1 : read_on(source, event, err);
}

/* Gives the next event, with the numbers that threads have on the host. */
static int source_next(struct event_source *base, struct event *event, struct err *err)
{
	struct perfdata_source *source = source_of(base);
	int rc;

	while ((rc = source_next_read(source, event, err)) > 0 &&
	       namespaces_matter(&source->namespaces) && event->numbers &&
	       !namespaces_join(&source->namespaces, event)) {
		quality_count(&source->base.quality, QUALITY_STRANGE_NUMBERS);
		*event = event_note(QUALITY_STRANGE_NUMBERS, event->place);
		if (source->base.audited)
			break;
	}
	if (!source->has_begun && source->narrow && namespaces_matter(&source->namespaces))
		perfdata_target_join(&source->target, &source->namespaces);
	source->has_begun = true;
	return rc;
}

static void source_free(struct event_source *base)
{
	struct perfdata_source *source = source_of(base);

	formats_free(source->formats);
	perfdata_target_release(&source->target);
	order_free(source->order);
	perfdata_events_release(source);
	perfdata_reader_free(source->reader);
	perfdata_file_release(&source->file);
	input_close(source->input);
	free(source);
}

/* --- Opening ------------------------------------------------------------------------------- */

/*
 * Reads the records before the first one of the kernel, which describe the recording if no table at
 * the end does.
 */
static int read_preface(struct perfdata_source *source, struct err *err)
{
	for (;;) {
		int rc = perfdata_reader_next(source->reader, &source->first, err);

		if (rc <= 0)
			return rc;
		source->has_first = source->first.header.type < PERFDATA_RECORD_USER;
		if (source->has_first)
			return 0;
		if (read_of_perf(source, &source->first, err))
			return -1;
	}
}

/* Reads the records without a time. Damage is counted when they come again. */
static int read_tail_records(struct perfdata_source *source, struct perfdata_reader *reader,
			     struct err *err)
{
	const struct quality before = source->base.quality;
	struct perfdata_record record;
	int rc;

	while ((rc = perfdata_reader_next(reader, &record, err)) > 0)
		if (record.header.type == PERF_RECORD_COMM ||
		    record.header.type == PERF_RECORD_FORK)
			perfdata_events_read(source, &record);
	source->base.quality = before;
	return rc;
}

/*
 * Reads the tail first. perf record --tail-synthesize writes the names and processes of the threads
 * of its start at the end of the file, behind all that they did. If the file can be read twice,
 * those records are read first and ignored later.
 */
static int read_tail(struct perfdata_source *source, struct err *err)
{
	struct perfdata_reader *reader;
	struct input *again;
	int rc = -1;

	if (!source->command.has_tail || !source->input->size)
		return 0;
	again = input_again(source->input, err);
	reader = again ? perfdata_reader_new(&source->file, again, err) : NULL;
	source->timeless = TIMELESS_ONLY;
	if (reader)
		rc = read_tail_records(source, reader, err);
	source->timeless = TIMELESS_NONE;
	perfdata_reader_free(reader);
	input_close(again);
	return rc;
}

/* The order in which the rings were written. */
struct rings {
	bool backward; /* some rings hold the newest record first */
	bool by_cpu;   /* the events of each CPU come from one ring */
};

/*
 * Returns the order of the rings. perf has a ring for each CPU, unless it was asked for one for
 * each thread; events of such rings are not inherited (perf_mmap() of kernel/events/core.c). pscal
 * record has several rings for each CPU.
 */
static struct rings find_rings(const struct perfdata_source *source)
{
	struct rings rings = {.by_cpu = true};

	for (size_t i = 0; i < source->file.attr_count; i++) {
		rings.backward |= source->file.attrs[i].write_backward;
		rings.by_cpu &= source->file.attrs[i].inherit;
	}
	rings.by_cpu |= source->file.features[PERFDATA_CMDLINE].size > 0;
	rings.by_cpu &= !source->target.described && !source->command.per_thread;
	return rings;
}

/* Clocks of CPUs differ by less than the slack. A span that many samples contradict is damaged. */
enum { SPAN_SLACK_NS = 100000000, SPAN_TRUST = 16 };

static void set_span(struct perfdata_source *source, uint64_t first_ns, uint64_t last_ns)
{
	first_ns -= first_ns < SPAN_SLACK_NS ? first_ns : SPAN_SLACK_NS;
	if (last_ns < first_ns || last_ns > UINT64_MAX - SPAN_SLACK_NS)
		return;
	source->span.trust = SPAN_TRUST;
	source->span.first_ns = first_ns;
	source->span.length_ns = last_ns + SPAN_SLACK_NS - first_ns;
}

/* PERFDATA_SAMPLE_TIME: u64 first, last; both are zero if perf did not look at the samples. */
static void read_span(struct perfdata_source *source)
{
	struct err ignored;
	bool swapped = source->file.swapped;
	uint64_t *times;
	size_t length;

	if (source->base.target.end_ns)
		set_span(source, 0, source->base.target.end_ns);
	if (source->file.features[PERFDATA_SAMPLE_TIME].size < 2 * sizeof(*times))
		return;
	times = (void *)perfdata_file_feature(&source->file, source->input, PERFDATA_SAMPLE_TIME,
					      &length, &ignored);
	if (times && times[0])
		set_span(source, byte_order_u64(times[0], swapped),
			 byte_order_u64(times[1], swapped));
	free(times);
}

/* Checks that the file has switches, or samples, which are enough for some callers. */
static int check_switches(struct perfdata_source *source, struct err *err)
{
	int rc = file_check_switches(&source->file, source->formats, source->has_formats,
				     &source->no_switches);

	source->base.samples.alone = rc && file_has(&source->file, samples_attr_is_clock) &&
				     !lacks_formats(&source->file, source->has_formats);
	if (source->base.samples.alone) /* states of threads are unknown at all times */
		order_pause(source->order, 0, UINT64_MAX);
	if (!rc || source->base.samples.alone)
		return 0;
	*err = source->no_switches;
	note_cut(source);
	if (source->file.stream && source->base.quality.damaged_at)
		err_wrap(err, "cut off or damaged at byte %" PRIu64,
			 source->base.quality.damaged_at);
	return -1;
}

/* Opens the source. An error lacks the name of the input. */
static int open_source(struct perfdata_source *source, struct err *err)
{
	struct rings rings;

	if (read_tracing_section(source, err) ||
	    perfdata_target_section(&source->target, &source->file, source->input, err))
		return -1;
	read_feature_sections(source);
	source->reader = perfdata_reader_new(&source->file, source->input, err);
	if (!source->reader)
		return -1;
	if (read_preface(source, err) || file_check_attrs(&source->file, err))
		return -1;
	read_span(source);
	rings = find_rings(source);
	if (rings.by_cpu)
		order_by_cpu(source->order);
	else if (source->command.per_thread)
		order_by_thread(source->order);
	if (rings.backward)
		order_sort_all(source->order);
	else if (read_tail(source, err))
		return -1;
	source->base.quality.no_wakes = !tells_event(source, "sched:sched_waking") &&
					!tells_event(source, "sched:sched_wakeup");
	return check_switches(source, err);
}

struct event_source *perfdata_source_new(struct input *input, struct err *err)
{
	struct perfdata_source *source = xcalloc(1, sizeof(*source));

	if (perfdata_file_init(&source->file, input, err)) {
		err_wrap(err, "%s", input->name);
		free(source);
		return NULL;
	}
	source->base.next = source_next;
	source->base.free = source_free;
	source->formats = formats_new(&source->base.blocks);
	source->order = order_new();
	source->input = input;
	source->base.quality.truncated = source->file.truncated;
	source->births = true;
	source->target = (struct perfdata_target){
		.target = &source->base.target,
		.order = source->order,
		.blocks = &source->base.blocks,
	};
	if (open_source(source, err)) {
		err_wrap(err, "%s", input->name);
		source->input = NULL; /* the caller keeps the input */
		event_source_free(&source->base);
		return NULL;
	}
	return &source->base;
}
