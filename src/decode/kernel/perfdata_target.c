/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/perfdata_target.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event/blocks.h"
#include "decode/event/event_source.h"
#include "decode/event/order.h"
#include "perfdata/perfdata_file.h"

#include <stdlib.h>
#include <string.h>

/* Far above what a recorder writes, far below what could hurt. */
enum { TEXT_MAX = 1 << 26 };

/* "block EVENT NAME", where an event could not be called as its function is. */
static void read_names(const struct perfdata_target *target, const char *text)
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

static int read_first(struct perfdata_target *target, char *text, struct err *err)
{
	read_names(target, text);
	target->described = true;
	return target_feature_init(&target->feature, target->target, target->order, text, err);
}

/*
 * A later text: a line on what has just happened, or the whole of it at the end of a stream, of
 * which only what could not be known before is news.
 */
static int update(struct perfdata_target *target, char *text, struct err *err)
{
	struct order *old = order_new();
	bool is_whole = strstr(text, "\nend_ns ");
	struct target_info info = {.roots = NULL};
	struct target_feature feature;
	int rc;

	read_names(target, text);
	rc = target_feature_init(&feature, &info, is_whole ? old : target->order, text, err);
	if (!rc && is_whole) {
		target_feature_release(&target->feature);
		target->feature = feature;
		target->target->end_ns = info.end_ns;
		target->target->affinity_count = info.affinity_count;
		target->target->own_cpu_ns = info.own_cpu_ns;
	} else if (!rc) {
		target->feature.paused_ns += feature.paused_ns;
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
	return target->described ? update(target, target->text, err)
				 : read_first(target, target->text, err);
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
	rc = read_first(target, text, err);
	free(text);
	return rc;
}

void perfdata_target_release(struct perfdata_target *target)
{
	target_feature_release(&target->feature);
	free(target->text);
}
