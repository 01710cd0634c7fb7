/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page of `pscal report`: one HTML file that shows recordings and loads nothing. Its parts are
 * page.html, page.css, js/ and a library for charts, which make puts into the program. Their input
 * is JSON in the page: the JSON documents of the commands, and the data of overview.h. Without
 * JavaScript the page is text, tables and pictures.
 *
 *	page = page_new(1);
 *	page_begin(page, &recording);		of each recording
 *	page_forecast(page, &forecast, NULL);
 *	page_overview(page, &overview, names);
 *	page_end(page);
 *	page_write(page, out);
 *	page_free(page);
 */
#ifndef PSCAL_REPORT_PAGE_REPORT_PAGE_H
#define PSCAL_REPORT_PAGE_REPORT_PAGE_H

#include <stddef.h>
#include <stdio.h>

struct chain_names;
struct dag_view;
struct err;
struct flame_tree;
struct forecast;
struct model_forecast;
struct model_view;
struct overview;
struct page;
struct profile_view;
struct rdam_view;
struct stretch_view;
struct target_info;

/* The largest number of recordings: two are compared. */
enum { PAGE_RECORDINGS = 2 };

struct page_recording {
	const char *file; /* path as given on the command line; borrowed up to page_end() */
	const struct profile_view *profile;
	const struct target_info *target; /* target of the same recording */
};

/*
 * Makes a page for one or two recordings. A page has at most 3 MB: a part without room is left out
 * completely, and named in "left_out" of the recording, or of the page: "the forecast", "the cost
 * of waits", "the shortest intervals", "times of frames of flame graphs", "flame graphs",
 * "functions", "tasks", "the picture of the performance model", "the performance model", "forecasts
 * of the performance model", "work inflation".
 */
struct page *page_new(size_t recordings);
void page_begin(struct page *page, const struct page_recording *recording);
/* Adds a forecast, and with forecast->why the cost of waits. NULL: no forecast, with the reason. */
void page_forecast(struct page *page, const struct forecast *forecast, const struct err *reason);
/* Wall times with half of the waits at the first sites of forecast->why. */
enum { PAGE_WHAT_IFS = 5, PAGE_CORES = 21 };
struct page_what_if {
	double half_s[PAGE_CORES]; /* [core count of the request] */
};
void page_what_ifs(struct page *page, const struct forecast *forecast,
		   const struct page_what_if *what_ifs, size_t count);
/* Adds the view over time. `names`: names of its call chains; NULL: none. */
void page_overview(struct page *page, const struct overview *overview, struct chain_names *names);
/* Adds flame graphs by enum stack_weight; trees without nodes: unknown. */
void page_flame(struct page *page, const struct flame_tree *trees);
/* Adds functions, or else tasks, as data. */
void page_blocks(struct page *page, const struct rdam_view *rdam, const struct dag_view *dag);
/*
 * Adds the performance model of its requests. `forecast` has a row for each of some loads with each
 * of some numbers of threads; NULL: none, with the reason. `view` NULL: no model.
 */
void page_model(struct page *page, const struct model_view *view,
		const struct model_forecast *forecast, const struct err *reason);
void page_end(struct page *page);
/* Adds the comparison of the second recording with the first, after both. */
void page_stretch(struct page *page, const struct stretch_view *view);

void page_write(const struct page *page, FILE *out);
void page_free(struct page *page);

#endif
