/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The next command after a forecast; for a server it is its model. */
#include "report/forecast/report_forecast.h"

#include "base/alloc.h"
#include "base/printable.h"
#include "decode/event/event_source.h"
#include "replay/forecast/forecast.h"
#include "replay/forecast/why.h"
#include "report/forecast/forecast_words.h"

#include <stdlib.h>
#include <string.h>

/* Returns the first row of --why, in the form for --what-if. */
static const char *best_of_why(const struct forecast *forecast)
{
	const struct why *why = forecast->why;
	const struct why_saving *best;

	if (!why || !why->count || !why_telling(why) || why->by != WHY_BY_SITE ||
	    report_why_is_serial(forecast))
		return NULL;
	best = &why->points[why->count - 1].savings[0];
	return best->work ? best->work : why->program->sites[best->site].name;
}

/* Quotes a word for the shell; the caller frees it. */
static char *quoted(const char *word)
{
	return shell_quote((const char *const[]){word, NULL});
}

/* The longest command that is repeated. */
enum { COMMAND_LONGEST = 60 };

/* Returns the target of a second recording: "-- ./server --fast"; the caller frees it. */
static char *same_target(const struct forecast *forecast)
{
	const struct target_info *target = forecast->target;

	if (target && target->attached)
		return xstrdup("-p PID");
	if (!target || !target->command || strlen(target->command) > COMMAND_LONGEST ||
	    strstr(target->command,
		   "pscal r")) /* the recorder itself, whose options end without -- */
		return xstrdup("-- COMMAND");
	return xasprintf("-- %s", target->command);
}

/* Returns whether threads are chosen by numbers, which another run does not have. */
static bool have_numbers(const char *again)
{
	return strstr(again, " --pid ") || strstr(again, " --tid ");
}

/* Returns the next command, which the caller frees; NULL: none. `of` is same_target(). */
static char *next_question(const struct forecast *forecast, const char *again, const char *of)
{
	const struct validity_finding *wakes = &forecast->validity.findings[VALIDITY_WAKES];
	const char *best = best_of_why(forecast);
	char *change = best ? xasprintf("%s=50%%", best) : NULL;
	char *word = change ? quoted(change) : NULL, *next = NULL;

	if (report_why_is_serial(forecast) && forecast->spun.share.samples)
		next = xasprintf("pscal profile --by function%s", again);
	else if (report_why_is_serial(forecast))
		next = xasprintf("pscal record -F 499 -g %s; pscal profile --by function", of);
	else if (word)
		next = xasprintf("pscal forecast --what-if %s%s", word, again);
	else if (forecast_lack(forecast) == FORECAST_LACKS_CORES && !have_numbers(again))
		next = xasprintf("%spscal record -o other.data %s; pscal forecast other.data%s",
				 forecast->request.measured_cores > 1 ? "taskset -c 0 " : "", of,
				 *again ? again : " pscal.data");
	else if ((!forecast->why || forecast->why->by != WHY_BY_SITE) &&
		 wakes->answer == VALIDITY_HOLDS)
		next = xasprintf("pscal forecast --why%s", again);
	free(word);
	free(change);
	return next;
}

/* Returns the answered requests of clients; 0: too few for a server. */
static size_t requests_of(const struct forecast *forecast)
{
	const size_t least = 20;

	return forecast->requests >= least ? forecast->requests : 0;
}

/* Warns of a server: its clients decide its wall time, not its cores. */
void report_server_alert(struct report *report, const struct forecast *forecast)
{
	size_t requests = requests_of(forecast);

	report_alert_if(report, requests,
			"A server's wall time depends on its clients, which sent %zu requests: "
			"'pscal model' forecasts its throughput and response times.",
			requests);
}

/* Returns the next command: for a server its model, else unknown locks, --why, --what-if. */
char *report_forecast_next(const struct forecast *forecast, const char *again)
{
	char *of = same_target(forecast), *next = NULL;

	if (again && requests_of(forecast))
		next = xasprintf("pscal model%s", again);
	else if (!forecast->judged || forecast_is_idle(forecast) || forecast->what_if_count)
		next = NULL;
	else if (forecast_lack(forecast) == FORECAST_LACKS_LOCKS)
		next = xasprintf("pscal record --sync=all %s; pscal forecast --why", of);
	else if (again)
		next = next_question(forecast, again, of);
	free(of);
	return next;
}

void report_next_command(struct report *report, const struct forecast *forecast, const char *again)
{
	char *next = report_forecast_next(forecast, again);

	if (next)
		report_next_step(report, "%s", next);
	free(next);
}
