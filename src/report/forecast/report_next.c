/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command that goes on from a forecast. */
#include "report/forecast/report_forecast.h"

#include "base/alloc.h"
#include "base/printable.h"
#include "replay/forecast/forecast.h"
#include "replay/forecast/why.h"
#include "report/forecast/forecast_words.h"

#include <stdlib.h>
#include <string.h>

static const char *best_site(const struct forecast *forecast)
{
	const struct why *why = forecast->why;

	if (!why || !why->count || !why_telling(why) || why->by != WHY_BY_SITE ||
	    report_why_is_serial(forecast))
		return NULL;
	return why->program->sites[why->points[why->count - 1].savings[0].site].name;
}

/* To be freed. */
static char *quoted(const char *word)
{
	return shell_quote((const char *const[]){word, NULL});
}

/* To be freed; NULL: nothing is left to ask. */
static char *next_question(const struct forecast *forecast, const char *path)
{
	const struct validity_finding *wakes = &forecast->validity.findings[VALIDITY_WAKES];
	const char *site = best_site(forecast), *blank = path ? " " : "";
	char *file = path ? quoted(path) : xstrdup("");
	char *change = site ? xasprintf("%s=50%%", site) : NULL;
	char *word = change ? quoted(change) : NULL, *next = NULL;

	if (forecast->program && forecast->program->socket_use_count && !forecast->why)
		next = xasprintf("pscal model%s%s", blank, file);
	else if (report_why_is_serial(forecast) && forecast->spun.share.samples)
		next = xasprintf("pscal profile --by function%s%s", blank, file);
	else if (report_why_is_serial(forecast))
		next = xstrdup("pscal record -F 499 -g -- COMMAND; pscal profile --by function");
	else if (word)
		next = xasprintf("pscal forecast --what-if %s%s%s", word, blank, file);
	else if (forecast_lack(forecast) == FORECAST_LACKS_CORES)
		next = xasprintf("%spscal record -o other.data -- COMMAND; pscal forecast "
				 "other.data %s",
				 forecast->request.measured_cores > 1 ? "taskset -c 0 " : "",
				 path ? file : "pscal.data");
	else if ((!forecast->why || forecast->why->by != WHY_BY_SITE) &&
		 wakes->answer == VALIDITY_HOLDS)
		next = xasprintf("pscal forecast --why%s%s", blank, file);
	free(word);
	free(change);
	free(file);
	return next;
}

/* Where locks are not known first that, then why, then what if; of a server its model. */
char *report_forecast_next(const struct forecast *forecast, const char *path)
{
	if (!forecast->judged || forecast_is_idle(forecast) || forecast->what_if_count)
		return NULL;
	if (forecast_lack(forecast) == FORECAST_LACKS_LOCKS)
		return xstrdup("pscal record --sync=all -- COMMAND; pscal forecast --why");
	/* standard input cannot be read again */
	return path && strcmp(path, "-") == 0 ? NULL : next_question(forecast, path);
}
