/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/plotting.h"

#include "base/err.h"
#include "cmd/options/options.h"
#include "report/plot.h"

#include <stdlib.h>

int plotting_check(const struct plotting *plotting, const struct options *options, struct err *err)
{
	if (plotting->chart && options->format != REPORT_TEXT)
		return err_set(err,
			       "--chart: characters are drawn in text only; take --plot FILE "
			       "beside --format %s",
			       options->format == REPORT_CSV ? "csv" : "json");
	if (plotting->path && plot_check_path(plotting->path, err))
		return err_wrap(err, "--plot");
	return 0;
}

void plotting_release(struct plotting *plotting)
{
	free(plotting->path);
}
