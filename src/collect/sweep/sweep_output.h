/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run of a sweep has printed: a file that is read once the run has ended. */
#ifndef PSCAL_COLLECT_SWEEP_SWEEP_OUTPUT_H
#define PSCAL_COLLECT_SWEEP_SWEEP_OUTPUT_H

#include <stdbool.h>

/* What a line has beyond so many bytes is taken for another one, though no number is cut in two. */
enum { SWEEP_LINE_MAX = 1 << 14 };

/*
 * Hands over each line of the file, from its beginning, as long as `take` wants another one. A line
 * ends in a newline, a carriage return (what programs rewrite a line of progress with) or a NUL.
 * Empty ones are left out.
 */
void sweep_output_lines(int fd, bool (*take)(void *context, const char *line), void *context);

/*
 * Its last lines, of which as much as fits into a sentence, with ' | ' between them and '?' for
 * what cannot be shown. The caller frees it; "" where nothing was printed.
 */
char *sweep_output_end(int fd);

#endif
