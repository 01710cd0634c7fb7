/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options that ask for a drawing of the result, which several commands have:
 *
 *	struct plotting plotting = {0};
 *	const struct poptOption drawing[] = {PLOTTING_OPTIONS(&plotting), POPT_TABLEEND};
 */
#ifndef PSCAL_CMD_OPTIONS_PLOTTING_H
#define PSCAL_CMD_OPTIONS_PLOTTING_H

struct err;
struct options;

struct plotting {
	char *path; /* --plot FILE, or NULL */
	int chart;  /* --chart */
};

/* Lines of a table of options. */
#define PLOTTING_OPTIONS(plotting)                                                              \
	{"plot",                                                                                \
	 '\0',                                                                                  \
	 POPT_ARG_STRING,                                                                       \
	 &(plotting)->path,                                                                     \
	 0,                                                                                     \
	 "draw it into a .svg, .png or .pdf file",                                              \
	 "FILE"},                                                                               \
	{                                                                                       \
		"chart", '\0', POPT_ARG_NONE, &(plotting)->chart, 0, "draw it with characters", \
			NULL                                                                    \
	}

/* Returns -1 with a sentence when these are asked for wrongly. */
int plotting_check(const struct plotting *plotting, const struct options *options, struct err *err);
void plotting_release(struct plotting *plotting);

#endif
