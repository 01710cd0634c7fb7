/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counter_list.h"

#include "base/alloc.h"
#include "collect/counters/counter_names.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <perfmon/pfmlib_perf_event.h>

struct listing {
	bool masks;
	counter_visit *visit;
	void *context;
};

/* --- Of every machine ---------------------------------------------------------------------- */

static void list_generics(const struct listing *listing)
{
	size_t count;
	const struct counter_generic *generics = counter_generics(&count);

	for (size_t i = 0; i < count; i++) {
		const struct counter_generic *generic = &generics[i];
		const struct counter_known known = {
			.name = generic->name,
			.alias = generic->alias,
			.pmu = generic->type == PERF_TYPE_SOFTWARE ? "software" : "hardware",
			.description = generic->description,
			.present = true,
		};

		listing->visit(listing->context, &known);
	}
}

/* --- Of PMUs ------------------------------------------------------------------------------- */

static void tell(const struct listing *listing, const pfm_pmu_info_t *pmu, const char *event,
		 const char *mask, const char *description)
{
	char *name = xasprintf("%s::%s%s%s", pmu->name, event, *mask ? ":" : "", mask);

	listing->visit(listing->context, &(struct counter_known){.name = name,
								 .pmu = pmu->name,
								 .description = description,
								 .present = pmu->is_present});
	free(name);
}

static void list_event(const struct listing *listing, const pfm_pmu_info_t *pmu, int event,
		       const pfm_event_info_t *info)
{
	bool masked = false;

	for (int i = 0; listing->masks && i < info->nattrs; i++) {
		pfm_event_attr_info_t mask = {.size = sizeof(mask)};
		char *description;

		if (pfm_get_event_attr_info(event, i, PFM_OS_PERF_EVENT, &mask) != PFM_SUCCESS ||
		    mask.type != PFM_ATTR_UMASK)
			continue;
		masked = true;
		description = xasprintf("%s: %s", info->desc, mask.desc);
		tell(listing, pmu, info->name, mask.name, description);
		free(description);
	}
	if (!masked)
		tell(listing, pmu, info->name, "", info->desc);
}

/*
 * libpfm4's PMU "perf" is the kernel: what it has beyond our own names is those of the caches,
 * which stand for an event with masks.
 */
static void list_cache_event(const struct listing *listing, const pfm_event_info_t *info)
{
	if (info->equiv && strchr(info->equiv, ':'))
		listing->visit(listing->context, &(struct counter_known){.name = info->name,
									 .pmu = "hardware",
									 .description = info->desc,
									 .present = true});
}

static void list_pmu(const struct listing *listing, const pfm_pmu_info_t *pmu)
{
	bool kernel = strcmp(pmu->name, "perf") == 0;

	for (int event = pmu->first_event; event >= 0; event = pfm_get_event_next(event)) {
		pfm_event_info_t info = {.size = sizeof(info)};

		if (pfm_get_event_info(event, PFM_OS_PERF_EVENT, &info) != PFM_SUCCESS)
			continue;
		if (kernel)
			list_cache_event(listing, &info);
		else
			list_event(listing, pmu, event, &info);
	}
}

void counter_list_each(bool masks, counter_visit *visit, void *context)
{
	const struct listing listing = {masks, visit, context};

	list_generics(&listing);
	for (pfm_pmu_t id = PFM_PMU_NONE; id < PFM_PMU_MAX; id++) {
		pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

		/* perf_raw has one event, r0000: an example of how raw codes are written. */
		if (pfm_get_pmu_info(id, &pmu) == PFM_SUCCESS && strcmp(pmu.name, "perf_raw") != 0)
			list_pmu(&listing, &pmu);
	}
}

/* --- Tracepoints --------------------------------------------------------------------------- */

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && entry->d_type == DT_DIR;
}

static int list_directory(struct dirent ***entries, const char *path)
{
	return scandir(path, entries, is_shown, alphasort);
}

static void list_system(const char *path, const char *system, const struct listing *listing)
{
	struct dirent **events;
	int count = list_directory(&events, path);

	for (int i = 0; i < count; i++) {
		char *name = xasprintf("%s:%s", system, events[i]->d_name);

		listing->visit(listing->context,
			       &(struct counter_known){.name = name,
						       .pmu = "tracepoint",
						       .description = "Kernel tracepoint",
						       .present = true});
		free(name);
		free(events[i]);
	}
	if (count >= 0)
		free(events);
}

void counter_list_tracepoints(const char *tracefs, counter_visit *visit, void *context)
{
	const struct listing listing = {.visit = visit, .context = context};
	char *root = xasprintf("%s/events", tracefs);
	struct dirent **systems;
	int count = list_directory(&systems, root);

	for (int i = 0; i < count; i++) {
		char *path = xasprintf("%s/%s", root, systems[i]->d_name);

		list_system(path, systems[i]->d_name, &listing);
		free(path);
		free(systems[i]);
	}
	if (count >= 0)
		free(systems);
	free(root);
}
