/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/chart.h"

#include "base/alloc.h"
#include "report/plot.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* Smaller ones show nothing; larger ones are not one look. */
static int bounded(int size, int least, int most)
{
	return size < least ? least : size > most ? most : size;
}

/* gnuplot fills its lines up to the width, and leaves some empty. */
static char *without_blanks(char *drawing)
{
	char *lines = xcalloc(strlen(drawing) + 2, 1), *end = lines;

	for (char *line; (line = strsep(&drawing, "\n"));) {
		size_t length = strlen(line);

		while (length && line[length - 1] == ' ')
			length--;
		if (!length)
			continue;
		memcpy(end, line, length);
		end += length;
		*end++ = '\n';
	}
	return lines;
}

int chart_print(struct report *report, struct plot_script *script, struct err *err)
{
	char *drawing, *lines;
	int columns, rows;

	if (!report_shows(report, REPORT_TEXT))
		return 0;
	report_size(report, &columns, &rows);
	drawing = plot_with_characters(script, bounded(columns, 40, 160), bounded(rows - 1, 12, 40),
				       err);
	if (!drawing)
		return -1;
	lines = without_blanks(drawing);
	report_drawing(report, lines);
	free(lines);
	free(drawing);
	return 0;
}
