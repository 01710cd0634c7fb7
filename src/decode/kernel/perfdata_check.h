/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can a perf.data file say anything of the scheduler? If not, why, and what to do about it. */
#ifndef PSCAL_DECODE_KERNEL_PERFDATA_CHECK_H
#define PSCAL_DECODE_KERNEL_PERFDATA_CHECK_H

#include <stdbool.h>

struct err;
struct formats;
struct perfdata_file;

/* Those with `err` return 0, or -1 with a sentence that lacks the name of the input. */

/* Can the records of its events be told apart and compared? */
int perfdata_check_attrs(const struct perfdata_file *file, struct err *err);

/* Are there tracepoints of this type (formats_type), all with what is needed of them? */
bool perfdata_check_tells(const struct perfdata_file *file, int type);

/* Does it tell who has a CPU? `has_formats`: it describes tracepoints, whichever. */
int perfdata_check_switches(const struct perfdata_file *file, const struct formats *formats,
			    bool has_formats, struct err *err);

/* Does it say where threads were while they ran? */
bool perfdata_check_samples(const struct perfdata_file *file);

#endif
