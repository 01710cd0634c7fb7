/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/forecast_words.h"

#include "base/alloc.h"
#include "replay/forecast/forecast.h"
#include "replay/forecast/variation.h"
#include "replay/program/spin.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- Alerts: changes of the meaning of the numbers -------------------------------------------- */

/* The factor on the recorded cores from which a forecast is far from the recording. */
static const uint64_t far_times = 8;

/* A scale that changes more than the last digit shown. */
static const double least_scale = 5e-4;

/* The share of the wall time below which unknown times change nothing that is shown. */
static const double least_unknown = .02;

#define ADVICE(advice) (advice) ? " " : "", (advice) ? (advice) : "", (advice) ? "." : ""

#define OF(words) (words)->of ? " " : "", (words)->of ? (words)->of : ""

static bool check_fails(const struct forecast *forecast, enum validity_condition condition)
{
	return forecast->judged && forecast->validity.findings[condition].answer == VALIDITY_FAILS;
}

static const char *check_value(char out[VALUE_SIZE], double value,
			       const struct validity_words *words)
{
	if (isnan(value))
		snprintf(out, VALUE_SIZE, "not known");
	else if (words->unit == VALIDITY_SHARE)
		snprintf(out, VALUE_SIZE, fabs(value) < .095 ? "%.2g %%" : "%.0f %%",
			 100 * fabs(value));
	else if (words->unit == VALIDITY_SECONDS)
		format_value(out, value, UNIT_SPAN);
	else
		snprintf(out, VALUE_SIZE, "%.0f", value);
	return out;
}

static const char *failure_of(const struct forecast *forecast, enum validity_condition condition)
{
	return validity_failure(&forecast->validity, condition);
}

/* Warns of a replay without the lock calls; locks and hold times stay known. */
static void alert_unused_locks(struct report *report, const char *before, const char *doubtful,
			       const struct forecast *forecast, const char *advice)
{
	double replayed_s = forecast->validity.locks_s;
	char replayed[VALUE_SIZE], recorded[VALUE_SIZE];

	if (isnan(replayed_s))
		report_alert(report,
			     "%s%sThe replay of the recorded lock calls does not end: threads "
			     "wait for each other.%s%s%s",
			     before, doubtful, ADVICE(advice));
	else
		report_alert(report,
			     "%s%sThe replay of the recorded lock calls takes %s, the run took "
			     "%s.%s%s%s",
			     before, doubtful, format_value(replayed, replayed_s, UNIT_SPAN),
			     format_value(recorded, forecast->replay.recorded_s, UNIT_SPAN),
			     ADVICE(advice));
}

/* Returns whether the forecast for the recorded cores is calibrated, and hides the replay's error. */
static bool is_calibrated(const struct forecast *forecast)
{
	return forecast->shown && fabs(forecast->shown->scale - 1) >= least_scale;
}

/* Warns of a failed check: the meaning of its failure, and the advice. */
static void alert_check(struct report *report, const char *before, const struct forecast *forecast,
			enum validity_condition condition, const char *advice)
{
	const struct validity_words *words = validity_words(condition);
	const char *fails = failure_of(forecast, condition);
	const char *doubtful = fails == forecast->doubt ? "Doubtful. " : "";
	char value[VALUE_SIZE];

	check_value(value, forecast->validity.findings[condition].value, words);
	if (validity_is_of_unused_locks(&forecast->validity, condition))
		alert_unused_locks(report, before, doubtful, forecast, advice);
	else if (condition == VALIDITY_WAKES) /* their number is always 0 */
		report_alert(report, "%s%s%s.%s%s%s", before, doubtful, fails, ADVICE(advice));
	else if (condition == VALIDITY_REPEATS && is_calibrated(forecast))
		report_alert(report,
			     "%s%s%s (%s); only its time on %" PRIu64 " core%s is corrected.%s%s%s",
			     before, doubtful, fails, value, forecast->shown->recorded_cores,
			     plural(forecast->shown->recorded_cores, "", "s"), ADVICE(advice));
	else
		report_alert(report, "%s%s%s (%s%s%s).%s%s%s", before, doubtful, fails, value,
			     OF(words), ADVICE(advice));
}

/* Warns of the reason to reject or doubt a replay. The next step, if any, replaces the advice. */
static void alert_objection(struct report *report, const char *before,
			    const struct forecast *forecast)
{
	const char *objection = forecast->reason ? forecast->reason : forecast->doubt;
	bool is_next = !*before && forecast_lack(forecast) == FORECAST_LACKS_LOCKS &&
		       report_says(report, SENTENCE_NEXT) && report_shows(report, REPORT_TEXT);

	for (enum validity_condition i = 0; objection && i < VALIDITY_CONDITIONS; i++)
		if (check_fails(forecast, i) && failure_of(forecast, i) == objection) {
			alert_check(report, before, forecast, i,
				    is_next ? NULL : validity_advice(&forecast->validity, i));
			break;
		}
	report_alert_if(report, forecast->reason,
			"The closed form answers instead of a replay: it ignores waits between "
			"threads.");
}

/* Warns of other programs, which made the recorded wall time longer than forecast. */
static void alert_others(struct report *report, const char *before, const struct forecast *forecast)
{
	if (!check_fails(forecast, VALIDITY_ALONE))
		return;
	report_alert(report, "%sOther programs took %.0f %% of the usable CPU time; %s", before,
		     100 * forecast->others_share,
		     forecast->shown ? "the forecast assumes none."
				     : "the closed form is not corrected for this.");
}

/* Warns of a quota that throttled the recorded run. */
static void alert_quota(struct report *report, const struct forecast *forecast)
{
	const double much = .05;
	const struct target_quota *quota = &forecast->recorded_quota;
	double cpus = (double)quota->quota_ns / (double)quota->period_ns;

	report_alert_if(report, forecast->throttled_share > much && !(forecast->quota.cpus > 0),
			"A quota of %.3g CPU%s throttled the recorded run for %.0f %% of its wall "
			"time. The forecast assumes no quota; --quota %.3g keeps it.",
			cpus, cpus == 1 ? "" : "s", 100 * forecast->throttled_share, cpus);
}

/* Returns whether a check fails that changes the meaning of the numbers. */
static bool is_told(const struct forecast *forecast, enum validity_condition condition)
{
	const struct validity_words *words = validity_words(condition);

	return check_fails(forecast, condition) && (words->decides || words->alerts);
}

/* Warns of a selection of threads. Returns whether that is all about the condition. */
static bool alert_part(struct report *report, const char *before, const struct forecast *forecast,
		       enum validity_condition condition)
{
	bool part = condition == VALIDITY_INSIDE && forecast->request.part &&
		    check_fails(forecast, condition);

	report_alert_if(report, part,
			"%sWaits for threads outside the selection keep their recorded length.",
			before);
	return part;
}

/* Locks and contention fail for the same reason if the recorded calls are not replayed. */
static bool is_repeated(const struct forecast *forecast, enum validity_condition condition)
{
	return condition == VALIDITY_CONTENTION && check_fails(forecast, VALIDITY_LOCKS) &&
	       validity_is_of_unused_locks(&forecast->validity, condition);
}

static void alert_failures(struct report *report, const char *before,
			   const struct forecast *forecast)
{
	for (enum validity_condition i = 0; i < VALIDITY_CONDITIONS; i++)
		if (i != VALIDITY_ALONE && failure_of(forecast, i) != forecast->doubt &&
		    !is_repeated(forecast, i) && !alert_part(report, before, forecast, i) &&
		    is_told(forecast, i))
			alert_check(report, before, forecast, i,
				    validity_advice(&forecast->validity, i));
}

/* Warns of unknown memory contention; counts of cache misses would decide it. */
static void alert_memory(struct report *report, const struct forecast *forecast)
{
	report_alert_if(report, forecast->assumes_work && !forecast->doubt,
			"Memory is assumed to keep up with more cores: record on %s to see.",
			forecast->request.measured_cores > 1 ? "one core" : "more cores");
}

/* Warns of threads that cannot be told to be of one program. */
static void alert_several(struct report *report, const struct forecast *forecast)
{
	const struct forecast_request *request = &forecast->request;
	bool several = forecast->program && forecast->program->thread_count > 1 &&
		       (!forecast->name || request->is_machine);

	report_alert_if(report, several && !request->part && !request->learned,
			"These threads may be of several programs: --comm NAME chooses one; pscal "
			"profile names the busiest.");
}

static void alert_unknown(struct report *report, const struct forecast *forecast)
{
	const struct level_times *levels = forecast->levels;
	double share = levels->total_ns ? (double)levels->unknown_ns / (double)levels->total_ns : 0;

	report_alert_if(
		report, share > least_unknown && !forecast->shown,
		"The number of threads ready is unknown for %.2g %% of the time, kept as recorded.",
		100 * share);
}

static void alert_cores(struct report *report, const struct forecast *forecast)
{
	const struct forecast_request *request = &forecast->request;
	uint64_t most = forecast->gain.most->cores, recorded = request->recording_cores;
	size_t known = forecast->slowdown.count;

	report_alert_if(
		report, forecast->shown && request->slowdown_text && most > known,
		"The slowdown is known for up to %zu core%s; with more, work may take longer.",
		known, plural(known, "", "s"));
	report_alert_if(report, recorded && request->measured_cores != recorded,
			"The recording is of %" PRIu64 " CPUs, and --recorded-cores says %" PRIu64
			".",
			recorded, request->measured_cores);
	report_alert_if(report, request->listed && most / far_times > request->measured_cores,
			"%" PRIu64 " cores are far from the %" PRIu64
			" of the recording: check with a recording on more.",
			most, request->measured_cores);
}

/*
 * A thread that a signal ends while it waits does almost nothing more, and ends with the recording.
 */
static const uint64_t last_run_ns = 1000000, last_ns = 10000000;

static bool ends_with(const struct program *program, const struct program_thread *thread)
{
	const struct step *last = thread->count ? &thread->steps[thread->count - 1] : NULL;

	return last && step_op(last) == STEP_EXIT && last->exit_ns &&
	       last->exit_ns + last_ns >= program->wall_ns;
}

/* Returns whether the last wait of the thread was ended from outside the program. */
static bool ends_in_wait(const struct program_thread *thread)
{
	uint64_t run_ns = 0;

	for (size_t i = thread->count; i-- > 0 && run_ns < last_run_ns;) {
		const struct step *step = &thread->steps[i];

		if (step_op_waits(step_op(step)))
			return step_op(step) == STEP_EXTERNAL;
		run_ns += step_run_ns(step);
	}
	return false;
}

/* Warns of threads that ended with the recording, if they are several and all waited. */
static void alert_cut(struct report *report, const char *before, const struct forecast *forecast)
{
	const struct program *program = forecast->program;
	size_t ended = 0, waited = 0;

	if (!forecast->shown)
		return;
	for (size_t i = 0; i < program->thread_count; i++)
		if (ends_with(program, &program->threads[i])) {
			ended++;
			waited += ends_in_wait(&program->threads[i]);
		}
	report_alert_if(
		report, waited > 1 && waited == ended,
		"%s%zu threads were waiting when the recording ended: these waits count as I/O.",
		before, waited);
}

/* The time until a thread that was woken on another core runs, on a virtual machine. */
static const double wake_ns = 20000;
static const uint64_t least_wakes = 100;

/*
 * Warns of costly wakeups on other cores, which the recording may lack if it is of one core, or if
 * other programs used the cores.
 */
static void alert_wakes(struct report *report, const struct forecast *forecast)
{
	const struct program *program = forecast->program;
	double each_ns;

	if (!forecast->shown || program->shares.edges < least_wakes)
		return;
	if (program->costs.wake_ns && !check_fails(forecast, VALIDITY_ALONE))
		return;
	each_ns = (double)program->shares.run_ns / (double)program->shares.edges;
	report_alert_if(
		report, each_ns < wake_ns && forecast->gain.most->cores > 1,
		"More cores may be slower: threads wait for each other every %.2g us of work.",
		each_ns / 1e3);
}

void report_forecast_alerts(struct report *report, const struct forecast *forecast)
{
	alert_several(report, forecast);
	alert_objection(report, "", forecast);
	alert_others(report, "", forecast);
	alert_quota(report, forecast);
	if (forecast->shown)
		alert_failures(report, "", forecast);
	alert_memory(report, forecast);
	alert_wakes(report, forecast);
	alert_unknown(report, forecast);
	alert_cut(report, "", forecast);
	alert_cores(report, forecast);
}

void report_program_alerts(struct report *report, const char *name, const struct forecast *forecast)
{
	char *before = xasprintf("%s: ", name);

	alert_objection(report, before, forecast);
	alert_others(report, before, forecast);
	alert_failures(report, before, forecast);
	alert_cut(report, before, forecast);
	free(before);
}

/* --- Trust ------------------------------------------------------------------------------------ */

/* A smaller error of the self-check is printed as this one. */
static const double least_error = .001;

/* Appends "; 14 of 19 checks passed, 2 failed: alone, repeats; 3 open". */
static void append_checks(char **text, const struct validity *validity)
{
	size_t failed = 0;

	xappend(text, "", "; %zu of %d checks passed, %zu failed",
		validity_count(validity, VALIDITY_HOLDS), VALIDITY_CONDITIONS,
		validity_count(validity, VALIDITY_FAILS));
	for (enum validity_condition i = 0; i < VALIDITY_CONDITIONS; i++)
		if (validity->findings[i].answer == VALIDITY_FAILS)
			xappend(text, "", "%s%s", failed++ ? ", " : ": ", validity_words(i)->key);
	xappend(text, "", "%s %zu open", failed ? ";" : ",",
		validity_count(validity, VALIDITY_UNKNOWN));
}

static void note_trust(struct report *report, const struct forecast *forecast)
{
	const struct validity *validity = &forecast->validity;
	const struct validity_finding *repeats = &validity->findings[VALIDITY_REPEATS];
	char *text = xstrdup(!forecast->shown	      ? "closed form, without an interval"
			     : validity->locks_unused ? "replay without the lock calls"
						      : "replay");

	if (forecast->shown && repeats->answer != VALIDITY_UNKNOWN)
		xappend(&text, "", ", %s %.*f %%",
			repeats->answer == VALIDITY_HOLDS ? "reproduces the recorded run within"
							  : "misses the recorded wall time by",
			fabs(repeats->value) < .0095 ? 1 : 0,
			100 * fmax(fabs(repeats->value), least_error));
	if (forecast->judged)
		append_checks(&text, validity);
	if (forecast->judged && report_shows(report, REPORT_TERMINAL))
		xappend(&text, "", " (-v)");
	report_warning(report, "Trust: %s.", text);
	free(text);
}

/* --- The checks ---------------------------------------------------------------------------- */

struct check_line {
	const char *key, *what, *result, *shown, *meaning, *advice;
	struct truth holds;
	double value, limit;
	bool decides;
};

static const struct column check_columns[] = {
	{"check", "check", UNIT_NONE, -1, FIELD(check_line, key)},
	{"passed", FIELD(check_line, holds)},
	{NULL, "result", UNIT_NONE, -1, FIELD(check_line, result)},
	{"value", FIELD(check_line, value)},
	{NULL, "value", FIELD(check_line, shown)},
	{"limit", FIELD(check_line, limit)},
	{"decides", FIELD(check_line, decides)},
	{"meaning", FIELD(check_line, meaning)},
	{"advice", FIELD(check_line, advice)},
	{NULL, "passed if", UNIT_NONE, -1, FIELD(check_line, what)},
};
static const struct table check_table = {.key = "checks", .detail = true, COLUMNS(check_columns)};

static void put_checks(struct report *report, const struct validity *validity)
{
	static const char *const results[] = {[VALIDITY_HOLDS] = "passed",
					      [VALIDITY_FAILS] = "FAILED",
					      [VALIDITY_UNKNOWN] = "open"};

	report_begin(report, &check_table);
	for (enum validity_condition i = 0; i < VALIDITY_CONDITIONS; i++) {
		const struct validity_finding *finding = &validity->findings[i];
		const struct validity_words *words = validity_words(i);
		bool holds = finding->answer == VALIDITY_HOLDS;
		char value[VALUE_SIZE];

		report_row(report,
			   &(struct check_line){
				   .key = words->key,
				   .what = words->what,
				   .result = results[finding->answer],
				   .shown = isnan(finding->value)
						    ? NULL
						    : check_value(value, finding->value, words),
				   .holds = {finding->answer != VALIDITY_UNKNOWN, holds},
				   .value = finding->value,
				   .limit = words->limit,
				   .decides = words->decides,
				   .meaning = holds ? words->what : validity_failure(validity, i),
				   .advice = holds ? NULL : validity_advice(validity, i),
			   });
	}
	report_end(report);
}

/* --- Terms of the intervals ------------------------------------------------------------------- */

struct interval {
	const char *terms, *from;
	double discrepancy, overhead_share, speed_noise, steal_share;
};

static const struct column interval_columns[] = {
	{"interval_terms", FIELD(interval, terms)},
	{"discrepancy_per_doubling", FIELD(interval, discrepancy)},
	{"overhead_share", FIELD(interval, overhead_share)},
	{"interval_from", FIELD(interval, from)},
	{"speed_noise", FIELD(interval, speed_noise)},
	{"steal_share", FIELD(interval, steal_share)},
};
static const struct table interval_table = {.layout = LAYOUT_FACTS, COLUMNS(interval_columns)};

/* Other possible answers that an interval covers: ALTERNATIVE_..., and a sentence. */
static const struct {
	unsigned flag;
	const char *sentence;
} alternatives[] = {
	{ALTERNATIVE_CLOSED_FORM,
	 "The replay is in doubt, or rests on a guess: the interval covers the closed form, too."},
	{ALTERNATIVE_NO_GAIN,
	 "Locks may be held all the time: the interval covers no gain from more "
	 "cores, too."},
	{ALTERNATIVE_WITHOUT_POOLS, "Assumes that any worker can take any item; the interval "
				    "covers the other case."},
	{ALTERNATIVE_EVEN_WORK,
	 "Threads end work together: the interval covers dynamic work sharing, too."},
	{ALTERNATIVE_OWN_WORK, "Threads end work together: dynamic work sharing is assumed; the "
			       "interval covers a fixed split."},
};

/* The share of stolen CPU time below which it hardly changes the interval. */
static const double least_steal = .005;

static void detail_interval(struct report *report, const struct forecast_points *replayed)
{
	/* The time of replicates limits their number. */
	size_t most = variation_replicates(replayed->size, replayed->count);
	bool few = replayed->replicates && replayed->replicates < VARIATION_REPLICATES;

	report_detail_if(report, few,
			 "Large program: the interval rests on %zu replays instead of %d. Fewer "
			 "core counts (-n) leave time for more.",
			 replayed->replicates, VARIATION_REPLICATES);
	report_detail_if(report, !few && !most && replayed->size,
			 "Large program: the interval leaves out the variation of steps. Fewer "
			 "core counts (-n) leave time for it.");
	report_detail_if(report, replayed->discrepancy > 0,
			 "Intervals include %.3g %% per doubling of cores for cache, memory and "
			 "clock effects (--discrepancy)%s.",
			 100 * replayed->discrepancy,
			 replayed->replicates ? "" : ", and nothing for the variation of steps");
	report_detail_if(report, !(replayed->discrepancy > 0),
			 "Intervals include nothing for cache, memory and clock effects "
			 "(--discrepancy).");
	for (size_t i = 0; i < sizeof(alternatives) / sizeof(alternatives[0]); i++)
		report_detail_if(report, replayed->alternatives & alternatives[i].flag, "%s",
				 alternatives[i].sentence);
}

/* Reports the variation of the machine between runs, and whether the interval has it. */
static void detail_speed(struct report *report, const struct forecast *forecast)
{
	const struct forecast_points *replayed = forecast->shown;
	const struct run_noise *speed = &replayed->speed;
	bool known = speed->freedom > 0;

	report_detail_if(report, known,
			 "Intervals include the variation of this machine's speed, %.2g %% between "
			 "%.0f calibrations.",
			 100 * speed->noise, speed->freedom + 1);
	report_detail_if(
		report, !known && !forecast->request.learned,
		"Intervals lack the variation of the machine's speed between runs: 'pscal "
		"forecast --calibrate' on that machine, at three times or more, or several "
		"recordings measure it.");
	report_detail_if(report, replayed->steal >= least_steal,
			 "Intervals include the %.2g %% of CPU time that the hypervisor took.",
			 100 * replayed->steal);
}

static const char *interval_from(const struct forecast *forecast)
{
	return forecast->request.learned	    ? "recordings"
	       : forecast->shown->speed.freedom > 0 ? "calibrations"
						    : "constant";
}

static void put_interval(struct report *report, const struct forecast *forecast)
{
	const struct forecast_points *replayed = forecast->shown;
	const struct run_noise *speed = &replayed->speed;
	bool known = forecast_points_have_interval(replayed);
	char names[INTERVAL_NAMES_SIZE];
	struct interval facts = {NULL, NULL, NAN, NAN, NAN, NAN};

	if (known)
		facts = (struct interval){interval_names(names, sizeof(names), replayed),
					  interval_from(forecast),
					  replayed->discrepancy,
					  replayed->overhead_share,
					  speed->freedom > 0 ? speed->noise : (double)NAN,
					  replayed->steal};
	report_table(report, &interval_table, &facts, 1);
	if (!known)
		return;
	detail_interval(report, replayed);
	detail_speed(report, forecast);
}

/* --- Options and method ----------------------------------------------------------------------- */

/* The smallest effect of idle CPUs on the log of the recorded wall time that is reported. */
static const double least_idled = .01;

static void note_spin(struct report *report, const struct spun *spun)
{
	const struct spin_share *share = &spun->share;

	report_alert_if(
		report, !share->samples && !spun->yielded.calls,
		"--spin waiting changes nothing: no samples (-F) and no sched_yield recorded.");
	report_note_if(report, share->samples,
		       "Busy-waiting takes %.3g %% (+- %.2g %%) of the CPU time and is replayed as "
		       "waiting.",
		       100 * spin_share_estimate(share).value,
		       100 * spin_share_estimate(share).error);
	report_note_if(report, spun->yielded.calls,
		       "Repeated sched_yield takes %.3g %% of the CPU time and is replayed as "
		       "waiting.%s",
		       100 * yielded_share(&spun->yielded),
		       share->samples ? "" : " Record with -F to find other busy-waiting.");
}

static void detail_replay(struct report *report, const struct forecast *forecast)
{
	const struct forecast_points *replay = forecast->shown;

	put_interval(report, forecast);
	report_detail_if(report, replay->calls_s > 0,
			 "Recording calls cost %.3g ms of CPU time; the replay leaves it out.",
			 1e3 * replay->calls_s);
	report_detail_if(report, replay->lock_costs_s > 0,
			 "Waits for locks took %.3g ms of CPU time; the replay replaces it by that "
			 "of its own waits.",
			 1e3 * replay->lock_costs_s);
	report_detail_if(report, is_calibrated(forecast),
			 "The forecast for the recorded core count is calibrated to the recorded "
			 "time (factor %.3f).",
			 replay->scale);
	report_detail_if(
		report, replay->idled >= least_idled,
		"CPUs that idled beside ready threads explain %.0f %% of the recorded wall "
		"time.",
		-100 * expm1(-replay->idled));
	if (forecast->request.spin_waits)
		note_spin(report, &forecast->spun);
}

static void note_closed_form(struct report *report, const struct forecast *forecast)
{
	report_alert_if(report, forecast->request.slowdown_text,
			"The closed form ignores --slowdown.");
	report_alert_if(report, forecast->request.spin_waits,
			"The closed form ignores --spin: busy-waiting is work.");
}

void report_forecast_trust(struct report *report, const struct forecast *forecast)
{
	note_trust(report, forecast);
	report_note_if(report, forecast->attached,
		       "Recording began while the program ran: the forecast is for the recorded "
		       "part.");
	report_detail_if(report, forecast->assumes_work,
			 "Recorded with -e instructions,cache-misses, a forecast checks itself "
			 "whether the work is memory-bound.");
	if (forecast->shown)
		detail_replay(report, forecast);
	else
		note_closed_form(report, forecast);
	if (forecast->judged)
		put_checks(report, &forecast->validity);
}
