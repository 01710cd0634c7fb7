/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/forecast_view.h"

#include "replay/forecast/replayed.h"

struct forecast_row forecast_view_row(const struct forecast_view *view, uint64_t cores)
{
	struct forecast_row row = {.forecast =
					   closed_form(view->levels, view->measured_cores, cores)};

	row.closed_form_s = row.forecast.wall_s;
	row.point = view->replay ? replayed_find(view->replay, cores) : NULL;
	if (row.point) {
		row.forecast.wall_s = row.point->wall_s;
		row.forecast.speedup = replayed_speedup(view->replay, row.point);
		row.forecast.efficiency = row.forecast.speedup / (double)cores;
	}
	return row;
}

const char *forecast_view_model(const struct forecast_view *view)
{
	return view->replay ? "replay" : "closed-form";
}

double forecast_view_error(const struct forecast_view *view, const struct wall_time *time)
{
	return view->replay ? replayed_error(view->replay, time)
			    : closed_form_error(view->levels, view->measured_cores, time);
}

double forecast_view_mean_error(const struct forecast_view *view, size_t *count)
{
	return view->replay ? replayed_mean_error(view->replay, view->measured, count)
			    : closed_form_mean_error(view->levels, view->measured_cores,
						     view->measured, count);
}
