/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/record_owner.h"

#include "base/alloc.h"
#include "base/err.h"
#include "perfdata/perfdata_file.h"

#include <stdlib.h>

void record_owners_release(struct record_owners *owners)
{
	free(owners->layouts);
	owners->layouts = NULL;
}

/* --- What the events are ------------------------------------------------------------------- */

/* Where the id lies in a trailer, counted from the end of the record: below 0, or 0 for none. */
static int trailer_place(const struct sample_layout *layout)
{
	return layout->trailer.id < 0 ? 0 : layout->trailer.id - layout->trailer.size;
}

static void add_place(struct owner_places *places, int at)
{
	for (size_t i = 0; i < places->count; i++)
		if (places->at[i] == at)
			return;
	if (places->count < OWNER_PLACES_MAX) /* there are not so many */
		places->at[places->count++] = at;
}

static bool has_same_trailer(const struct sample_layout *a, const struct sample_layout *b)
{
	return memcmp(&a->trailer, &b->trailer, sizeof(a->trailer)) == 0;
}

/* Events only ever come: what is known of those before stays, but for where it is kept. */
void record_owners_learn(struct record_owners *owners, const struct perfdata_file *file)
{
	array_reserve(&owners->layouts, &owners->capacity, file->attr_count);
	memset(owners->cache, 0, sizeof(owners->cache));
	owners->id_count = file->id_count;
	if (!owners->count)
		owners->sample.alike = owners->trailer.alike = true;
	for (; owners->count < file->attr_count; owners->count++) {
		struct sample_layout *layout = &owners->layouts[owners->count];

		sample_layout_init(layout, &file->attrs[owners->count]);
		if (layout->head.id >= 0)
			add_place(&owners->sample, layout->head.id);
		if (layout->trailer.id >= 0)
			add_place(&owners->trailer, trailer_place(layout));
		owners->sample.alike &= sample_layout_is_same(layout, owners->layouts);
		owners->trailer.alike &= has_same_trailer(layout, owners->layouts);
	}
}

int record_owners_check(const struct perfdata_file *file, struct err *err)
{
	struct record_owners owners = {0};
	bool can;

	record_owners_learn(&owners, file);
	can = owners.sample.alike || owners.sample.count;
	record_owners_release(&owners);
	return can ? 0
		   : err_set(err, "holds events with different fields and without the ids that "
				  "would tell them apart; record them with 'pscal record' or "
				  "'perf sched record'");
}

/* --- Whose it is --------------------------------------------------------------------------- */

static const struct sample_layout *look_up(struct record_owners *owners,
					   const struct perfdata_file *file, uint64_t id)
{
	size_t place = id % OWNER_CACHE_SIZE;
	const struct perf_event_attr *attr;

	if (owners->cache[place].layout && owners->cache[place].id == id)
		return owners->cache[place].layout;
	attr = perfdata_file_attr(file, id);
	if (!attr)
		return NULL;
	owners->cache[place].id = id;
	owners->cache[place].layout = &owners->layouts[attr - file->attrs];
	owners->cache[place].in_sample = owners->cache[place].layout->head.id >= 0;
	return owners->cache[place].layout;
}

/* What the ids at the places say, the first of which is `*id`. NULL: nothing, or not one thing. */
static const struct sample_layout *find(struct record_owners *owners,
					const struct perfdata_file *file, bool is_sample,
					const char *body, size_t length, uint64_t *id)
{
	const struct owner_places *places = is_sample ? &owners->sample : &owners->trailer;
	const struct sample_layout *found = NULL;

	*id = 0;
	for (size_t i = 0; i < places->count; i++) {
		size_t at = (size_t)places->at[i] + (is_sample ? 0 : length);
		const struct sample_layout *layout;
		uint64_t tried;

		if (at > length || length - at < sizeof(tried))
			continue;
		memcpy(&tried, body + at, sizeof(tried));
		*id = *id ? *id : tried;
		layout = look_up(owners, file, tried);
		if (!layout ||
		    places->at[i] != (is_sample ? layout->head.id : trailer_place(layout)))
			continue;
		if (found && found != layout)
			return NULL;
		found = layout;
	}
	return found;
}

const struct sample_layout *record_owners_search(struct record_owners *owners,
						 const struct perfdata_file *file, bool is_sample,
						 const char *body, size_t length)
{
	bool alike = is_sample ? owners->sample.alike : owners->trailer.alike;
	const struct sample_layout *found;
	uint64_t id;

	if (owners->count == 1)
		return &owners->layouts[0];
	found = find(owners, file, is_sample, body, length, &id);
	if (found)
		return found;
	if (!id && !is_sample) /* perf has made it up: its whole trailer is zero */
		return &owners->layouts[0];
	return alike && (!id || !file->id_count) ? &owners->layouts[0] : NULL;
}
