/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/sweep.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/files.h"
#include "base/io/output_file.h"
#include "base/monotonic.h"
#include "base/printable.h"
#include "collect/kernel/cpu_list.h"
#include "collect/stop_signals.h"
#include "collect/sweep/conditions.h"
#include "collect/sweep/sweep_plan.h"
#include "collect/sweep/sweep_run.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The state of a running sweep. */
struct sweeping {
	const struct sweep *sweep;
	struct sweep_result *result;
	struct sweep_plan plan;
	struct cpu_list order; /* empty: runs are not confined */
	struct sweep_file *file;
	struct stop_signals signals;
	struct sweep_eta eta;
	struct sweep_turn turn; /* the present run */
};

/* --- Set-up --------------------------------------------------------------------------------- */

static int find_cpus(struct sweeping *sweeping, struct err *err)
{
	const struct sweep_levels *levels = &sweeping->sweep->levels;
	struct cpu_mask allowed = {{false}};
	char *text;

	if (!sweeping->sweep->confine)
		return 0;
	if (cpu_mask_add_affinity(&allowed, 0))
		return err_set(err, "cannot read which CPUs may be used: %m");
	cpu_order(&sweeping->order, &allowed, CPU_ORDER_SYS);
	if (levels->n[levels->count - 1] <= sweeping->order.count)
		return 0;
	text = cpu_mask_format(&allowed);
	err_set(err, "N = %" PRIu64 ": --cpus needs as many CPUs, and only %zu may be used: %s",
		levels->n[levels->count - 1], sweeping->order.count, text);
	free(text);
	return -1;
}

/* Returns "the first n of 0,2,1,3". */
static char *tell_cpus(const struct cpu_list *order)
{
	char *text = xstrdup(order->count ? "the first n of" : "all that are allowed");

	for (size_t i = 0; i < order->count; i++)
		xappend(&text, i ? "," : " ", "%d", order->cpus[i]);
	return text;
}

static char *quote(const char *const *words)
{
	return words && *words ? shell_quote(words) : xstrdup("none");
}

/* Opens the file: first the command, then the machine, not binding with a launcher. */
static int open_file(struct sweeping *sweeping, struct err *err)
{
	const struct sweep *sweep = sweeping->sweep;
	char *command = quote(sweep->command), *launcher = quote(sweep->launcher);
	char *env = quote(sweep->env), *cpus = tell_cpus(&sweeping->order);
	char *order = xasprintf("shuffled with seed %lu after %zu warm-up%s", sweep->seed,
				sweep->warmups, sweep->warmups == 1 ? "" : "s");
	struct conditions conditions;
	struct sweep_head head = {.count = 0};

	conditions_read(&conditions, "");
	sweep_head_add(&head, "command", command, true);
	sweep_head_add(&head, "launcher", launcher, true);
	sweep_head_add(&head, "env", env, true);
	sweep_head_add(&head, "cpus", cpus, true);
	sweep_head_add(&head, "throughput", sweep->rate_text, true);
	sweep_head_add(&head, "order", order, false);
	for (int i = 0; i < conditions.count; i++)
		sweep_head_add(&head, conditions.items[i].key, conditions.items[i].value,
			       conditions.items[i].lasting && !sweep->launcher);
	sweeping->file =
		sweep_file_open(sweep->path, &head, sweep->rows, sweep->tell, sweep->context, err);
	conditions_release(&conditions);
	free(command);
	free(launcher);
	free(env);
	free(cpus);
	free(order);
	return sweeping->file ? 0 : -1;
}

static int note_resumption(struct sweeping *sweeping, struct err *err)
{
	char *date = conditions_date(), *value;
	int rc;

	value = xasprintf("%s, load %.2f", date, conditions_load(""));
	rc = sweep_file_remark(sweeping->file, "resumed", value, err);
	free(value);
	free(date);
	return rc;
}

/* --- One run ------------------------------------------------------------------------------- */

/* Returns "warm-up at N = 8" or "N = 8, run 2". */
static char *name_turn(const struct sweep_turn *turn)
{
	if (!turn->repeat)
		return xasprintf("warm-up at N = %" PRIu64, turn->n);
	return xasprintf("N = %" PRIu64 ", run %zu", turn->n, turn->repeat);
}

/* Opens a log, which has its name from the beginning, so that it can be watched. */
static int open_log(const char *path, struct err *err)
{
	static const struct output_kind kind = {.mode = 0666, .directories = 0777};
	struct output_file file;
	struct err ignored;
	int fd = -1;

	if (output_file_open(&file, path, &kind, err))
		return -1;
	if (!output_file_publish(&file, OUTPUT_REPLACES, err)) {
		fd = fcntl(file.fd, F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			err_set(err, "%s: cannot write: %m", path);
	}
	output_file_close(&file, &ignored);
	return fd;
}

/* Opens a file for the output of a run. Returns a descriptor or -1. */
static int open_output(const struct sweep *sweep, const struct sweep_turn *turn, struct err *err)
{
	char *path;
	int fd;

	if (!sweep->log) {
		fd = scratch_file_open(err);
		return fd < 0 ? err_wrap(err, "what a run prints") : fd;
	}
	path = turn->repeat
		       ? xasprintf("%s/n%" PRIu64 "-r%zu.log", sweep->log, turn->n, turn->repeat)
		       : xasprintf("%s/warm-up.log", sweep->log);
	fd = open_log(path, err);
	free(path);
	return fd;
}

static void show_progress(void *context, uint64_t elapsed_ns)
{
	struct sweeping *sweeping = context;
	uint64_t done = 0;
	uint64_t total = sweep_eta_total(&sweeping->eta, &done, sweeping->turn.n, elapsed_ns);

	if (total || sweeping->sweep->turn)
		sweeping->sweep->show(sweeping->sweep->context, done, total);
}

static int run_command(struct sweep_run *run, struct sweeping *sweeping, int output,
		       struct err *err)
{
	const struct sweep *sweep = sweeping->sweep;
	char **command = sweep_words_at(sweep->launcher, sweep->command, sweeping->turn.n);
	char **env = sweep_words_at(NULL, sweep->env, sweeping->turn.n);
	const struct sweep_run_setup setup = {
		.command = (const char *const *)command,
		.env = (const char *const *)env,
		.cpus = sweeping->order.cpus,
		.cpu_count = sweep->confine ? (size_t)sweeping->turn.n : 0,
		.output = output,
		.timeout_ns = sweep->timeout_ns,
		.signals = &sweeping->signals,
		.tick = sweep->show ? show_progress : NULL,
		.context = sweeping,
	};
	int rc = sweep_run(run, &setup, err);

	sweep_words_free(command);
	sweep_words_free(env);
	return rc;
}

/* Returns whether a signal has ended the sweep. */
static bool is_stopped(void *context)
{
	struct sweeping *sweeping = context;
	int number;

	while ((number = stop_signals_next(&sweeping->signals)))
		if (stop_signals_ask(number))
			sweeping->result->stopped_by = number;
	return sweeping->result->stopped_by;
}

/* Checks a run that has ended, and computes its throughput. Returns 0, or -1 with an error. */
static int judge(double *throughput, const struct sweep_run *run, struct sweeping *sweeping,
		 int output, struct err *err)
{
	enum { SIGNAL_STATUS = 128 };
	const struct sweep_rate_run ended = {sweeping->turn.n, run->wall_ns, output, is_stopped,
					     sweeping};

	if (run->timed_out)
		return err_set(err, "the command exceeded --timeout of %g s",
			       (double)sweeping->sweep->timeout_ns / 1e9);
	if (run->status > SIGNAL_STATUS)
		return err_set(err, "the command ended with status %d (signal %d)", run->status,
			       run->status - SIGNAL_STATUS);
	if (run->status)
		return err_set(err, "the command ended with status %d", run->status);
	return sweep_rate_take(throughput, &sweeping->sweep->rate, &ended, err);
}

/* Adds to an error the name of the run, and the end of its output. */
static void explain(const struct sweep_turn *turn, int output, struct err *err)
{
	char *name = name_turn(turn), *end = sweep_output_end(output);
	struct err why = *err;

	if (*end)
		err_set(err, "%s: %s, and its output ends in '%s'", name, why.text, end);
	else
		err_set(err, "%s: %s, and it printed nothing", name, why.text);
	free(name);
	free(end);
}

static void add_others(struct sweep_result *result, double others, double wall_s)
{
	if (others < 0)
		return;
	result->others =
		(result->others * result->others_s + others * wall_s) / (result->others_s + wall_s);
	result->others_s += wall_s;
}

static int keep(struct sweeping *sweeping, const struct sweep_run *run, double throughput,
		double load, struct err *err)
{
	struct sweep_row row = {
		.n = sweeping->turn.n,
		.repeat = sweeping->turn.repeat,
		.throughput = throughput,
		.wall_s = (double)run->wall_ns / 1e9,
		/* The CPU time of a launcher does not include that of the launched program. */
		.cpu_s = sweeping->sweep->launcher ? -1 : (double)run->cpu_ns / 1e9,
		.load = load,
	};

	row.others = cpu_busy_others(run->busy_s, row.cpu_s, row.wall_s);
	if (sweep_file_add(sweeping->file, &row, err))
		return -1;
	add_others(sweeping->result, row.others, row.wall_s);
	if (sweeping->sweep->turn)
		sweeping->sweep->turn(sweeping->sweep->context, &sweeping->turn, throughput);
	sweeping->result->measured++;
	return 0;
}

/* Handles a failed run: it ends the sweep, or becomes a remark in the file. */
static int fail(struct sweeping *sweeping, struct err *err)
{
	if (!sweeping->sweep->keep_going)
		return -1;
	sweeping->result->failed++;
	sweeping->sweep->tell(sweeping->sweep->context, err->text);
	return sweep_file_remark(sweeping->file, "failed", err->text, err);
}

static void tell_pause(const struct sweeping *sweeping)
{
	char *name = name_turn(&sweeping->turn);
	char *sentence = xasprintf("%s: pscal was stopped during the run, which is repeated", name);

	sweeping->sweep->tell(sweeping->sweep->context, sentence);
	free(sentence);
	free(name);
}

/*
 * Performs `sweeping->turn`; the result has the signal that ended the sweep, if any. Returns 0, 1
 * if it must be repeated, or -1 with an error.
 */
static int perform_turn(struct sweeping *sweeping, struct err *err)
{
	int output = open_output(sweeping->sweep, &sweeping->turn, err);
	double load = conditions_load(""), throughput = 0;
	struct sweep_run run;
	int rc;

	if (output < 0)
		return -1;
	if (sweeping->sweep->turn)
		sweeping->sweep->turn(sweeping->sweep->context, &sweeping->turn, NAN);
	rc = run_command(&run, sweeping, output, err);
	if (!rc && run.stopped_by) {
		sweeping->result->stopped_by = run.stopped_by;
	} else if (!rc && run.paused) {
		tell_pause(sweeping);
		rc = 1;
	} else if (!rc) {
		sweep_eta_took(&sweeping->eta, sweeping->turn.n, run.wall_ns);
		rc = judge(&throughput, &run, sweeping, output, err);
		if (sweeping->result->stopped_by) {
			rc = 0; /* the search was interrupted */
		} else if (rc) {
			explain(&sweeping->turn, output, err);
			rc = fail(sweeping, err);
		} else if (sweeping->turn.repeat) {
			rc = keep(sweeping, &run, throughput, load, err);
		}
	}
	close(output);
	return rc;
}

static int complete_turn(struct sweeping *sweeping, struct err *err)
{
	int rc;

	do
		rc = perform_turn(sweeping, err);
	while (rc > 0);
	return rc;
}

/* --- All runs ------------------------------------------------------------------------------- */

/* Removes the runs that are in the file from the plan. */
static void drop_what_is_there(struct sweeping *sweeping)
{
	struct sweep_plan *plan = &sweeping->plan;
	size_t left = 0;

	sweeping->result->planned = plan->count;
	for (size_t i = 0; i < plan->count; i++)
		if (!sweep_file_has(sweeping->file, plan->turns[i].n, plan->turns[i].repeat))
			plan->turns[left++] = plan->turns[i];
	sweeping->result->kept = plan->count - left;
	plan->count = left;
}

static int perform_turns(struct sweeping *sweeping, struct err *err)
{
	const struct sweep *sweep = sweeping->sweep;
	uint64_t largest = sweep->levels.n[sweep->levels.count - 1];

	for (size_t i = 0; i < sweep->warmups; i++)
		sweep_eta_expect(&sweeping->eta, largest);
	for (size_t i = 0; i < sweeping->plan.count; i++)
		sweep_eta_expect(&sweeping->eta, sweeping->plan.turns[i].n);
	for (size_t i = 0; i < sweep->warmups && !sweeping->result->stopped_by; i++) {
		sweeping->turn = (struct sweep_turn){largest, 0};
		if (complete_turn(sweeping, err))
			return -1;
	}
	for (size_t i = 0; i < sweeping->plan.count && !sweeping->result->stopped_by; i++) {
		sweeping->turn = sweeping->plan.turns[i];
		if (complete_turn(sweeping, err))
			return -1;
	}
	return 0;
}

static int perform(struct sweeping *sweeping, struct err *err)
{
	const struct sweep *sweep = sweeping->sweep;

	if (find_cpus(sweeping, err) || open_file(sweeping, err))
		return -1;
	sweep_plan_init(&sweeping->plan, &sweep->levels, sweep->rounds, sweep->seed);
	drop_what_is_there(sweeping);
	if (!sweeping->plan.count)
		return 0;
	if (sweep_file_rows(sweeping->file) && note_resumption(sweeping, err))
		return -1;
	return stop_signals_block(&sweeping->signals, err) || perform_turns(sweeping, err) ? -1 : 0;
}

int sweep_perform(struct sweep_result *result, const struct sweep *sweep, struct err *err)
{
	struct sweeping sweeping = {.sweep = sweep, .result = result, .signals = {.fd = -1}};
	uint64_t begin_ns = monotonic_ns();
	int rc;

	*result = (struct sweep_result){0};
	sweep_eta_init(&sweeping.eta, &sweep->levels);
	rc = perform(&sweeping, err);
	stop_signals_restore(&sweeping.signals);
	sweep_file_close(sweeping.file);
	sweep_eta_release(&sweeping.eta);
	sweep_plan_release(&sweeping.plan);
	cpu_list_release(&sweeping.order);
	result->wall_ns = monotonic_ns() - begin_ns;
	return rc;
}
