/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counter_advice.h"

#include "base/edit_distance.h"
#include "base/err.h"
#include "collect/counters/counter_list.h"
#include "collect/kernel/permission.h"

#include <ctype.h>
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NAME_MAX_LENGTH = 63, NEAR_COUNT = 3 };

/* What is typed or listed, without the PMU before it and the masks behind: "UOPS_ISSUED". */
struct base {
	char text[NAME_MAX_LENGTH + 1];
	size_t length;
};

static struct base base_of(const char *name)
{
	const char *colons = strstr(name, "::");
	const char *begin = colons ? colons + 2 : name;
	struct base base = {.length = strcspn(begin, ":.")};

	if (base.length > NAME_MAX_LENGTH)
		base.length = NAME_MAX_LENGTH;
	for (size_t i = 0; i < base.length; i++)
		base.text[i] = (char)tolower((unsigned char)begin[i]);
	return base;
}

static size_t distance(const struct base *from, const struct base *to)
{
	return edit_distance(from->text, from->length, to->text, to->length);
}

struct near {
	char name[NAME_MAX_LENGTH + 1];
	size_t rank; /* the smaller the better; 0: none */
};

struct search {
	struct base base;
	char pmu[NAME_MAX_LENGTH + 1]; /* that was typed; empty: any */
	char owner[NAME_MAX_LENGTH + 1];
	size_t owners; /* PMUs of other machines that have it */
	struct near near[NEAR_COUNT];
};

/* The names stay sorted; what other machines have comes after what this one has. */
static void keep_near(struct search *search, const char *name, size_t rank)
{
	size_t at = NEAR_COUNT;

	for (size_t i = 0; i < NEAR_COUNT; i++)
		if (strcmp(search->near[i].name, name) == 0)
			return;
	while (at > 0 && (!search->near[at - 1].rank || search->near[at - 1].rank > rank))
		at--;
	if (at == NEAR_COUNT || strlen(name) > NAME_MAX_LENGTH)
		return;
	memmove(&search->near[at + 1], &search->near[at],
		(NEAR_COUNT - at - 1) * sizeof(search->near[0]));
	strcpy(search->near[at].name, name);
	search->near[at].rank = rank;
}

static void look_at(void *context, const struct counter_known *known)
{
	struct search *search = context;
	const struct base base = base_of(known->name);
	size_t allowed = 1 + search->base.length / 4;
	size_t letters = distance(&search->base, &base);
	bool asked = !*search->pmu || strcasecmp(search->pmu, known->pmu) == 0;

	if (!letters && asked && !known->present) {
		if (!search->owners++)
			snprintf(search->owner, sizeof(search->owner), "%s", known->pmu);
	} else if (letters && letters <= allowed) {
		keep_near(search, known->name, 2 * letters + !known->present);
	}
}

static const char *what_works(void)
{
	if (counter_probe_hardware())
		return "'pscal list' shows what it has";
	return "it has no hardware counters at all (a virtual machine?), and software events such "
	       "as task-clock and page-faults work: see 'pscal list'";
}

static void set_foreign(const char *name, const struct search *search, struct err *err)
{
	char others[48] = "";

	if (search->owners > 1)
		snprintf(others, sizeof(others), " and of %zu others", search->owners - 1);
	err_set(err, "%s: is an event of the PMU %s%s, which this machine does not have; %s", name,
		search->owner, others, what_works());
}

int counter_advice_unknown(const char *name, struct err *err)
{
	struct search search = {.base = base_of(name)};
	const char *colons = strstr(name, "::");
	char text[sizeof(search.near) + 32] = "";
	size_t used = 0;

	if (colons && colons - name <= NAME_MAX_LENGTH)
		memcpy(search.pmu, name, (size_t)(colons - name));
	counter_list_each(false, look_at, &search);
	if (search.owners) {
		set_foreign(name, &search, err);
		return 1;
	}
	for (size_t i = 0; i < NEAR_COUNT && search.near[i].rank; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 i ? ", " : "; did you mean ", search.near[i].name);
	return err_set(err,
		       "%s: neither libpfm4 nor the kernel knows this event ('pscal list --all' "
		       "shows them)%s%s",
		       name, text, used ? "?" : "");
}

/* Appends the masks of an event, as far as there is room. */
static void list_masks(char *text, size_t size, int event, const pfm_event_info_t *info)
{
	size_t used = 0;

	for (int i = 0; i < info->nattrs && used < size; i++) {
		pfm_event_attr_info_t mask = {.size = sizeof(mask)};

		if (pfm_get_event_attr_info(event, i, PFM_OS_PERF_EVENT, &mask) == PFM_SUCCESS)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 mask.name);
	}
	if (used >= size)
		strcpy(text + size - sizeof("..."), "...");
}

int counter_advice_masks(const char *name, const char *reason, struct err *err)
{
	const char *colons = strstr(name, "::");
	size_t pmu = colons ? (size_t)(colons - name) + 2 : 0;
	size_t length = pmu + strcspn(name + pmu, ":.");
	pfm_event_info_t info = {.size = sizeof(info)};
	char event[128], masks[512] = "";
	int index;

	snprintf(event, sizeof(event), "%.*s", (int)length, name);
	index = pfm_find_event(event);
	if (index >= 0 && pfm_get_event_info(index, PFM_OS_PERF_EVENT, &info) == PFM_SUCCESS)
		list_masks(masks, sizeof(masks), index, &info);
	return err_set(err, "%s: %s; what may follow %s: %s", name, reason, event,
		       *masks ? masks : "nothing");
}

int counter_advice_access(const char *name, const struct perf_event_attr *attr,
			  enum counter_access access, struct err *err)
{
	bool software = attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT;

	if (access == COUNTER_NO && software)
		return err_set(err, "%s: this kernel does not count it: see 'pscal list'", name);
	if (access == COUNTER_NO && !counter_probe_hardware())
		return err_set(err,
			       "%s: this machine has no hardware counters (a virtual machine?); "
			       "software events such as task-clock and page-faults work: see "
			       "'pscal list'",
			       name);
	if (access == COUNTER_NO)
		return err_set(err,
			       "%s: is known, but the PMU of this machine does not count it: see "
			       "'pscal list'",
			       name);
	errno = EACCES;
	return permission_task_event(err, name, attr, 0);
}

int counter_advice_group(const char *names, enum counter_fit fit, struct err *err)
{
	if (fit == COUNTER_REFUSED)
		return err_set(err,
			       "{%s}: the PMU cannot count so many at once: make smaller groups, "
			       "or leave the braces away and let them take turns",
			       names);
	return err_set(err,
		       "{%s}: never got on the PMU together: a counter is taken, as by the NMI "
		       "watchdog ('sudo sysctl kernel.nmi_watchdog=0'); make smaller groups, or "
		       "leave the braces away and let them take turns",
		       names);
}
