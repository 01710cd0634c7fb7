/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch.h"

#include <math.h>

/* From this share on a row has most of all stretch. */
static const double MOST = 0.5;

void stretch_parts_of(double seconds[STRETCH_PARTS], const struct time_loss *loss, double serial_s)
{
	seconds[STRETCH_PART_USEFUL] = serial_s;
	seconds[STRETCH_PART_INFLATION] = loss->work_s - serial_s;
	seconds[STRETCH_PART_OVERHEAD] = loss->overhead_s;
	seconds[STRETCH_PART_RUN_QUEUE] = loss->preempted_s;
	seconds[STRETCH_PART_TASKS] = fmax(0, loss->delay_s - loss->preempted_s);
	seconds[STRETCH_PART_IDLE] = loss->no_work_s;
}

static enum stretch_finding finding_of(const struct rate_ratio *stretch)
{
	if (isnan(stretch->value))
		return STRETCH_UNSURE;
	if (stretch->value > 0 && !(stretch->from <= 0))
		return STRETCH_MORE;
	if (stretch->value < 0 && !(stretch->to >= 0))
		return STRETCH_LESS;
	return STRETCH_EQUAL;
}

static void find_alone(struct stretch_verdict *verdict, const struct stretch *stretch)
{
	size_t last = stretch->column_count - 1;
	double serial_s = 0, parallel_s = 0;

	for (size_t i = 0; i < stretch->row_count; i++) {
		const struct stretch_row *row = &stretch->rows[i];
		double seconds = row->cells[last].seconds;

		serial_s += seconds > 0 ? 0 : row->serial_s;
		parallel_s += row->serial_s > 0 ? 0 : seconds;
	}
	verdict->serial_alone = serial_s > 0 ? serial_s / stretch->serial_s : 0;
	verdict->parallel_alone = parallel_s > 0 ? parallel_s / stretch->columns[last].work_s : 0;
}

static void find_unnamed(struct stretch_verdict *verdict, const struct stretch *stretch)
{
	for (size_t i = 0; i < stretch->run_count; i++) {
		const struct stretch_run *run = &stretch->runs[i];
		double share = 1 - run->named_s / run->work_s;

		if (!(share > verdict->unnamed_share))
			continue;
		verdict->unnamed_share = share;
		verdict->unnamed_run = i;
	}
}

struct stretch_verdict stretch_verdict_of(const struct stretch *stretch,
					  const struct stretch_row *const *rows, size_t row_count)
{
	size_t last = stretch->column_count - 1;
	const struct stretch_column *column = &stretch->columns[last];
	struct stretch_verdict verdict = {.finding = finding_of(&column->stretch),
					  .run_queue_share = NAN};

	if (row_count && finding_of(&rows[0]->cells[last].stretch) == STRETCH_MORE) {
		verdict.row = rows[0];
		verdict.is_most = rows[0]->cells[last].share >= MOST;
	}
	if (column->has_loss)
		verdict.run_queue_share =
			column->loss.preempted_s / (column->loss.cores * column->loss.wall_s);
	find_alone(&verdict, stretch);
	find_unnamed(&verdict, stretch);
	return verdict;
}
