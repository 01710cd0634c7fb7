/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/page/report_page.h"

#include "base/alloc.h"
#include "base/err.h"
#include "replay/forecast/forecast.h"
#include "report/dag/report_dag.h"
#include "report/forecast/report_forecast.h"
#include "report/model/report_model.h"
#include "report/page/page_private.h"
#include "report/page_template.h"
#include "report/profile/report_profile.h"
#include "report/rdam/report_rdam.h"
#include "report/report_embed.h"
#include "report/stretch/report_stretch.h"
#include "stats/overview/overview.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TEXT_ROWS = 20 }; /* of the table of threads */

/* A document in memory. */
struct page_part {
	char *text;
	size_t size;
	FILE *out;
};

/* The same content as data, text and figure. It is complete before its size is checked. */
struct page_item {
	struct page_part data, text, figure;
};

/*
 * The largest size of a page in bytes, and the part reserved for everything that is not measured.
 */
enum { PAGE_SIZE_MOST = 3000000, PAGE_SIZE_REST = 20000 };

struct page {
	struct page_part data, text, figures, title; /* of all recordings */
	struct page_part forecast; /* figure of the forecast of the current recording, which comes
				      last */
	struct page_part stretch;  /* of both recordings; empty: unknown, or no room */
	struct page_part left_out; /* parts of the current recording, and then of both, that had no
				      room: a list in JSON */
	size_t count;
	size_t room; /* largest size of a recording in bytes */
	size_t used; /* bytes of the recordings before */
	double facts[PAGE_RECORDINGS][OVERVIEW_FACTS];
	struct page_recording now;
};

static void part_open(struct page_part *part)
{
	part->out = open_memstream(&part->text, &part->size);
	if (!part->out)
		abort();
}

struct page *page_new(size_t recordings)
{
	struct page *page = xcalloc(1, sizeof(*page));

	page->room = (PAGE_SIZE_MOST - PAGE_SIZE_REST - strlen(page_html) - strlen(page_css) -
		      strlen(page_library) - strlen(page_js)) /
		     recordings;

	part_open(&page->data);
	part_open(&page->text);
	part_open(&page->figures);
	part_open(&page->title);
	part_open(&page->forecast);
	part_open(&page->stretch);
	part_open(&page->left_out);
	return page;
}

static void part_close(struct page_part *part)
{
	fclose(part->out);
	free(part->text);
}

void page_free(struct page *page)
{
	if (!page)
		return;
	part_close(&page->data);
	part_close(&page->text);
	part_close(&page->figures);
	part_close(&page->title);
	part_close(&page->forecast);
	part_close(&page->stretch);
	part_close(&page->left_out);
	free(page);
}

/* --- Room ---------------------------------------------------------------------------------- */

/* Returns the size of a text as written by put_all_data(). */
static size_t data_size(const char *text, size_t size)
{
	size_t more = 0;

	for (const char *at = text; (at = memchr(at, '<', size - (size_t)(at - text))); at++)
		more += strlen("\\u003c") - 1;
	return size + more;
}

static size_t page_size(struct page *page)
{
	fflush(page->data.out);
	fflush(page->text.out);
	fflush(page->figures.out);
	fflush(page->forecast.out);
	return data_size(page->data.text, page->data.size) + page->text.size + page->figures.size +
	       page->forecast.size;
}

/* Returns whether `more` bytes fit. */
static bool page_has_room(struct page *page, size_t more)
{
	return page_size(page) - page->used + more <= page->room;
}

static size_t part_size(const struct page_part *part)
{
	fflush(part->out);
	return data_size(part->text, part->size);
}

static size_t item_size(const struct page_item *item)
{
	fflush(item->text.out);
	fflush(item->figure.out);
	return part_size(&item->data) + item->text.size + item->figure.size;
}

static void leave_out(struct page *page, const char *what)
{
	fprintf(page->left_out.out, "%s\"%s\"", ftell(page->left_out.out) > 0 ? ", " : "", what);
}

/* --- A recording --------------------------------------------------------------------------- */

static void put_member(const struct page *page, const char *key)
{
	fprintf(page->data.out, ",\n\"%s\": ", key);
}

static struct report *begin_json(const struct page *page, const char *key)
{
	put_member(page, key);
	return report_into(page->data.out, REPORT_JSON);
}

static struct report *begin_text(const struct page_part *text, const char *heading)
{
	struct report *report = report_into(text->out, REPORT_TEXT);

	fprintf(text->out, "<h3>%s</h3>\n", heading);
	report_set(report, REPORT_HTML, &(struct err){.text = ""});
	return report;
}

static void end_report(struct report *report)
{
	struct err ignored; /* an allocation never fails: it ends the program */

	report_finish(report, 0, &ignored);
}

/* Begins an item with its data. */
static struct report *begin_item(struct page_item *item)
{
	part_open(&item->data);
	part_open(&item->text);
	part_open(&item->figure);
	return report_into(item->data.out, REPORT_JSON);
}

static void item_close(struct page_item *item)
{
	part_close(&item->data);
	part_close(&item->text);
	part_close(&item->figure);
}

/*
 * Ends an item: it is added if it fits; else its data are null, and `what` is named in "left_out".
 */
static bool end_item(struct page *page, const char *key, struct page_item *item, const char *what)
{
	bool fits = page_has_room(page, item_size(item));

	put_member(page, key);
	fputs(fits ? item->data.text : "null", page->data.out);
	if (fits) {
		fwrite(item->text.text, 1, item->text.size, page->text.out);
		fwrite(item->figure.text, 1, item->figure.size, page->forecast.out);
	} else {
		leave_out(page, what);
	}
	item_close(item);
	return fits;
}

void page_begin(struct page *page, const struct page_recording *recording)
{
	struct profile_view of_text = *recording->profile, of_data = of_text;
	struct report *report;
	struct err ignored;

	page->now = *recording;
	overview_facts(page->facts[page->count], recording->profile->profile);
	fputs(page->count ? ",\n" : "", page->data.out);
	fputs("{\"file\": ", page->data.out);
	report_put_json(page->data.out, recording->file);
	page_data_facts(page->data.out, recording);
	fputs(page->count ? " and " : "", page->title.out);
	report_put_html(page->title.out, recording->file);
	fputs("<h2>", page->figures.out);
	report_put_html(page->figures.out, recording->file);
	fputs("</h2>\n", page->figures.out);
	fputs("<section class=\"recording\">\n<h2>", page->text.out);
	report_put_html(page->text.out, recording->file);
	fputs("</h2>\n", page->text.out);
	page_text_facts(page->text.out, recording);

	report = begin_json(page, "profile");
	of_data.limit = OVERVIEW_THREADS;
	report_profile(report, &of_data);
	end_report(report);
	report = begin_text(&page->text, "Profile");
	report_set(report, REPORT_VERBOSE, &ignored);
	of_text.all = true;
	of_text.limit = TEXT_ROWS;
	report_profile(report, &of_text);
	end_report(report);
}

/* Adds a forecast: as the JSON member `key`, as text under `title`, and as a figure. */
static void put_forecast(struct page *page, const struct forecast *forecast, const char *key,
			 const char *title, const char *what)
{
	const char *again = page->now.profile->again;
	struct page_item item;
	struct report *report = begin_item(&item);

	report_forecast(report, forecast, &page->now.profile->profile->quality, again);
	end_report(report);
	report = begin_text(&item.text, title);
	if (!forecast->why)
		report_set(report, REPORT_VERBOSE, &(struct err){.text = ""});
	report_forecast(report, forecast, NULL, again);
	if (forecast->reason && !forecast->judged)
		report_note(report, "Closed form: %s.", forecast->reason);
	end_report(report);
	if (!forecast->why)
		page_figure_forecast(item.figure.out, forecast);
	end_item(page, key, &item, what);
}

static void put_refusal(struct page *page, const char *key, const struct err *reason)
{
	FILE *out = page->data.out;
	const size_t separator = strlen("; ");
	char *what = xasprintf(
		"%.*s",
		(int)(reason->hint > separator ? reason->hint - separator : sizeof(reason->text)),
		reason->text);

	put_member(page, key);
	fputs("{\"refused\": ", out);
	report_put_json(out, what);
	fputs(", \"hint\": ", out);
	if (reason->hint)
		report_put_json(out, reason->text + reason->hint);
	else
		fputs("null", out);
	fputs("}", out);
	free(what);
}

void page_forecast(struct page *page, const struct forecast *forecast, const struct err *reason)
{
	struct report *report;

	if (forecast && forecast->why) {
		put_forecast(page, forecast, "why", "Cost of waits", "the cost of waits");
		return;
	}
	if (forecast) {
		put_forecast(page, forecast, "forecast", "Forecast", "the forecast");
		return;
	}
	put_refusal(page, "forecast", reason);
	report = begin_text(&page->text, "Forecast");
	report_note(report, "%s", reason->text);
	end_report(report);
}

void page_what_ifs(struct page *page, const struct forecast *forecast,
		   const struct page_what_if *what_ifs, size_t count)
{
	page_data_what_ifs(page->data.out, forecast, what_ifs, count);
}

/* Adds the overview, without the finest levels if these do not fit. */
void page_overview(struct page *page, const struct overview *overview, struct chain_names *names)
{
	const struct profile *profile = page->now.profile->profile;
	struct page_part part;
	size_t levels = OVERVIEW_LEVELS;

	page_figure_cpus(page->figures.out, overview, profile);
	page_figure_threads(page->figures.out, overview, profile);
	part_open(&part);
	page_data_overview(part.out, overview, levels, profile, names);
	while (!page_has_room(page, part_size(&part)) && levels > 1) {
		part_close(&part);
		part_open(&part);
		page_data_overview(part.out, overview, --levels, profile, names);
	}
	if (levels < OVERVIEW_LEVELS)
		leave_out(page, "the shortest intervals");
	fputs(part.text, page->data.out);
	part_close(&part);
}

/* Adds flame graphs, without the times of frames if these do not fit. */
void page_flame(struct page *page, const struct flame_tree *trees)
{
	const char *text = NULL;
	struct page_part part;

	for (int with_bins = 1; with_bins >= 0 && !text; with_bins--) {
		part_open(&part);
		page_data_flame(part.out, trees, with_bins);
		if (page_has_room(page, part_size(&part))) {
			text = part.text;
			continue;
		}
		part_close(&part);
		leave_out(page, with_bins ? "times of frames of flame graphs" : "flame graphs");
	}
	fputs(text ? text : ",\n\"flame\": null", page->data.out);
	if (text)
		part_close(&part);
}

void page_blocks(struct page *page, const struct rdam_view *rdam, const struct dag_view *dag)
{
	struct page_item item;
	struct report *report = begin_item(&item);

	if (rdam)
		report_rdam(report, rdam);
	else
		report_dag(report, dag);
	end_report(report);
	end_item(page, rdam ? "rdam" : "dag", &item, rdam ? "functions" : "tasks");
}

static void put_model_forecast(struct page *page, const struct model_view *view,
			       const struct model_forecast *forecast)
{
	struct page_item item;
	struct report *report = begin_item(&item);

	report_model_forecast(report, view, forecast);
	end_report(report);
	report = begin_text(&item.text, "Forecasts of the performance model");
	report_model_forecast(report, view, forecast);
	end_report(report);
	end_item(page, "model_forecast", &item, "forecasts of the performance model");
}

/* Adds a model, without its picture if only that does not fit. */
static bool put_model(struct page *page, const struct model_view *view)
{
	struct page_item item;
	struct report *report = begin_item(&item);

	report_model(report, view);
	end_report(report);
	report = begin_text(&item.text, "Performance model");
	report_model(report, view);
	end_report(report);
	page_figure_model(item.figure.out, view, page->count);
	if (!page_has_room(page, item_size(&item)) && item.figure.size) {
		part_close(&item.figure);
		part_open(&item.figure);
		leave_out(page, "the picture of the performance model");
	}
	return end_item(page, "model", &item, "the performance model");
}

void page_model(struct page *page, const struct model_view *view,
		const struct model_forecast *forecast, const struct err *reason)
{
	if (!forecast)
		put_refusal(page, "model_forecast", reason);
	if (view && put_model(page, view) && forecast)
		put_model_forecast(page, view, forecast);
}

static void put_left_out(struct page *page)
{
	put_member(page, "left_out");
	fflush(page->left_out.out);
	fprintf(page->data.out, "[%s]", page->left_out.text);
	part_close(&page->left_out);
	part_open(&page->left_out);
}

void page_end(struct page *page)
{
	put_left_out(page);
	fputs("}", page->data.out);
	fputs("</section>\n", page->text.out);
	fflush(page->forecast.out);
	fwrite(page->forecast.text, 1, page->forecast.size, page->figures.out);
	part_close(&page->forecast);
	part_open(&page->forecast);
	page->used = page_size(page);
	page->count++;
}

/* Adds the comparison, in the room that both recordings have left. */
void page_stretch(struct page *page, const struct stretch_view *view)
{
	struct page_item item;
	struct report *report = begin_item(&item);

	report_stretch(report, view);
	end_report(report);
	report = begin_text(&item.text, "Work inflation");
	report_stretch(report, view);
	end_report(report);
	if (page_size(page) + item_size(&item) <= page->room * page->count) {
		fwrite(item.data.text, 1, item.data.size, page->stretch.out);
		fwrite(item.text.text, 1, item.text.size, page->text.out);
	} else {
		leave_out(page, "work inflation");
	}
	item_close(&item);
}

/* --- The page ------------------------------------------------------------------------------ */

static void put_title(const struct page *page, FILE *out)
{
	fprintf(out, "pscal: %s", page->title.text);
}

static void put_all_text(const struct page *page, FILE *out)
{
	if (page->count == PAGE_RECORDINGS)
		page_text_changes(out, page->facts[0], page->facts[1]);
	fputs(page->text.text, out);
}

static void put_figures(const struct page *page, FILE *out)
{
	fputs(page->figures.text, out);
}

static void put_css(const struct page *page, FILE *out)
{
	(void)page;
	fputs(page_css, out);
}

static void put_library(const struct page *page, FILE *out)
{
	(void)page;
	fputs(page_library, out);
}

static void put_js(const struct page *page, FILE *out)
{
	(void)page;
	fputs(page_js, out);
}

/* Writes JSON. Its "<" are in strings only, and must not end the enclosing HTML element. */
static void put_data(FILE *out, const char *text)
{
	for (const char *at = text; *at; at++)
		if (*at == '<')
			fputs("\\u003c", out);
		else
			putc(*at, out);
}

static void put_all_data(const struct page *page, FILE *out)
{
	time_t now = time(NULL);
	char made[32] = "";
	struct tm parts;

	if (gmtime_r(&now, &parts))
		strftime(made, sizeof(made), "%Y-%m-%dT%H:%M:%SZ", &parts);
	fprintf(out,
		"{\"schema\": 1, \"version\": \"pscal %s\", \"made\": \"%s\", \"recordings\": [",
		PSCAL_VERSION, made);
	put_data(out, page->data.text);
	fputs("]", out);
	if (page->count == PAGE_RECORDINGS) {
		fputs(", \"compared\": ", out);
		page_data_changes(out, page->facts[0], page->facts[1]);
		fputs(", \"stretch\": ", out);
		put_data(out, page->stretch.size ? page->stretch.text : "null");
		fprintf(out, ", \"left_out\": [%s]", page->left_out.text);
	}
	fputs("}", out);
}

static const struct {
	const char *mark;
	void (*put)(const struct page *page, FILE *out);
} page_places[] = {
	{"<!--pscal:title-->", put_title},     {"<!--pscal:text-->", put_all_text},
	{"<!--pscal:figures-->", put_figures}, {"/*pscal:css*/", put_css},
	{"/*pscal:library*/", put_library},    {"/*pscal:js*/", put_js},
	{"<!--pscal:data-->", put_all_data},
};

/*
 * Writes the content of the place that `text` begins with, and returns the end of that mark; NULL:
 * none.
 */
static const char *put_place(const struct page *page, FILE *out, const char *text)
{
	for (size_t i = 0; i < sizeof(page_places) / sizeof(page_places[0]); i++) {
		size_t length = strlen(page_places[i].mark);

		if (strncmp(text, page_places[i].mark, length) != 0)
			continue;
		page_places[i].put(page, out);
		return text + length;
	}
	return NULL;
}

void page_write(const struct page *page, FILE *out)
{
	fflush(page->data.out);
	fflush(page->text.out);
	fflush(page->figures.out);
	fflush(page->stretch.out);
	fflush(page->left_out.out);
	fflush(page->title.out);
	for (const char *at = page_html, *behind; *at; at = behind) {
		behind = *at == '<' || *at == '/' ? put_place(page, out, at) : NULL;
		if (behind)
			continue;
		putc(*at, out);
		behind = at + 1;
	}
}
