/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "cmd/options/cmd.h"
#include "cmd/options/options.h"
#include "collect/counters/counters.h"
#include "collect/kernel/tracefs.h"
#include "report/report.h"

#include <fnmatch.h>
#include <string.h>

struct listed {
	struct counter_known known;
	const char *available;
};

static const struct column list_columns[] = {
	{"name", "event", UNIT_NONE, -24, FIELD(listed, known.name)},
	{"alias", "or", UNIT_NONE, -21, FIELD(listed, known.alias)},
	{"pmu", "PMU", UNIT_NONE, -10, FIELD(listed, known.pmu)},
	{"available", "available", UNIT_NONE, -9, FIELD(listed, available)},
	{"description", "description", UNIT_NONE, -1, FIELD(listed, known.description)},
};

static const struct table list_table = {
	.key = "events", .layout = LAYOUT_STREAM, .in = REPORT_ALL, COLUMNS(list_columns)};

struct list {
	const char *pattern; /* NULL: all events */
	bool all;
	const char *tracefs;
	struct report *report;
	size_t shown, left_out;
	enum counter_access tracepoint; /* known once one has been tried */
	bool tried_tracepoint;
};

static const struct option list_options[] = {{NULL, 'a', OPTION_GONE, .help = "is now --all"},
					     OPTION_TABLE_END};

/* Matches a name in any case: a glob against the whole name, other text against any part. */
static bool is_like(const char *name, const char *pattern)
{
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
	return strcasestr(name, pattern) != NULL;
}

static bool matches(const struct list *list, const struct counter_known *known)
{
	return !list->pattern || strcasecmp(list->pattern, known->pmu) == 0 ||
	       is_like(known->name, list->pattern) ||
	       (known->alias && is_like(known->alias, list->pattern));
}

static enum counter_access try(const struct list *list, const struct counter_known *known)
{
	struct perf_event_attr attr = {0};
	struct err ignored;

	if (!known->present || counter_names_encode(&attr, known->name, list->tracefs, &ignored))
		return COUNTER_NO;
	return counter_probe(&attr);
}

static void show_counter(struct list *list, const struct counter_known *known,
			 enum counter_access access)
{
	if (!list->all && access == COUNTER_NO) {
		list->left_out++;
		return;
	}
	list->shown++;
	report_row(list->report, &(struct listed){*known, counter_access_name(access)});
}

static void look_at(void *context, const struct counter_known *known)
{
	struct list *list = context;

	if (matches(list, known))
		show_counter(list, known, try(list, known));
}

/* Tries one tracepoint for all, as the kernel takes about 30 ms to release one. */
static void look_at_tracepoint(void *context, const struct counter_known *known)
{
	struct list *list = context;

	if (!matches(list, known))
		return;
	if (!list->tried_tracepoint)
		list->tracepoint = try(list, known);
	list->tried_tracepoint = true;
	show_counter(list, known, list->tracepoint);
}

/* Lists the events; tracepoints, of which there are thousands, only for a pattern or --all. */
static int list_events(struct list *list, struct err *err)
{
	report_begin(list->report, &list_table);
	counter_names_each(true, look_at, list);
	if (list->tracefs && (list->pattern || list->all))
		counter_names_tracepoints(list->tracefs, look_at_tracepoint, list);
	report_end(list->report);
	report_warning_if(list->report, list->shown && list->left_out,
			  "%zu events that this machine does not support are left out; --all.",
			  list->left_out);
	if (list->shown)
		return 0;
	if (list->left_out)
		return err_set(err,
			       "%s: %zu events match, but this machine supports none of them; "
			       "--all lists them",
			       list->pattern, list->left_out);
	return err_set(err, "no event matches '%s'", list->pattern);
}

static int print_list(struct list *list, const struct options *common, struct err *err)
{
	struct tracefs tracefs;
	struct err ignored;
	int rc;

	if (counter_names_open(err))
		return -1;
	list->report = options_report(common, err);
	if (!list->report)
		return -1;
	tracefs_open(&tracefs, NULL, &ignored); /* without it no tracepoints are listed */
	list->tracefs = tracefs.root;
	rc = list_events(list, err);
	tracefs_close(&tracefs, NULL);
	return report_finish(list->report, rc, err);
}

static int cmd_list_run(int argc, const char **argv, struct err *err)
{
	struct list list = {.pattern = NULL};
	struct options common;
	int status = options_read(&common, OPTIONS_LIST, "[PATTERN]", list_options, &list, argc,
				  argv, err);

	if (status < 0 && common.arg_count > 1) {
		err_set(err, "%s: one pattern at a time; say 'pscal list %s'", common.args[1],
			common.args[0]);
		status = STATUS_USAGE;
	} else if (status < 0) {
		list.all = common.all;
		list.pattern = common.arg_count ? common.args[0] : NULL;
		status = print_list(&list, &common, err) ? STATUS_FAILED : STATUS_DONE;
	}
	options_release(&common);
	return status;
}

const struct cmd cmd_list = {
	.name = "list",
	.summary = "list countable events and which of them this machine supports",
	.run = cmd_list_run,
};
