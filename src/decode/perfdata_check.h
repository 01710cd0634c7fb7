/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can a perf.data file say anything of the scheduler? If not, why, and what to do about it. */
#ifndef PSCAL_DECODE_PERFDATA_CHECK_H
#define PSCAL_DECODE_PERFDATA_CHECK_H

#include <stdbool.h>

struct err;
struct formats;
struct perfdata_file;

/* Both return 0, or -1 with a sentence that lacks the name of the input. */

/* Have its tracepoints what is needed? */
int perfdata_check_attrs(const struct perfdata_file *file, struct err *err);

/* Does it tell who has a CPU? `has_formats`: it describes tracepoints, whichever. */
int perfdata_check_switches(const struct perfdata_file *file, const struct formats *formats,
			    bool has_formats, struct err *err);

#endif
