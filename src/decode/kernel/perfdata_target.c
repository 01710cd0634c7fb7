/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/perfdata_source_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/sorted.h"
#include "decode/event/blocks.h"
#include "decode/event/event_source.h"
#include "decode/kernel/order.h"
#include "perfdata/perfdata.h"
#include "perfdata/perfdata_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The periods of Linux are 1 ms to 1 s; others are damaged. */
#define QUOTA_PERIOD_LEAST_NS 1000000
#define QUOTA_PERIOD_MOST_NS  1000000000

/* --- Parsing a value ----------------------------------------------------------------------- */

/* The destinations of the lines. */
struct reading {
	struct target_feature *feature;
	struct target_info *target;
	struct order *order;
	size_t root_capacity, tid_capacity, count_capacity;
};

static int read_version(struct reading *reading, char *value)
{
	uint64_t version;

	(void)reading;
	return parse_u64(&version, value, PERFDATA_PSCAL_VERSION);
}

static int read_mode(struct reading *reading, char *value)
{
	reading->target->attached = strcmp(value, "attach") == 0;
	return 0;
}

static int parse_id(int32_t *id, const char *text)
{
	uint64_t number = 0;
	int rc = parse_u64(&number, text, INT32_MAX);

	*id = (int32_t)number;
	return rc;
}

static int add_id(int32_t **ids, size_t *capacity, size_t *count, const char *value)
{
	array_reserve(ids, capacity, *count + 1);
	return parse_id(&(*ids)[(*count)++], value);
}

static int read_root(struct reading *reading, char *value)
{
	struct target_info *target = reading->target;

	return add_id(&target->roots, &reading->root_capacity, &target->root_count, value);
}

static int read_tid(struct reading *reading, char *value)
{
	struct target_info *target = reading->target;

	return add_id(&target->tids, &reading->tid_capacity, &target->tid_count, value);
}

static int read_comm(struct reading *reading, char *value)
{
	event_set_comm(reading->target->comm, value, strlen(value));
	return 0;
}

static int read_collector(struct reading *reading, char *value)
{
	snprintf(reading->target->collector, sizeof(reading->target->collector), "%s", value);
	return 0;
}

static int read_hidden(struct reading *reading, char *value)
{
	free(reading->target->hidden);
	reading->target->hidden = xstrdup(value);
	return 0;
}

static int read_busy(struct reading *reading, char *value)
{
	reading->target->has_busy = true;
	return parse_u64(&reading->target->busy_ns, value, UINT64_MAX);
}

static int read_cost(struct reading *reading, char *value)
{
	reading->target->has_cost = true;
	return parse_u64(&reading->target->cost_switch_ns, value, UINT64_MAX);
}

static int parse_cost(double *cost_ns, const char *value)
{
	return parse_double(cost_ns, value) || *cost_ns < 0;
}

static int read_fault_outside(struct reading *reading, char *value)
{
	reading->target->has_faults = true;
	return parse_cost(&reading->target->fault_outside_ns, value);
}

static int read_paused(struct reading *reading, char *value)
{
	const char *begin = strsep(&value, " ");
	uint64_t begin_ns, end_ns;

	if (!value || parse_u64(&begin_ns, begin, UINT64_MAX) ||
	    parse_u64(&end_ns, value, UINT64_MAX) || begin_ns > end_ns)
		return -1;
	order_pause(reading->order, begin_ns, end_ns);
	reading->feature->paused_ns += end_ns - begin_ns;
	return 0;
}

static int read_affinity(struct reading *reading, char *value)
{
	struct err ignored;
	uint64_t *cpus;
	size_t count;

	if (parse_list(&cpus, &count, value, 0, PARSE_LIST_MAX, &ignored))
		return -1;
	reading->target->affinity_count = (unsigned)count;
	free(cpus);
	return 0;
}

static int read_wrapped(struct reading *reading, char *value)
{
	(void)value;
	reading->feature->wrapped = true;
	return 0;
}

static int read_calls_end(struct reading *reading, char *value)
{
	return parse_u64(&reading->feature->calls_end_ns, value, UINT64_MAX);
}

static int read_count(struct reading *reading, char *value)
{
	struct target_feature *feature = reading->feature;
	char *name = strsep(&value, " ");
	struct event_count *count;

	array_reserve(&feature->counts, &reading->count_capacity, feature->count + 1);
	count = &feature->counts[feature->count];
	if (!value || strlen(name) >= sizeof(count->name) ||
	    parse_u64(&count->hits, value, UINT64_MAX))
		return -1;
	strcpy(count->name, name);
	feature->count++;
	return 0;
}

static int read_thread(struct reading *reading, char *value)
{
	const char *time = strsep(&value, " "), *pid = strsep(&value, " ");
	const char *tid = strsep(&value, " "), *letter = strsep(&value, " ");
	struct event event = event_new(EVENT_STATE, 0);

	if (!value || parse_u64(&event.time_ns, time, UINT64_MAX) || parse_id(&event.pid, pid) ||
	    parse_id(&event.tid, tid))
		return -1;
	event.state = thread_state_of_letters(letter);
	if (event.state == STATE_RUNNABLE) /* /proc has R for both states */
		event.state = STATE_ACTIVE;
	event_set_comm(event.comm, value, strlen(value));
	order_push_ahead(reading->order, &event);
	return 0;
}

#define IN_TARGET(member) offsetof(struct target_info, member)

/* A new key is a line here and one in perfdata/perfdata.h. */
static const struct key {
	const char *name;
	enum { KEY_READ, KEY_FLAG, KEY_ID, KEY_U64, KEY_COST } type;
	size_t offset; /* the offset of a bool, an int32_t, a uint64_t or a double */
	int (*read)(struct reading *reading, char *value);
} keys[] = {
	{"pscal", KEY_READ, 0, read_version},
	{"mode", KEY_READ, 0, read_mode},
	{"root", KEY_READ, 0, read_root},
	{"tid", KEY_READ, 0, read_tid},
	{"comm", KEY_READ, 0, read_comm},
	{"launched", KEY_ID, IN_TARGET(launched), NULL},
	{"wide", KEY_FLAG, IN_TARGET(wide), NULL},
	{"self", KEY_ID, IN_TARGET(self), NULL},
	{"alone", KEY_FLAG, IN_TARGET(alone), NULL},
	{"affinity", KEY_READ, 0, read_affinity},
	{"cores", KEY_U64, IN_TARGET(core_count), NULL},
	{"start_ns", KEY_U64, IN_TARGET(start_ns), NULL},
	{"end_ns", KEY_U64, IN_TARGET(end_ns), NULL},
	{"paused", KEY_READ, 0, read_paused},
	{"collector", KEY_READ, 0, read_collector},
	{"hidden", KEY_READ, 0, read_hidden},
	{"cost_switch_ns", KEY_READ, 0, read_cost},
	{"own_cpu_ns", KEY_U64, IN_TARGET(own_cpu_ns), NULL},
	{"busy_ns", KEY_READ, 0, read_busy},
	{"steal_ns", KEY_U64, IN_TARGET(steal_ns), NULL},
	{"quota_ns", KEY_U64, IN_TARGET(quota.quota_ns), NULL},
	{"quota_period_ns", KEY_U64, IN_TARGET(quota.period_ns), NULL},
	{"quota_periods", KEY_U64, IN_TARGET(quota.periods), NULL},
	{"quota_throttled", KEY_U64, IN_TARGET(quota.throttled), NULL},
	{"quota_throttled_ns", KEY_U64, IN_TARGET(quota.throttled_ns), NULL},
	{"quota_used_ns", KEY_U64, IN_TARGET(quota.used_ns), NULL},
	{"cost_call_ns", KEY_U64, IN_TARGET(cost_call_ns), NULL},
	{"cost_system_call_ns", KEY_U64, IN_TARGET(cost_system_call_ns), NULL},
	{"count", KEY_READ, 0, read_count},
	{"thread", KEY_READ, 0, read_thread},
	{"wrapped", KEY_READ, 0, read_wrapped},
	{"calls_end_ns", KEY_READ, 0, read_calls_end},
	{"interrupts", KEY_FLAG, IN_TARGET(interrupts), NULL},
	{"blocks_every", KEY_U64, IN_TARGET(blocks_every), NULL},
	{"blocks_lost", KEY_U64, IN_TARGET(blocks_lost), NULL},
	{"block_cost_ns", KEY_COST, IN_TARGET(block_cost_ns), NULL},
	{"task_cost_ns", KEY_COST, IN_TARGET(task_cost_ns), NULL},
	{"uprobe_cost_ns", KEY_U64, IN_TARGET(uprobe_cost_ns), NULL},
	{"fault_outside_ns", KEY_READ, 0, read_fault_outside},
};

static int read_key(struct reading *reading, const struct key *key, char *value)
{
	void *member = (char *)reading->target + key->offset;

	switch (key->type) {
	case KEY_FLAG:
		*(bool *)member = true;
		return 0;
	case KEY_ID:
		return parse_id(member, value);
	case KEY_U64:
		return parse_u64(member, value, UINT64_MAX);
	case KEY_COST:
		return parse_cost(member, value);
	default:
		return key->read(reading, value);
	}
}

static int read_line(struct reading *reading, char *line)
{
	const char *name = strsep(&line, " ");

	for (size_t i = 0; line && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(name, keys[i].name) == 0)
			return read_key(reading, &keys[i], line);
	return 0; /* a key of a later version */
}

int target_feature_init(struct target_feature *feature, struct target_info *target,
			struct order *order, char *text, struct err *err)
{
	struct reading reading = {.feature = feature, .target = target, .order = order};

	*feature = (struct target_feature){0};
	for (char *line; (line = strsep(&text, "\n"));) {
		if (read_line(&reading, line)) {
			target_feature_release(feature);
			return err_set(err, "its description of the target is damaged: '%.40s'",
				       line);
		}
	}
	sort_items(target->roots, target->root_count, compare_i32); /* as a selection needs them */
	sort_items(target->tids, target->tid_count, compare_i32);
	return 0;
}

void target_feature_release(struct target_feature *feature)
{
	free(feature->counts);
	*feature = (struct target_feature){0};
}

/* --- The description by perf --------------------------------------------------------------- */

/* The bytes of one thread in PERFDATA_RECORD_THREAD_MAP. */
enum { THREAD_BYTES = 24 };

/* --- The texts of a file ------------------------------------------------------------------- */

/* Far above the texts of a recorder, far below what could exhaust memory. */
enum { TEXT_MAX = 1 << 26 };

/* Reads "block EVENT NAME": the event could not have the name of its function. */
static void target_read_names(const struct perfdata_target *target, const char *text)
{
	static const char key[] = "block ";

	for (const char *line = text; target->blocks && line; line = strchr(line, '\n')) {
		char *event, *name;

		line += *line == '\n';
		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		line += strlen(key);
		event = xasprintf("%.*s", (int)strcspn(line, "\n"), line);
		name = strchr(event, ' ');
		if (name)
			*name++ = '\0';
		if (name && *name)
			blocks_call(target->blocks, event, name);
		free(event);
	}
}

static int target_read_first(struct perfdata_target *target, char *text, struct err *err)
{
	target_read_names(target, text);
	target->described = true;
	return target_feature_init(&target->feature, target->target, target->order, text, err);
}

/*
 * Reads a later text: a line on an event of the recording, or at the end of a stream the whole
 * text, of which only the values that were unknown before are used.
 */
static int target_update(struct perfdata_target *target, char *text, struct err *err)
{
	struct order *old = order_new();
	bool is_whole = strstr(text, "\nend_ns ");
	struct target_info info = {.roots = NULL};
	struct target_feature feature;
	int rc;

	target_read_names(target, text);
	rc = target_feature_init(&feature, &info, is_whole ? old : target->order, text, err);
	if (!rc && is_whole) {
		target_feature_release(&target->feature);
		target->feature = feature;
		target->target->end_ns = info.end_ns;
		target->target->affinity_count = info.affinity_count;
		target->target->core_count = info.core_count;
		target->target->own_cpu_ns = info.own_cpu_ns;
		target->target->has_busy = info.has_busy;
		target->target->busy_ns = info.busy_ns;
		target->target->steal_ns = info.steal_ns;
		if (info.quota.period_ns >= QUOTA_PERIOD_LEAST_NS &&
		    info.quota.period_ns <= QUOTA_PERIOD_MOST_NS)
			target->target->quota = info.quota;
	} else if (!rc) {
		target->feature.paused_ns += feature.paused_ns;
		if (feature.calls_end_ns)
			target->feature.calls_end_ns = feature.calls_end_ns;
		target_feature_release(&feature);
	}
	target_info_release(&info);
	order_free(old);
	return rc;
}

int perfdata_target_note(struct perfdata_target *target, const struct perfdata_record *record,
			 struct err *err)
{
	uint16_t misc = record->header.misc;
	size_t part = strnlen(record->body, record->length);
	size_t length = target->text_length + part;

	if (target->has_section || (misc != PERFDATA_NOTE_TEXT && misc != PERFDATA_NOTE_TEXT_END))
		return 0;
	if (length > TEXT_MAX)
		return err_set(err, "its description of the target is too long");
	array_reserve(&target->text, &target->text_capacity, length + 1);
	memcpy(target->text + target->text_length, record->body, part);
	target->text[length] = '\0';
	target->text_length = misc == PERFDATA_NOTE_TEXT ? length : 0;
	if (misc == PERFDATA_NOTE_TEXT)
		return 0;
	return target->described ? target_update(target, target->text, err)
				 : target_read_first(target, target->text, err);
}

int perfdata_target_section(struct perfdata_target *target, const struct perfdata_file *file,
			    const struct input *input, struct err *err)
{
	size_t length;
	char *text;
	int rc;

	if (!file->features[PERFDATA_PSCAL].size)
		return 0;
	text = perfdata_file_feature(file, input, PERFDATA_PSCAL, &length, err);
	if (!text)
		return -1;
	target->has_section = true;
	rc = target_read_first(target, text, err);
	free(text);
	return rc;
}

bool perfdata_target_threads(struct perfdata_target *target, const struct perfdata_record *record,
			     bool inherits)
{
	struct target_info *info = target->target;
	size_t capacity = 0;

	if (target->described || info->tid_count)
		return info->tid_count > 0;
	for (size_t at = 8; at + THREAD_BYTES <= record->length; at += THREAD_BYTES) {
		uint64_t tid;

		memcpy(&tid, record->body + at, sizeof(tid));
		if (tid > INT32_MAX) {
			info->tid_count = 0;
			return false;
		}
		array_reserve(&info->tids, &capacity, info->tid_count + 1);
		info->tids[info->tid_count++] = (int32_t)tid;
	}
	sort_items(info->tids, info->tid_count, compare_i32);
	info->alone = !inherits;
	return info->tid_count > 0;
}

void perfdata_target_join(struct perfdata_target *target, const struct namespaces *namespaces)
{
	struct target_info *info = target->target;

	for (size_t i = 0; i < info->tid_count; i++) {
		int32_t found = namespaces_find(namespaces, info->tids[i]);

		info->tids[i] = found > 0 ? found : -info->tids[i];
	}
	sort_items(info->tids, info->tid_count, compare_i32);
}

void perfdata_target_learn(struct perfdata_target *target, int32_t inside, int32_t outside)
{
	struct target_info *info = target->target;
	const int32_t key = -inside;
	int32_t *found = NULL;

	if (inside > 0 && outside > 0 && info->tid_count)
		found = bsearch(&key, info->tids, info->tid_count, sizeof(key), compare_i32);
	if (!found)
		return;
	*found = outside;
	sort_items(info->tids, info->tid_count, compare_i32);
}

void perfdata_target_release(struct perfdata_target *target)
{
	target_feature_release(&target->feature);
	free(target->text);
}
