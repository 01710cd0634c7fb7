/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "base/printable.h"
#include "decode/event/event_source.h"
#include "replay/forecast/forecast.h"
#include "report/page/page_private.h"
#include "report/page/report_page.h"
#include "report/profile/report_profile.h"
#include "report/report_embed.h"
#include "stats/overview/overview.h"
#include "stats/profile/profile.h"
#include "stats/spin/symbol_finder.h"
#include "stats/stacks/flame_tree.h"
#include "stats/stacks/folded_stacks.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

/*
 * The largest sizes of texts: names of C++ templates may fill pages, and untrusted bytes have any
 * length.
 */
enum { PAGE_NAME_SIZE = 120, PAGE_COMMAND_SIZE = 4000 };

static void put_name(FILE *out, const char *name)
{
	char shown[PAGE_NAME_SIZE];

	report_put_json(out, printable_copy(shown, sizeof(shown), PRINTABLE_UTF8, name));
}

static void put_seconds(FILE *out, uint64_t ns)
{
	report_put_number(out, (double)ns / 1e9);
}

/* --- The recording ------------------------------------------------------------------------- */

struct page_facts {
	const char *command, *kernel, *cpu;
	unsigned cpus;
};

static const struct column machine_columns[] = {{"cpus", FIELD(page_facts, cpus)},
						{"kernel", FIELD(page_facts, kernel)},
						{"cpu", FIELD(page_facts, cpu)}};

static const char *copied(char *out, size_t size, const char *text)
{
	return text ? printable_copy(out, size, PRINTABLE_UTF8, text) : NULL;
}

struct page_texts {
	char command[PAGE_COMMAND_SIZE], kernel[PAGE_NAME_SIZE], cpu[PAGE_NAME_SIZE];
};

static struct page_facts page_facts_of(struct page_texts *texts, const struct target_info *target)
{
	return (struct page_facts){
		.command = copied(texts->command, sizeof(texts->command), target->command),
		.kernel = copied(texts->kernel, sizeof(texts->kernel), target->kernel),
		.cpu = copied(texts->cpu, sizeof(texts->cpu), target->cpu),
		.cpus = target->online_count ? target->online_count : UINT_MAX,
	};
}

void page_data_facts(FILE *out, const struct page_recording *recording)
{
	struct page_texts texts;
	const struct page_facts facts = page_facts_of(&texts, recording->target);

	fputs(",\n\"command\": ", out);
	if (facts.command)
		report_put_json(out, facts.command);
	else
		fputs("null", out);
	fputs(",\n\"duration_s\": ", out);
	put_seconds(out, recording->profile->profile->levels.total_ns);
	fputs(",\n\"machine\": ", out);
	report_put_object(out, machine_columns,
			  sizeof(machine_columns) / sizeof(machine_columns[0]), &facts);
}

void page_text_facts(FILE *out, const struct page_recording *recording)
{
	struct page_texts texts;
	const struct page_facts facts = page_facts_of(&texts, recording->target);

	if (facts.command) {
		fputs("<p><code>", out);
		report_put_html(out, facts.command);
		fputs("</code></p>\n", out);
	}
	if (!facts.cpu && !facts.kernel)
		return;
	fprintf(out, "<p>%u CPUs", recording->target->online_count);
	for (int i = 0; i < 2; i++) {
		const char *text = i ? facts.kernel : facts.cpu;

		fputs(text ? ", " : "", out);
		report_put_html(out, text ? text : "");
	}
	fputs("</p>\n", out);
}

/* --- Threads ------------------------------------------------------------------------------- */

/* The shown data of a thread. */
struct page_thread {
	int32_t tid, pid;
	uint32_t creator; /* its index in the list; UINT32_MAX: not shown, or unknown */
	const char *name, *comm, *process;
	uint64_t start_ns, end_ns, cpu_ns, runnable_ns, blocked_ns, disk_ns, unknown_ns;
};

static const struct column thread_columns[] = {
	{"tid", FIELD(page_thread, tid)},	    {"pid", FIELD(page_thread, pid)},
	{"name", FIELD(page_thread, name)},	    {"comm", FIELD(page_thread, comm)},
	{"process", FIELD(page_thread, process)},   {"creator", FIELD(page_thread, creator)},
	{"start_s", NS(page_thread, start_ns)},	    {"end_s", NS(page_thread, end_ns)},
	{"cpu_s", NS(page_thread, cpu_ns)},	    {"runnable_s", NS(page_thread, runnable_ns)},
	{"blocked_s", NS(page_thread, blocked_ns)}, {"disk_s", NS(page_thread, disk_ns)},
	{"unknown_s", NS(page_thread, unknown_ns)},
};

static struct page_thread page_thread_of(const struct overview_thread *shown,
					 const struct profile *profile)
{
	const struct thread_profile *thread = &profile->threads[shown->number];
	const uint64_t *state_ns = thread->state_ns;

	return (struct page_thread){
		.tid = thread->tid,
		.pid = thread->pid,
		.name = thread_name_text(&thread->name),
		.comm = shown->comm,
		.creator = shown->creator < BY_INTERRUPT ? shown->creator : UINT32_MAX,
		.process = shown->leader < profile->thread_count
				   ? thread_name_text(&profile->threads[shown->leader].name)
				   : NULL,
		.start_ns = shown->begin_ns,
		.end_ns = shown->end_ns,
		.cpu_ns = state_ns[STATE_RUNNING],
		.runnable_ns = state_ns[STATE_RUNNABLE],
		.blocked_ns = state_ns[STATE_SLEEPING] + state_ns[STATE_INACTIVE] +
			      state_ns[STATE_STOPPED],
		.disk_ns = state_ns[STATE_DISK],
		.unknown_ns = state_ns[STATE_UNKNOWN] + state_ns[STATE_ACTIVE],
	};
}

static void put_threads(FILE *out, const struct overview *overview, const struct profile *profile)
{
	fputs(",\n\"threads\": [", out);
	for (size_t i = 0; i < overview->thread_count; i++) {
		const struct page_thread thread = page_thread_of(&overview->threads[i], profile);

		fputs(i ? ",\n" : "\n", out);
		report_put_object(out, thread_columns,
				  sizeof(thread_columns) / sizeof(thread_columns[0]), &thread);
	}
	fprintf(out, "],\n\"threads_left_out\": %zu", overview->left_out);
}

/* --- Bins ---------------------------------------------------------------------------------- */

/* Writes means with three digits, which is what a screen can show. */
static void put_means(FILE *out, const char *key, const double *means, size_t count)
{
	bool known = false;

	for (size_t i = 0; i < count; i++)
		known |= isfinite(means[i]);
	fprintf(out, ", \"%s\": %s", key, known ? "[" : "null");
	for (size_t i = 0; known && i < count; i++) {
		fputs(i ? "," : "", out);
		if (isfinite(means[i]))
			fprintf(out, "%.3g", means[i]);
		else
			fputs("null", out);
	}
	fputs(known ? "]" : "", out);
}

static void put_cpus(FILE *out, const struct overview *overview, size_t levels)
{
	fputs(",\n\"cpus\": [", out);
	for (size_t i = 0; i < levels; i++) {
		const struct overview_cpus *cpus = &overview->cpus[i];

		fputs(i ? ",\n{\"bin_s\": " : "\n{\"bin_s\": ", out);
		put_seconds(out, cpus->bin_ns);
		put_means(out, "running", cpus->running, cpus->count);
		put_means(out, "runnable", cpus->runnable, cpus->count);
		put_means(out, "unsure", cpus->unsure, cpus->count);
		put_means(out, "others", cpus->others, cpus->count);
		put_means(out, "idle", cpus->idle, cpus->count);
		fputs("}", out);
	}
	fputs("]", out);
}

static void put_ready(FILE *out, const struct overview_ready *ready)
{
	fputs(",\n\"ready\": {\"bin_s\": ", out);
	put_seconds(out, ready->bin_ns);
	fputs(", \"bins\": [", out);
	for (size_t i = 0, at = 0; i < ready->count; i++) {
		const char *between = "";

		fputs(i ? ",\n[" : "\n[", out);
		for (; at < ready->ends[i]; at++) {
			fprintf(out, "%s%zu,", between, ready->times[at].threads);
			put_seconds(out, ready->times[at].wall_ns);
			between = ",";
		}
		fputs("]", out);
	}
	fputs("]}", out);
}

static void put_states(FILE *out, const struct overview *overview, size_t levels)
{
	fputs(",\n\"states\": {\"bin_s\": [", out);
	for (size_t level = 0; level < levels; level++) {
		fputs(level ? ", " : "", out);
		put_seconds(out, overview->state_bin_ns[level]);
	}
	fputs("], \"rows\": [", out);
	for (size_t i = 0; i < overview->thread_count; i++) {
		char *const *states = overview->threads[i].states;

		fputs(i ? ",\n[" : "\n[", out);
		for (size_t level = 0; level < levels; level++)
			fprintf(out, "%s\"%s\"", level ? ", " : "", states[level]);
		fputs("]", out);
	}
	fputs("]}", out);
}

/* --- Waits --------------------------------------------------------------------------------- */

/* Returns the cause of a wait; NULL: only its state is known. */
static const char *cause_of(const struct overview_wait *wait, struct chain_names *names)
{
	uint32_t name = names && wait->chain ? chain_names_find(names, wait->chain) : 0;

	if (wait->letter == OVERVIEW_LETTERS[1])
		return "waits for a CPU";
	return name ? chain_names_get(names, name)->text : NULL;
}

/*
 * Returns the waker of a thread, or the thread that had the CPU of a runnable one; -1: unknown, -2:
 * an interrupt, -3: another program.
 */
static int64_t waker_of(const struct overview_wait *wait)
{
	uint32_t waker = wait->letter == OVERVIEW_LETTERS[1] ? wait->before : wait->by;

	return waker == BY_INTERRUPT  ? -2
	       : waker == BY_STRANGER ? -3
	       : waker < BY_INTERRUPT ? (int64_t)waker
				      : -1;
}

static void put_longest(FILE *out, const struct overview *overview, struct chain_names *names)
{
	fputs(",\n\"longest\": [", out);
	for (size_t i = 0; i < overview->longest_count; i++) {
		const struct overview_wait *wait = &overview->longest[i];
		const char *cause = cause_of(wait, names);

		fprintf(out, "%s[%" PRIu32 ",", i ? ",\n" : "\n", wait->thread);
		put_seconds(out, wait->begin_ns);
		fputs(",", out);
		put_seconds(out, wait->end_ns);
		fprintf(out, ",\"%c\",", wait->letter);
		if (cause)
			put_name(out, cause);
		else
			fputs("null", out);
		fprintf(out, ",%" PRId64 "]", waker_of(wait));
	}
	fputs("]", out);
}

static void put_wakeups(FILE *out, const struct overview *overview)
{
	fputs(",\n\"wakeups\": [", out);
	for (size_t i = 0; i < overview->wakeup_count; i++) {
		const struct overview_wait *wait = &overview->wakeups[i];

		fputs(i ? ",[" : "[", out);
		put_seconds(out, wait->end_ns);
		fprintf(out, ",%" PRIu32 ",%" PRIu32 "]", wait->by, wait->thread);
	}
	fputs("]", out);
}

static void put_path(FILE *out, const struct overview *overview)
{
	static const char *const kinds[PATH_KINDS] = {[PATH_RUNNING] = "running",
						      [PATH_RUNNABLE] = "runnable",
						      [PATH_BLOCKED] = "blocked",
						      [PATH_UNKNOWN] = "unknown"};

	fputs(",\n\"critical_path_s\": {", out);
	for (size_t i = 0; i < PATH_KINDS; i++) {
		fprintf(out, "%s\"%s\": ", i ? ", " : "", kinds[i]);
		put_seconds(out, overview->path_ns[i]);
	}
	fputs("},\n\"critical_path\": [", out);
	for (size_t i = 0; i < overview->turn_count; i++) {
		const struct overview_turn *turn = &overview->turns[i];

		fprintf(out, "%s[%" PRId64 ",", i ? "," : "",
			turn->thread < BY_INTERRUPT ? (int64_t)turn->thread : -1);
		put_seconds(out, turn->begin_ns);
		fputs(",", out);
		put_seconds(out, turn->end_ns);
		fprintf(out, ",\"%c\",%" PRIu32 "]", turn->letter, turn->turns);
	}
	fputs("]", out);
}

void page_data_overview(FILE *out, const struct overview *overview, size_t levels,
			const struct profile *profile, struct chain_names *names)
{
	put_threads(out, overview, profile);
	put_cpus(out, overview, levels);
	put_ready(out, &overview->ready);
	put_states(out, overview, levels);
	put_longest(out, overview, names);
	put_wakeups(out, overview);
	put_path(out, overview);
}

/* --- What-ifs ------------------------------------------------------------------------------ */

static void put_times(FILE *out, const char *key, const double *times, size_t count)
{
	fprintf(out, "%s: [", key);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ", " : "", out);
		report_put_number(out, times[i]);
	}
	fputs("]", out);
}

static void put_what_if(FILE *out, const struct forecast *forecast, size_t number,
			const struct page_what_if *what_if)
{
	const struct why *why = forecast->why;
	uint32_t site = why_wait(why, &why->points[0], number)->site;
	double all_s[PAGE_CORES], none_s[PAGE_CORES];

	fprintf(out, "{\"id\": %" PRIu32 ", \"site\": ", site);
	put_name(out, why->program->sites[site].name);
	fputs(", \"cores\": [", out);
	for (size_t i = 0; i < why->count; i++) {
		fprintf(out, "%s%" PRIu64, i ? ", " : "", why->points[i].cores);
		all_s[i] = forecast->rows[i].wall_s;
		none_s[i] = why_wait(why, &why->points[i], number)->wall_s;
	}
	put_times(out, "], \"wall_s\": {\"100\"", all_s, why->count);
	put_times(out, ", \"50\"", what_if->half_s, why->count);
	put_times(out, ", \"0\"", none_s, why->count);
	fputs("}}", out);
}

void page_data_what_ifs(FILE *out, const struct forecast *forecast,
			const struct page_what_if *what_ifs, size_t count)
{
	fputs(",\n\"what_if\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_what_if(out, forecast, i, &what_ifs[i]);
	}
	fputs("]", out);
}

/* --- Flame graphs -------------------------------------------------------------------------- */

/* Writes "bins": number and time of each bin that is not empty. */
static void put_flame_bins(FILE *out, const float *bins_s)
{
	const char *between = "";

	fputs(", \"bins\": [", out);
	for (size_t i = 0; i < FOLDED_BINS; i++)
		if (bins_s[i] > 0) {
			fprintf(out, "%s%zu,%.4g", between, i, (double)bins_s[i]);
			between = ",";
		}
	fputs("]", out);
}

/* Writes a flame graph. The depth of the recursion is that of call chains. */
static void put_flame(FILE *out, const struct flame_tree *tree, uint32_t at, bool with_bins)
{
	const struct flame_node *node = &tree->nodes[at];

	fputs("{\"name\": ", out);
	put_name(out, node->name);
	fprintf(out, ", \"value\": %.6g", node->time_s);
	if (with_bins && node->bins_s)
		put_flame_bins(out, node->bins_s);
	if (node->child != FLAME_NONE)
		fputs(", \"children\": [", out);
	for (uint32_t child = node->child; child != FLAME_NONE; child = tree->nodes[child].next) {
		fputs(child == node->child ? "" : ",\n", out);
		put_flame(out, tree, child, with_bins);
	}
	fputs(node->child == FLAME_NONE ? "}" : "]}", out);
}

void page_data_flame(FILE *out, const struct flame_tree *trees, bool with_bins)
{
	static const char *const keys[STACK_WEIGHTS] = {
		[STACK_CPU] = "cpu", [STACK_OFF_CPU] = "off_cpu", [STACK_RUN_QUEUE] = "run_queue"};

	for (size_t i = 0; i < STACK_WEIGHTS; i++) {
		fprintf(out, "%s\"%s\": ", i ? ",\n" : ",\n\"flame\": {", keys[i]);
		if (trees[i].count)
			put_flame(out, &trees[i], 0, with_bins);
		else
			fputs("null", out);
	}
	fputs(", \"bin_s\": {", out);
	for (size_t i = 0; i < STACK_WEIGHTS; i++) {
		fprintf(out, "%s\"%s\": ", i ? ", " : "", keys[i]);
		report_put_number(out, with_bins && trees[i].bin_ns ? (double)trees[i].bin_ns / 1e9
								    : NAN);
	}
	fputs("}}", out);
}

/* --- Two recordings ------------------------------------------------------------------------ */

struct page_change {
	const char *key, *label;
	double before, after, change;
	const char *before_text, *after_text, *change_text;
};

static const struct column change_columns[] = {
	{"key", FIELD(page_change, key)},
	{"label", "", UNIT_NONE, -1, FIELD(page_change, label)},
	{"before", FIELD(page_change, before)},
	{"after", FIELD(page_change, after)},
	{NULL, "before", FIELD(page_change, before_text)},
	{NULL, "after", FIELD(page_change, after_text)},
	{"change", NULL, UNIT_NONE, 0, FIELD(page_change, change)},
	{NULL, "change", FIELD(page_change, change_text)},
};

static const struct {
	const char *key, *label;
	enum unit unit;
} page_facts_shown[OVERVIEW_FACTS] = {
	[FACT_WALL] = {"wall_s", "wall time", UNIT_SPAN},
	[FACT_CPU] = {"cpu_s", "CPU time", UNIT_SPAN},
	[FACT_CPUS_USED] = {"cpus_used", "CPUs used", UNIT_SHORT},
	[FACT_READY] = {"ready_mean", "threads ready", UNIT_SHORT},
	[FACT_FEW_SHARE] = {"one_or_none_share", "one or none ready", UNIT_SHARE},
	[FACT_WAIT] = {"run_queue_s", "run-queue wait", UNIT_SPAN},
	[FACT_WAIT_P50] = {"run_queue_p50_s", "... p50", UNIT_SPAN},
	[FACT_WAIT_P99] = {"run_queue_p99_s", "... p99", UNIT_SPAN},
	[FACT_OTHERS_SHARE] = {"others_share", "other programs", UNIT_SHARE},
	[FACT_VOLUNTARY] = {"voluntary", "voluntary switches", UNIT_SHORT},
	[FACT_INVOLUNTARY] = {"involuntary", "involuntary switches", UNIT_SHORT},
	[FACT_THREADS] = {"threads", "threads", UNIT_SHORT},
};

/*
 * Writes a change: of shares the difference; of other numbers the percentage, or the factor if that
 * is 2 or more.
 */
static const char *change_text(char out[VALUE_SIZE], const struct page_change *change,
			       bool is_share)
{
	const double factor_from = 2;

	if (is_share && isfinite(change->after - change->before))
		snprintf(out, VALUE_SIZE, "%+.1f points", 100 * (change->after - change->before));
	else if (!is_share && change->change >= factor_from - 1)
		format_value(out, change->change + 1, UNIT_FACTOR);
	else if (!is_share && isfinite(change->change))
		snprintf(out, VALUE_SIZE, "%+.1f %%", 100 * change->change);
	else
		snprintf(out, VALUE_SIZE, "-");
	return out;
}

static void put_changes(struct report *report, const double *before, const double *after)
{
	static const struct table table = {.key = "changes", COLUMNS(change_columns)};
	struct err ignored;

	report_begin(report, &table);
	for (size_t i = 0; i < OVERVIEW_FACTS; i++) {
		char texts[3][VALUE_SIZE];
		enum unit unit = page_facts_shown[i].unit;
		struct page_change change = {
			.key = page_facts_shown[i].key,
			.label = page_facts_shown[i].label,
			.before = before[i],
			.after = after[i],
			.change = overview_change(before[i], after[i]),
			.before_text = format_value(texts[0], before[i], unit),
			.after_text = format_value(texts[1], after[i], unit),
		};

		change.change_text = change_text(texts[2], &change, unit == UNIT_SHARE);
		report_row(report, &change);
	}
	report_end(report);
	report_finish(report, 0, &ignored);
}

void page_data_changes(FILE *out, const double *before, const double *after)
{
	put_changes(report_into(out, REPORT_JSON), before, after);
}

void page_text_changes(FILE *out, const double *before, const double *after)
{
	struct report *report = report_into(out, REPORT_TEXT);
	struct err ignored;

	fputs("<section>\n<h2>Changes</h2>\n", out);
	report_set(report, REPORT_HTML, &ignored);
	put_changes(report, before, after);
	fputs("</section>\n", out);
}
