/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/perfdata_check.h"

#include "base/err.h"
#include "decode/formats.h"
#include "decode/perfdata_file.h"
#include "decode/record_owner.h"

int perfdata_check_attrs(const struct perfdata_file *file, struct err *err)
{
	for (size_t i = 0; i < file->attr_count; i++) {
		uint64_t type = file->attrs[i].sample_type;

		if (file->attrs[i].type != PERF_TYPE_TRACEPOINT)
			continue;
		if (!(type & PERF_SAMPLE_TIME) || !(type & PERF_SAMPLE_RAW))
			return err_set(err, "was recorded without the time or the fields of its "
					    "events; record it with 'pscal record'");
	}
	return record_owners_check(file, err);
}

/* Do records say who has a CPU, without a tracepoint? */
static bool has_switch_records(const struct perfdata_file *file)
{
	const uint64_t needed = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

	for (size_t i = 0; i < file->attr_count; i++)
		if (file->attrs[i].context_switch && file->attrs[i].sample_id_all &&
		    (file->attrs[i].sample_type & needed) == needed)
			return true;
	return false;
}

int perfdata_check_switches(const struct perfdata_file *file, const struct formats *formats,
			    bool has_formats, struct err *err)
{
	if (formats_have_switch(formats) || has_switch_records(file))
		return 0;
	if (file->interrupted)
		return err_set(err, "the recorder was interrupted before it wrote the table at "
				    "the end, without which the events cannot be told apart");
	if (file->truncated)
		return err_set(err, "is cut off: the table at its end, without which the events "
				    "cannot be told apart, is missing");
	if (!has_formats)
		return err_set(err, "holds no scheduling events; record some with 'pscal record' "
				    "or 'perf sched record'");
	return err_set(err, "holds no sched_switch events; record some with 'pscal record' "
			    "or 'perf sched record'");
}
