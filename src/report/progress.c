/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/progress.h"

#include "base/monotonic.h"

#include <stdio.h>
#include <unistd.h>

static const uint64_t first_ns = 1000000000, then_ns = 200000000;

void progress_begin(struct progress *progress, bool quiet)
{
	*progress = (struct progress){.on = !quiet && isatty(STDERR_FILENO),
				      .begin_ns = monotonic_ns()};
	progress->next_ns = progress->begin_ns + first_ns;
}

void progress_show(void *context, uint64_t done, uint64_t size)
{
	struct progress *progress = context;
	uint64_t now = progress->on ? monotonic_ns() : 0;
	double seconds;

	progress->share = size ? (double)done / (double)size : 0;
	if (!progress->on || now < progress->next_ns)
		return;
	progress->next_ns = now + then_ns;
	progress->shown = true;
	seconds = (double)(now - progress->begin_ns) / 1e9;
	fprintf(stderr, "\r%s%s", progress->note ? progress->note : "", progress->note ? "; " : "");
	if (size && done)
		fprintf(stderr, "%3.0f %%, %.0f s left\033[K", 100 * (double)done / (double)size,
			seconds * (double)(size - done) / (double)done);
	else if (progress->note)
		fputs("\033[K", stderr);
	else
		fprintf(stderr, "%.0f MB read\033[K", (double)done / 1e6);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->on = progress->shown = false;
}
