/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of a drawing, for a table of popt. */
#ifndef PSCAL_CMD_OPTIONS_PLOTTING_H
#define PSCAL_CMD_OPTIONS_PLOTTING_H

#include "cmd/options/options.h"

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

void plotting_release(struct plotting *plotting);

#endif
