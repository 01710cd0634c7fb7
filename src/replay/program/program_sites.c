/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read_private.h"

#include "base/alloc.h"
#include "replay/program/step.h"

#include <stdlib.h>

uint32_t call_sites_find(struct call_sites *sites, struct program *program, const uint64_t key[2],
			 const struct site *new)
{
	size_t before = sites->map.count;
	uint32_t number = map_add(&sites->map, key, 2 * sizeof(*key));

	if (number == before) {
		array_reserve(&sites->indices, &sites->capacity, before + 1);
		sites->indices[number] = program_add_site(program, SITE_UNKNOWN);
		program->sites[sites->indices[number]] = *new;
	}
	return sites->indices[number];
}

uint32_t call_sites_find_object(struct call_sites *sites, struct program *program, uint64_t address,
				int32_t pid)
{
	const uint64_t key[] = {address, (uint32_t)pid};
	const uint64_t beside[] = {address ^ sizeof(uint32_t), (uint32_t)pid};
	const struct site new = {.pid = pid, .address = address};
	size_t before = program->site_count;
	uint32_t site = call_sites_find(sites, program, key, &new), other;

	if (program->site_count == before)
		return site;
	other = map_find(&sites->map, beside, sizeof(beside));
	futex_words_add(&sites->words, site,
			other == MAP_NONE ? (uint32_t)PROGRAM_NONE : sites->indices[other]);
	return site;
}

static bool may_wait(enum sync_call call)
{
	return call == SYNC_FUTEX_WAIT || call == SYNC_FUTEX_LOCK || call == SYNC_MUTEX_LOCK ||
	       call == SYNC_READ_LOCK || call == SYNC_WRITE_LOCK || call == SYNC_COND_WAIT ||
	       call == SYNC_BARRIER_WAIT || call == SYNC_SEM_WAIT;
}

uint32_t call_sites_call(struct call_sites *sites, struct program *program, uint32_t site,
			 enum sync_call call, const struct event *event)
{
	uint32_t count = event->count > 0 ? (uint32_t)event->count : 0;

	if (call == SYNC_BARRIER_INIT && count)
		program->sites[site].parties = count;
	if (call == SYNC_SEM_INIT && count)
		program->sites[site].tokens = count;
	if (call == SYNC_COND_WAIT || call == SYNC_COND_SIGNAL || call == SYNC_COND_BROADCAST)
		program->sites[site].begins_condition = true;
	if (may_wait(call))
		wait_chains_note_site(&program->chains, site, event->chain);
	futex_words_call(&sites->words, site, call, event->count);
	array_reserve(&sites->calls, &sites->call_capacity, (size_t)site + 1);
	return step_call_count(call, sites->calls[site]++);
}

void call_sites_release(struct call_sites *sites)
{
	map_release(&sites->map);
	free(sites->indices);
	free(sites->calls);
	free(sites->words.items);
}
