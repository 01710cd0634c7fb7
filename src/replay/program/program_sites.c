/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_sites.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

/* Multiplied by 2^64 over the golden ratio, of which the high bits are well mixed. */
static size_t hash(int32_t pid, uint64_t address)
{
	const uint64_t golden = 0x9e3779b97f4a7c15;
	uint64_t mixed = (address ^ (uint64_t)(uint32_t)pid << 40) * golden;

	return (size_t)((mixed ^ mixed >> 32) * golden >> 16);
}

/* Where the site is, or where it would be. */
static uint32_t *slot_of(const struct program_sites *sites, const struct program *program,
			 int32_t pid, uint64_t address)
{
	for (size_t i = hash(pid, address);; i++) {
		uint32_t *slot = &sites->slots[i & (sites->slot_count - 1)];
		const struct site *site = *slot ? &program->sites[*slot - 1] : NULL;

		if (!site || (site->address == address && site->pid == pid))
			return slot;
	}
}

static void grow(struct program_sites *sites, const struct program *program)
{
	uint32_t *old = sites->slots;
	size_t count = sites->slot_count;

	sites->slot_count = count ? 2 * count : FIRST_SLOTS;
	sites->slots = xcalloc(sites->slot_count, sizeof(*sites->slots));
	for (size_t i = 0; i < count; i++) {
		const struct site *site = old[i] ? &program->sites[old[i] - 1] : NULL;

		if (site)
			*slot_of(sites, program, site->pid, site->address) = old[i];
	}
	free(old);
}

uint32_t program_sites_find(struct program_sites *sites, struct program *program, int32_t pid,
			    uint64_t address)
{
	uint32_t *slot;

	if (2 * sites->used >= sites->slot_count)
		grow(sites, program);
	slot = slot_of(sites, program, pid, address);
	if (!*slot) {
		*slot = program_add_site(program, SITE_UNKNOWN) + 1;
		program->sites[*slot - 1].pid = pid;
		program->sites[*slot - 1].address = address;
		sites->used++;
	}
	return *slot - 1;
}

static bool may_wait(enum sync_call call)
{
	return call == SYNC_FUTEX_WAIT || call == SYNC_FUTEX_LOCK || call == SYNC_MUTEX_LOCK ||
	       call == SYNC_READ_LOCK || call == SYNC_WRITE_LOCK || call == SYNC_COND_WAIT ||
	       call == SYNC_BARRIER_WAIT || call == SYNC_SEM_WAIT;
}

uint32_t program_sites_call(struct program_sites *sites, struct program *program, uint32_t site,
			    enum sync_call call, const struct event *event)
{
	uint32_t count = event->count > 0 ? (uint32_t)event->count : 0;

	if (call == SYNC_BARRIER_INIT && count)
		program->sites[site].parties = count;
	if (call == SYNC_SEM_INIT && count)
		program->sites[site].tokens = count;
	if (may_wait(call))
		wait_chains_note_site(&program->chains, site, event->chain);
	array_reserve(&sites->calls, &sites->call_capacity, (size_t)site + 1);
	return step_call_count(call, sites->calls[site]++);
}

uint32_t program_sites_pause(struct program_sites *sites, struct program *program, enum step_op op,
			     uint32_t chain)
{
	size_t at = (size_t)chain * (STEP_UNKNOWN - STEP_SLEEP + 1) + (size_t)(op - STEP_SLEEP);

	if (!chain)
		return PROGRAM_NONE;
	array_reserve(&sites->pauses, &sites->pause_capacity, at + 1);
	if (!sites->pauses[at]) {
		sites->pauses[at] = program_add_site(program, SITE_UNKNOWN) + 1;
		program->sites[sites->pauses[at] - 1].chain = chain;
	}
	return sites->pauses[at] - 1;
}

void program_sites_release(struct program_sites *sites)
{
	free(sites->calls);
	free(sites->pauses);
	free(sites->slots);
	*sites = (struct program_sites){0};
}
