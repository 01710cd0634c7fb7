/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/forecast_calibration.h"

#include "base/err.h"
#include "cmd/options.h"
#include "collect/calibration.h"
#include "collect/calibration_file.h"
#include "report/progress.h"
#include "report/report_calibration.h"

#include <stdlib.h>

int calibration_options_check(const struct calibration_options *options,
			      const struct options *common, struct err *err)
{
	if (options->calibrate && common->arg_count)
		return err_set(err, "--calibrate: measures this machine and reads no FILE ('%s')",
			       common->args[0]);
	return 0;
}

static int measure(struct calibration *calibration, const struct options *common, struct err *err)
{
	struct progress progress;
	struct calibration_request request = {.show = progress_show, .context = &progress};
	int rc;

	progress_begin(&progress, common->quiet);
	rc = calibration_measure(calibration, &request, err);
	progress_end(&progress);
	return rc;
}

static int print(const struct calibration *calibration, const char *path,
		 const struct options *common, struct err *err)
{
	struct report *report = options_report(common, err);

	if (!report)
		return -1;
	report_calibration(report, calibration, path);
	return report_close(report, err);
}

int forecast_calibrate(const struct options *common, struct err *err)
{
	char *path = calibration_file_path(err);
	struct calibration calibration;
	struct err ignored;
	int rc;

	if (!path || measure(&calibration, common, err)) {
		free(path);
		return -1;
	}
	/* What was measured is shown even where it cannot be kept. */
	rc = calibration_file_write(path, &calibration, "", err);
	if (print(&calibration, rc ? NULL : path, common, rc ? &ignored : err))
		rc = -1;
	calibration_release(&calibration);
	free(path);
	return rc;
}
