/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a page, for the files of this folder. */
#ifndef PSCAL_REPORT_PAGE_PAGE_PRIVATE_H
#define PSCAL_REPORT_PAGE_PAGE_PRIVATE_H

#include <stdbool.h>
#include <stdio.h>

struct chain_names;
struct flame_tree;
struct forecast;
struct model_view;
struct overview;
struct page_recording;
struct page_what_if;
struct profile;

/* Writes members of the JSON of a recording, each after a comma. */
void page_data_facts(FILE *out, const struct page_recording *recording);
/* Writes the same facts for people: paragraphs of HTML. */
void page_text_facts(FILE *out, const struct page_recording *recording);
/* Writes the overview with `levels` of its levels. */
void page_data_overview(FILE *out, const struct overview *overview, size_t levels,
			const struct profile *profile, struct chain_names *names);
void page_data_what_ifs(FILE *out, const struct forecast *forecast,
			const struct page_what_if *what_ifs, size_t count);
/* Writes flame graphs: `with_bins` with the times of frames, else of the whole run. */
void page_data_flame(FILE *out, const struct flame_tree *trees, bool with_bins);

/*
 * Write the facts of two recordings side by side, the table "changes": a member of the JSON
 * document, or an HTML section.
 */
void page_data_changes(FILE *out, const double *before, const double *after);
void page_text_changes(FILE *out, const double *before, const double *after);

/* Write figures in HTML; an empty one is left out. */
void page_figure_cpus(FILE *out, const struct overview *overview, const struct profile *profile);
void page_figure_threads(FILE *out, const struct overview *overview, const struct profile *profile);
void page_figure_forecast(FILE *out, const struct forecast *forecast);
/* Writes the picture of a model, or nothing. `number`: number of the recording. */
void page_figure_model(FILE *out, const struct model_view *view, size_t number);

#endif
