/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counters.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/names.h"
#include "collect/kernel/permission.h"
#include "collect/kernel/tracefs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *counter_access_name(enum counter_access access)
{
	static const char *const names[] = {
		[COUNTER_YES] = "yes",
		[COUNTER_USER] = "user",
		[COUNTER_DENIED] = "denied",
		[COUNTER_NO] = "no",
	};

	return names[access];
}

/* Tries an event on this thread. Returns 0 or errno. */
static int try_on_self(const struct perf_event_attr *event)
{
	struct perf_event_attr attr = *event;

	attr.size = sizeof(attr);
	attr.disabled = 1;
	return permission_try_event(&attr, 0, -1);
}

/* Returns whether only kernel mode raises an event: in user mode it opens, and stays 0. */
static bool is_of_kernel(const struct perf_event_attr *event)
{
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		event->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		event->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

static bool is_denial(int code)
{
	return code == EACCES || code == EPERM;
}

enum counter_access counter_probe(const struct perf_event_attr *event)
{
	struct perf_event_attr user = *event;
	int code = try_on_self(event);

	if (!code)
		return COUNTER_YES;
	if (!is_denial(code))
		return COUNTER_NO;
	user.exclude_kernel = user.exclude_hv = 1;
	code = try_on_self(&user); /* rights are checked before the PMU */
	if (code && !is_denial(code))
		return COUNTER_NO;
	return code || event->exclude_user || is_of_kernel(event) ? COUNTER_DENIED : COUNTER_USER;
}

bool counter_probe_hardware(void)
{
	const struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE,
					       .config = PERF_COUNT_HW_CPU_CYCLES};

	return counter_probe(&cycles) != COUNTER_NO;
}

#define SOFTWARE(what) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##what
#define HARDWARE(what) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##what

/* An event with a number in every kernel. */
struct generic {
	const char *name, *alias; /* alias may be NULL */
	uint32_t type;		  /* PERF_TYPE_SOFTWARE or PERF_TYPE_HARDWARE */
	uint64_t config;
	const char *description;
};

/*
 * The names of perf-list(1). libpfm4 knows most of them, but without a description, and none of
 * them if LIBPFM_FORCE_PMU is set.
 */
static const struct generic generics[] = {
	{"task-clock", NULL, SOFTWARE(TASK_CLOCK), "Nanoseconds on a CPU"},
	{"cpu-clock", NULL, SOFTWARE(CPU_CLOCK), "Nanoseconds on a CPU, by the clock of the CPU"},
	{"context-switches", "cs", SOFTWARE(CONTEXT_SWITCHES), "Context switches"},
	{"cpu-migrations", "migrations", SOFTWARE(CPU_MIGRATIONS), "Moves to another CPU"},
	{"cgroup-switches", NULL, SOFTWARE(CGROUP_SWITCHES),
	 "Switches between threads of different control groups"},
	{"page-faults", "faults", SOFTWARE(PAGE_FAULTS), "Page faults of both kinds"},
	{"minor-faults", NULL, SOFTWARE(PAGE_FAULTS_MIN), "Page faults without I/O"},
	{"major-faults", NULL, SOFTWARE(PAGE_FAULTS_MAJ), "Page faults that waited for I/O"},
	{"alignment-faults", NULL, SOFTWARE(ALIGNMENT_FAULTS),
	 "Unaligned accesses that the kernel completed"},
	{"emulation-faults", NULL, SOFTWARE(EMULATION_FAULTS),
	 "Instructions that the kernel emulated"},
	{"bpf-output", NULL, SOFTWARE(BPF_OUTPUT), "Events written by BPF programs"},
	{"cycles", "cpu-cycles", HARDWARE(CPU_CYCLES), "CPU cycles, at any clock rate"},
	{"instructions", NULL, HARDWARE(INSTRUCTIONS), "Instructions retired"},
	{"cache-references", NULL, HARDWARE(CACHE_REFERENCES), "Accesses to the last-level cache"},
	{"cache-misses", NULL, HARDWARE(CACHE_MISSES), "Accesses that missed the last-level cache"},
	{"branches", "branch-instructions", HARDWARE(BRANCH_INSTRUCTIONS), "Branches retired"},
	{"branch-misses", NULL, HARDWARE(BRANCH_MISSES), "Mispredicted branches"},
	{"bus-cycles", NULL, HARDWARE(BUS_CYCLES), "Bus cycles"},
	{"stalled-cycles-frontend", "idle-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND),
	 "Cycles in which no instruction could be issued"},
	{"stalled-cycles-backend", "idle-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND),
	 "Cycles in which no instruction could be retired"},
	{"ref-cycles", NULL, HARDWARE(REF_CPU_CYCLES), "Cycles at the nominal clock rate"},
};
enum { GENERIC_COUNT = sizeof(generics) / sizeof(generics[0]) };

/* libpfm4 stays on: pfm_terminate of 4.13 crashes if the kernel's tracepoints can be read. */
int counter_names_open(struct err *err)
{
	int code = pfm_initialize();

	/* Not supported: it knows no PMU of this machine, but has all its tables. */
	if (code != PFM_SUCCESS && code != PFM_ERR_NOTSUPP)
		return err_set(err, "libpfm4 does not start: %s", pfm_strerror(code));
	return 0;
}

struct listing {
	bool masks;
	counter_visit *visit;
	void *context;
};

/* --- The list of events of every machine ---------------------------------------------------- */

static void list_generics(const struct listing *listing)
{
	for (size_t i = 0; i < GENERIC_COUNT; i++) {
		const struct generic *generic = &generics[i];
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

/* --- The list of events of PMUs ------------------------------------------------------------- */

static void list_name(const struct listing *listing, const pfm_pmu_info_t *pmu, const char *event,
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
		list_name(listing, pmu, info->name, mask.name, description);
		free(description);
	}
	if (!masked)
		list_name(listing, pmu, info->name, "", info->desc);
}

/*
 * Lists an event of libpfm4's PMU "perf", which is the kernel: only events of caches, which stand
 * for an event with masks, are not in our own names.
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

void counter_names_each(bool masks, counter_visit *visit, void *context)
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

/* --- The list of tracepoints ---------------------------------------------------------------- */

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

void counter_names_tracepoints(const char *tracefs, counter_visit *visit, void *context)
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

/* --- Refusals -------------------------------------------------------------------------------- */

enum { NAME_MAX_LENGTH = 63, NEAR_COUNT = 3 };

/* The event in a name, without PMU and masks: "UOPS_ISSUED". */
struct event_name {
	char text[NAME_MAX_LENGTH + 1];
	size_t length;
};

static struct event_name event_name_of(const char *name)
{
	const char *colons = strstr(name, "::");
	const char *begin = colons ? colons + 2 : name;
	struct event_name base = {.length = strcspn(begin, ":.")};

	if (base.length > NAME_MAX_LENGTH)
		base.length = NAME_MAX_LENGTH;
	for (size_t i = 0; i < base.length; i++)
		base.text[i] = (char)tolower((unsigned char)begin[i]);
	return base;
}

static size_t letters_apart(const struct event_name *from, const struct event_name *to)
{
	return edit_distance(from->text, from->length, to->text, to->length);
}

struct near {
	char name[NAME_MAX_LENGTH + 1];
	size_t rank; /* the smaller the better; 0: none */
};

struct search {
	struct event_name base;
	char pmu[NAME_MAX_LENGTH + 1]; /* PMU in the given name; empty: any */
	char owner[NAME_MAX_LENGTH + 1];
	size_t owners; /* PMUs of other machines that have it */
	struct near near[NEAR_COUNT];
};

/* Keeps a near name. Names stay sorted; those of other machines come after those of this one. */
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
	const struct event_name base = event_name_of(known->name);
	size_t allowed = 1 + search->base.length / 4;
	size_t letters = letters_apart(&search->base, &base);
	bool asked = !*search->pmu || strcasecmp(search->pmu, known->pmu) == 0;

	if (!letters && asked && !known->present) {
		if (!search->owners++)
			snprintf(search->owner, sizeof(search->owner), "%s", known->pmu);
	} else if (letters && letters <= allowed) {
		keep_near(search, known->name, 2 * letters + !known->present);
	}
}

static const char *hint_of_machine(void)
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
		search->owner, others, hint_of_machine());
}

/*
 * Writes the error of an unknown event. Returns 1 if a PMU of other machines has it, otherwise -1.
 */
static int set_unknown(const char *name, struct err *err)
{
	struct search search = {.base = event_name_of(name)};
	const char *colons = strstr(name, "::");
	char text[sizeof(search.near) + 32] = "";
	size_t used = 0;

	if (colons && colons - name <= NAME_MAX_LENGTH)
		memcpy(search.pmu, name, (size_t)(colons - name));
	counter_names_each(false, look_at, &search);
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

/* Writes the error of a known event with unknown masks. `reason` is that of libpfm4. */
static int set_masks(const char *name, const char *reason, struct err *err)
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
	return err_set(err, "%s: %s; after %s may come: %s", name, reason, event,
		       *masks ? masks : "nothing");
}

/* --- Encoding: names of perf ------------------------------------------------------------------ */

static const struct generic *find_generic(const char *name, size_t length)
{
	for (size_t i = 0; i < GENERIC_COUNT; i++) {
		const char *const spellings[] = {generics[i].name, generics[i].alias};

		for (size_t k = 0; k < 2; k++)
			if (spellings[k] && strlen(spellings[k]) == length &&
			    strncasecmp(spellings[k], name, length) == 0)
				return &generics[i];
	}
	return NULL;
}

/* Sets the modes that count, "u" or "uk"; others are excluded. Returns -1 for other letters. */
static int set_modes(struct perf_event_attr *attr, const char *letters)
{
	if (!*letters || letters[strspn(letters, "ukh")])
		return -1;
	attr->exclude_user = !strchr(letters, 'u');
	attr->exclude_kernel = !strchr(letters, 'k');
	attr->exclude_hv = !strchr(letters, 'h');
	return 0;
}

static int encode_generic(struct perf_event_attr *attr, const struct generic *generic,
			  const char *name, const char *modes, struct err *err)
{
	attr->type = generic->type;
	attr->config = generic->config;
	if (*modes && set_modes(attr, modes + 1))
		return err_set(
			err,
			"%s: after the colon may come u, k and h: user mode, kernel, hypervisor",
			name);
	return 0;
}

/* --- Encoding: names of libpfm4 --------------------------------------------------------------- */

static bool is_of_socket(int event)
{
	pfm_event_info_t info = {.size = sizeof(info)};
	pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

	return pfm_get_event_info(event, PFM_OS_PERF_EVENT, &info) == PFM_SUCCESS &&
	       pfm_get_pmu_info(info.pmu, &pmu) == PFM_SUCCESS && pmu.type == PFM_PMU_TYPE_UNCORE;
}

/* Encodes an event. Returns 0, the code of libpfm4, or 1 with an error. */
static int encode_pfm(struct perf_event_attr *attr, const char *name, struct err *err)
{
	struct perf_event_attr encoded = {.size = sizeof(encoded)};
	pfm_perf_encode_arg_t argument = {.attr = &encoded, .size = sizeof(argument)};
	int code = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
					     PFM_OS_PERF_EVENT, &argument);

	if (code != PFM_SUCCESS)
		return code;
	if (is_of_socket(argument.idx)) {
		err_set(err, "%s: counts for a whole socket, and not for a thread", name);
		return 1;
	}
	attr->type = encoded.type;
	attr->config = encoded.config;
	attr->config1 = encoded.config1;
	attr->config2 = encoded.config2;
	attr->exclude_user = encoded.exclude_user;
	attr->exclude_kernel = encoded.exclude_kernel;
	attr->exclude_hv = encoded.exclude_hv;
	attr->exclude_guest = encoded.exclude_guest;
	attr->exclude_host = encoded.exclude_host;
	return 0;
}

/* --- Encoding: tracepoints -------------------------------------------------------------------- */

/* Encodes SYSTEM:NAME, which must not lead out of tracefs. Returns whether `attr` is set. */
static bool encode_tracepoint(struct perf_event_attr *attr, const char *name, const char *tracefs)
{
	size_t system = strcspn(name, ":");
	struct err ignored;
	uint64_t number;

	if (!tracefs || !system || name[system] != ':' || strpbrk(name, "/.") ||
	    strchr(name + system + 1, ':') || tracefs_event_id(&number, tracefs, name, &ignored))
		return false;
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = number;
	return true;
}

int counter_names_encode(struct perf_event_attr *attr, const char *name, const char *tracefs,
			 struct err *err)
{
	size_t length = strcspn(name, ":");
	const struct generic *generic = find_generic(name, length);
	int code;

	if (generic)
		return encode_generic(attr, generic, name, name + length, err);
	if (encode_tracepoint(attr, name, tracefs))
		return 0;
	code = encode_pfm(attr, name, err);
	if (code == PFM_SUCCESS)
		return 0;
	if (code > 0)
		return -1;
	if (code == PFM_ERR_NOTFOUND || code == PFM_ERR_NOINIT)
		return set_unknown(name, err);
	return set_masks(name, pfm_strerror(code), err);
}
