/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording/features.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "base/printable.h"
#include "collect/kernel/cpu_list.h"
#include "collect/kernel/tracefs.h"
#include "collect/kernel/uprobes.h"
#include "collect/recording/collector.h"
#include "collect/recording/compressor.h"
#include "collect/recording/recording.h"
#include "collect/target/target.h"
#include "perfdata/perfdata.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* --- Values ----------------------------------------------------------------------------------- */

/* Writes bytes in the machine's order. The stream keeps errors, which are checked at its end. */
static void put_bytes(FILE *out, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, out);
}

static void put_u8(FILE *out, uint8_t value)
{
	put_bytes(out, &value, sizeof(value));
}

static void put_u32(FILE *out, uint32_t value)
{
	put_bytes(out, &value, sizeof(value));
}

static void put_u64(FILE *out, uint64_t value)
{
	put_bytes(out, &value, sizeof(value));
}

enum { STRING_ALIGN = 64, TRACED_SYSTEM_SIZE = 16 };

static void put_string(FILE *out, const char *text)
{
	size_t length = strlen(text) + 1;
	size_t padded = (length + STRING_ALIGN - 1) / STRING_ALIGN * STRING_ALIGN;

	put_u32(out, (uint32_t)padded);
	put_bytes(out, text, length);
	for (; length < padded; length++)
		put_u8(out, 0);
}

/* --- Tracing data ----------------------------------------------------------------------------- */

/*
 * The tracing data section of a perf.data file (version 0.6): the format of each tracepoint.
 * Source: linux/tools/perf/util/trace-event-info.c is its only definition.
 *
 *	17 08 44 "tracing" "0.6\0", u8 big endian, u8 sizeof(long), u32 page size
 *	"header_page\0" u64 size, text; "header_event\0" u64 size, text
 *	u32 count of ftrace formats (none)
 *	u32 count of systems; each: name\0, u32 count, (u64 size, text) each
 *	u32 size of kallsyms (0), u32 size of printk formats (0), u64 size of saved comms (0)
 */

/* A tracepoint, by its names for readers, with the source of its format. */
struct traced_event {
	const char *system, *name;
	const char *group; /* its directory below events/ */
	const char *text;  /* its format, if tracefs does not have it; otherwise NULL */
};

static void put_name(FILE *out, const char *text)
{
	put_bytes(out, text, strlen(text) + 1);
}

/* Writes a text with its size in front. */
static void put_text(FILE *out, const char *text, size_t length)
{
	put_u64(out, length);
	put_bytes(out, text, length);
}

/*
 * Writes the file `path` of tracefs. Without tracefs it is empty: readers then use the layout of
 * the ring on their machine, which perf.data records do not need.
 */
static int put_file(FILE *out, const char *root, const char *path, struct err *err)
{
	size_t length = 0;
	char *text = root ? tracefs_read(root, path, &length, err) : NULL;

	if (root && !text)
		return -1;
	put_text(out, text, length);
	free(text);
	return 0;
}

static void put_preamble(FILE *out)
{
	static const char magic[] = {23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g'};

	put_bytes(out, magic, sizeof(magic));
	put_name(out, "0.6");
	put_u8(out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	put_u8(out, sizeof(long));
	put_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
}

/* Returns the number of events of the first one's system, in a row. */
static size_t same_system(const struct traced_event *events, size_t count)
{
	size_t same = 1;

	while (same < count && strcmp(events[same].system, events[0].system) == 0)
		same++;
	return same;
}

/* Returns the number of systems. A system has consecutive events; readers accept it twice. */
static uint32_t count_systems(const struct traced_event *events, size_t count)
{
	uint32_t systems = 0;

	for (size_t i = 0; i < count; i += same_system(events + i, count - i))
		systems++;
	return systems;
}

static int put_event(FILE *out, const char *root, const struct traced_event *event, struct err *err)
{
	char *path;
	int rc;

	if (event->text) {
		put_text(out, event->text, strlen(event->text));
		return 0;
	}
	path = xasprintf("events/%s/%s/format", event->group, event->name);
	rc = put_file(out, root, path, err);
	free(path);
	return rc;
}

static int put_system(FILE *out, const char *root, const struct traced_event *events, size_t count,
		      struct err *err)
{
	put_name(out, events->system);
	put_u32(out, (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		if (put_event(out, root, &events[i], err))
			return -1;
	return 0;
}

static int put_systems(FILE *out, const char *root, const struct traced_event *events, size_t count,
		       struct err *err)
{
	put_u32(out, count_systems(events, count));
	for (size_t i = 0; i < count;) {
		size_t same = same_system(events + i, count - i);

		if (put_system(out, root, events + i, same, err))
			return -1;
		i += same;
	}
	return 0;
}

/*
 * Writes the section for these events to `out`. `root` is the directory of tracefs; NULL: the user
 * may not read it, and all events have their text. Returns 0, or -1 with an error.
 */
static int write_tracing_data(FILE *out, const char *root, const struct traced_event *events,
			      size_t count, struct err *err)
{
	put_preamble(out);
	put_name(out, "header_page");
	if (put_file(out, root, "events/header_page", err))
		return -1;
	put_name(out, "header_event");
	if (put_file(out, root, "events/header_event", err))
		return -1;
	put_u32(out, 0);
	if (put_systems(out, root, events, count, err))
		return -1;
	put_u32(out, 0);
	put_u32(out, 0);
	put_u64(out, 0);
	return 0;
}

/*
 * Lists the tracepoints among all events, and returns their number. An event with several kinds of
 * samples is listed once. `own`: whether one has its own text.
 */
static size_t list_traced(struct traced_event *traced, char systems[][TRACED_SYSTEM_SIZE],
			  const char *probes, const struct collector_set *collectors, bool *own)
{
	size_t count = 0;

	for (size_t i = 0; i < collectors->event_count; i++) {
		const struct perfdata_event *event = &collectors->events[i];
		const char *colon = strchr(event->name, ':');
		const char *text = collector_set_format(collectors, event->name);

		if (!colon || event->attr->type != PERF_TYPE_TRACEPOINT ||
		    (i && strcmp(event->name, event[-1].name) == 0))
			continue;
		snprintf(systems[count], TRACED_SYSTEM_SIZE, "%.*s", (int)(colon - event->name),
			 event->name);
		traced[count] =
			(struct traced_event){systems[count], colon + 1, systems[count], text};
		if (strcmp(systems[count], UPROBES_SYNC_SYSTEM) == 0)
			traced[count].group = probes;
		*own |= text != NULL;
		count++;
	}
	return count;
}

/*
 * Writes the section; nothing for a recording without tracepoints, which may lack tracefs. It is
 * written again at the end if more is known then.
 */
static int put_tracing_data(FILE *out, const struct recording_facts *facts, struct err *err)
{
	size_t room = facts->collectors->event_count, count;
	struct traced_event *traced = xcalloc(room, sizeof(*traced));
	char(*systems)[TRACED_SYSTEM_SIZE] = xcalloc(room, sizeof(*systems));
	char probes[UPROBES_GROUP_SIZE] = "";
	bool own = false;
	int rc = 0;

	if (facts->run)
		uprobes_group(probes, UPROBES_SYNC, facts->run);
	count = list_traced(traced, systems, probes, facts->collectors, &own);
	if (count && (!facts->end_ns || own))
		rc = write_tracing_data(out, facts->tracefs, traced, count, err);
	free(traced);
	free(systems);
	return rc;
}

/* --- Other sections --------------------------------------------------------------------------- */

static int put_hostname(FILE *out, const struct recording_facts *facts, struct err *err)
{
	struct utsname uts = {0};

	(void)facts, (void)err;
	uname(&uts);
	put_string(out, uts.nodename);
	return 0;
}

static int put_osrelease(FILE *out, const struct recording_facts *facts, struct err *err)
{
	struct utsname uts = {0};

	(void)facts, (void)err;
	uname(&uts);
	put_string(out, uts.release);
	return 0;
}

static int put_arch(FILE *out, const struct recording_facts *facts, struct err *err)
{
	struct utsname uts = {0};

	(void)facts, (void)err;
	uname(&uts);
	put_string(out, uts.machine);
	return 0;
}

static int put_version(FILE *out, const struct recording_facts *facts, struct err *err)
{
	(void)facts, (void)err;
	put_string(out, "pscal " PSCAL_VERSION);
	return 0;
}

static int put_cpu_counts(FILE *out, const struct recording_facts *facts, struct err *err)
{
	(void)facts, (void)err;
	put_u32(out, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	put_u32(out, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	return 0;
}

/* Writes the CPU's name; nothing if it has none. */
static int put_cpu_model(FILE *out, const struct recording_facts *facts, struct err *err)
{
	char *model = cpu_model("");

	(void)facts, (void)err;
	if (model)
		put_string(out, model);
	free(model);
	return 0;
}

static int put_cmdline(FILE *out, const struct recording_facts *facts, struct err *err)
{
	uint32_t count = 0;

	(void)err;
	while (facts->cmdline[count])
		count++;
	put_u32(out, count);
	for (uint32_t i = 0; i < count; i++)
		put_string(out, facts->cmdline[i]);
	return 0;
}

static int put_events(FILE *out, const struct recording_facts *facts, struct err *err)
{
	(void)err;
	put_u32(out, (uint32_t)facts->collectors->event_count);
	put_u32(out, sizeof(struct perf_event_attr));
	for (size_t i = 0; i < facts->collectors->event_count; i++) {
		const struct perfdata_event *event = &facts->collectors->events[i];

		put_bytes(out, event->attr, sizeof(*event->attr));
		put_u32(out, (uint32_t)event->id_count);
		put_string(out, event->name);
		put_bytes(out, event->ids, event->id_count * sizeof(*event->ids));
	}
	return 0;
}

static uint64_t to_ns(struct timespec time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Writes the resolution of the clock of the records. */
static int put_clockid(FILE *out, const struct recording_facts *facts, struct err *err)
{
	struct timespec resolution = {0, 1};

	(void)facts, (void)err;
	clock_getres(CLOCK_MONOTONIC, &resolution);
	put_u64(out, to_ns(resolution));
	return 0;
}

/* Writes version 1: the clock, and the time of day at one of its times. */
static int put_clock_data(FILE *out, const struct recording_facts *facts, struct err *err)
{
	struct timespec day = {0};

	(void)facts, (void)err;
	clock_gettime(CLOCK_REALTIME, &day);
	put_u32(out, 1);
	put_u32(out, CLOCK_MONOTONIC);
	put_u64(out, to_ns(day));
	put_u64(out, monotonic_ns());
	return 0;
}

static int put_compressed(FILE *out, const struct recording_facts *facts, struct err *err)
{
	const struct perfdata_compressed compressed = {
		.version = 1,
		.type = 1,
		.level = (uint32_t)facts->compression_level,
		.ratio = facts->compression_ratio,
		.unpacked_max = COMPRESSOR_UNPACKED_MAX,
	};

	(void)err;
	if (facts->compression_level)
		put_bytes(out, &compressed, sizeof(compressed));
	return 0;
}

static void put_threads(FILE *out, const struct target *target)
{
	for (size_t i = 0; i < target->thread_count; i++) {
		const struct target_thread *thread = &target->threads[i];

		char comm[PROC_COMM_SIZE];

		memcpy(comm, thread->comm, sizeof(comm));
		fprintf(out, "thread %" PRIu64 " %d %d %c %s\n", thread->time_ns, (int)thread->pid,
			(int)thread->tid, thread->state, printable_mend(comm));
	}
}

static void put_spec(FILE *out, const struct target_spec *spec)
{
	for (size_t i = 0; i < spec->pid_count; i++)
		fprintf(out, "root %d\n", (int)spec->pids[i]);
	for (size_t i = 0; i < spec->tid_count; i++)
		fprintf(out, "tid %d\n", (int)spec->tids[i]);
	if (spec->comm) {
		char *comm = printable_mend(xstrdup(spec->comm));

		fprintf(out, "comm %s\n", comm);
		free(comm);
	}
	if (spec->all)
		fprintf(out, "wide 1\nself %d\n", (int)getpid());
	if (spec->alone)
		fputs("alone 1\n", out);
}

static void put_quota(FILE *out, const struct recording_facts *facts)
{
	const struct cpu_quota_use *use = &facts->quota_use;

	if (!facts->quota_ns)
		return;
	fprintf(out, "quota_ns %" PRIu64 "\nquota_period_ns %" PRIu64 "\n", facts->quota_ns,
		facts->quota_period_ns);
	if (use->periods)
		fprintf(out,
			"quota_periods %" PRIu64 "\nquota_throttled %" PRIu64
			"\nquota_throttled_ns %" PRIu64 "\n",
			use->periods, use->throttled, use->throttled_ns);
	if (use->used_ns)
		fprintf(out, "quota_used_ns %" PRIu64 "\n", use->used_ns);
}

static int put_pscal(FILE *out, const struct recording_facts *facts, struct err *err)
{
	const struct target *target = facts->target;
	char *affinity = cpu_mask_format(&target->affinity);
	size_t cores = cpu_mask_cores(&target->affinity, "");
	uint64_t ring_bytes = 0;

	(void)err;
	fprintf(out, "pscal %d\n", PERFDATA_PSCAL_VERSION);
	fprintf(out, "mode %s\n", facts->launched ? "command" : "attach");
	if (facts->launched)
		fprintf(out, "launched %d\n", (int)facts->launched);
	if (facts->collectors->count)
		fprintf(out, "collector %s\n", facts->collectors->items[0]->kind->name);
	put_spec(out, target->spec);
	if (*affinity)
		fprintf(out, "affinity %s\n", affinity);
	if (cores)
		fprintf(out, "cores %zu\n", cores);
	fprintf(out, "start_ns %" PRIu64 "\n", facts->start_ns);
	if (facts->end_ns)
		fprintf(out, "end_ns %" PRIu64 "\n", facts->end_ns);
	for (size_t i = 0; i < facts->pause_count; i++)
		if (facts->pauses[i].end_ns)
			fprintf(out, "paused %" PRIu64 " %" PRIu64 "\n", facts->pauses[i].begin_ns,
				facts->pauses[i].end_ns);
	if (facts->calls_end_ns)
		fprintf(out, "calls_end_ns %" PRIu64 "\n", facts->calls_end_ns);
	if (facts->cost_switch_ns > 0)
		fprintf(out, "cost_switch_ns %.0f\n", facts->cost_switch_ns);
	if (facts->own_cpu_ns)
		fprintf(out, "own_cpu_ns %" PRIu64 "\n", facts->own_cpu_ns);
	if (facts->busy_ns)
		fprintf(out, "busy_ns %" PRIu64 "\nsteal_ns %" PRIu64 "\n", facts->busy_ns,
			facts->steal_ns);
	put_quota(out, facts);
	for (size_t i = 0; i < facts->collectors->count; i++)
		ring_bytes += facts->collectors->items[i]->ring_bytes;
	if (ring_bytes)
		fprintf(out, "ring_bytes %" PRIu64 "\n", ring_bytes);
	collector_set_tell(facts->collectors, out);
	put_threads(out, target);
	free(affinity);
	return 0;
}

static const struct {
	int feature;
	unsigned times; /* enum features_time */
	int (*put)(FILE *out, const struct recording_facts *facts, struct err *err);
} sections[] = {
	{PERFDATA_TRACING_DATA, FEATURES_BEGIN | FEATURES_END, put_tracing_data},
	{PERFDATA_HOSTNAME, FEATURES_BEGIN, put_hostname},
	{PERFDATA_OSRELEASE, FEATURES_BEGIN, put_osrelease},
	{PERFDATA_VERSION, FEATURES_BEGIN, put_version},
	{PERFDATA_ARCH, FEATURES_BEGIN, put_arch},
	{PERFDATA_NRCPUS, FEATURES_BEGIN, put_cpu_counts},
	{PERFDATA_CPUDESC, FEATURES_BEGIN, put_cpu_model},
	{PERFDATA_CMDLINE, FEATURES_BEGIN, put_cmdline},
	{PERFDATA_EVENT_DESC, FEATURES_BEGIN, put_events},
	{PERFDATA_CLOCKID, FEATURES_BEGIN, put_clockid},
	{PERFDATA_COMPRESSED, FEATURES_BEGIN | FEATURES_END, put_compressed},
	{PERFDATA_CLOCK_DATA, FEATURES_BEGIN, put_clock_data},
	{PERFDATA_PSCAL, FEATURES_END | FEATURES_TARGET, put_pscal},
};

static int make_content(struct perfdata_content *content, size_t section,
			const struct recording_facts *facts, struct err *err)
{
	FILE *out = open_memstream(&content->bytes, &content->size);
	int rc;

	if (!out)
		return err_set(err, "no memory for the header of the recording: %m");
	content->feature = sections[section].feature;
	rc = sections[section].put(out, facts, err);
	if (fclose(out) && !rc) /* now bytes and size are set */
		rc = err_set(err, "no memory for the header of the recording: %m");
	return rc;
}

int features_make(struct features *features, const struct recording_facts *facts,
		  enum features_time time, struct err *err)
{
	*features = (struct features){0};
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		struct perfdata_content *content = &features->contents[features->count];
		int rc;

		if (!(sections[i].times & time))
			continue;
		rc = make_content(content, i, facts, err);
		if (!rc && content->size) {
			features->count++;
			continue;
		}
		free(content->bytes);
		*content = (struct perfdata_content){0};
		if (rc)
			return -1;
	}
	return 0;
}

void features_release(struct features *features)
{
	for (size_t i = 0; i < features->count; i++)
		free(features->contents[i].bytes);
	*features = (struct features){0};
}
