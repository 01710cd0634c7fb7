/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/perfdata_check.h"

#include "base/err.h"
#include "decode/event/samples.h"
#include "decode/kernel/formats.h"
#include "perfdata/perfdata_file.h"
#include "perfdata/sample.h"

#include <time.h>

/* perf's own clock, where none was asked for, has no number. */
static int64_t clock_of(const struct perf_event_attr *attr)
{
	return attr->use_clockid ? attr->clockid : -1;
}

static const char *clock_name(int64_t clock)
{
	static const struct {
		int64_t clock;
		const char *name;
	} names[] = {
		{-1, "that of perf"},
		{CLOCK_REALTIME, "CLOCK_REALTIME"},
		{CLOCK_MONOTONIC, "CLOCK_MONOTONIC"},
		{CLOCK_MONOTONIC_RAW, "CLOCK_MONOTONIC_RAW"},
		{CLOCK_BOOTTIME, "CLOCK_BOOTTIME"},
		{CLOCK_TAI, "CLOCK_TAI"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].clock == clock)
			return names[i].name;
	return "an unknown one";
}

static int check_clocks(const struct perfdata_file *file, struct err *err)
{
	const struct perf_event_attr *first = NULL;

	for (size_t i = 0; i < file->attr_count; i++) {
		const struct perf_event_attr *attr = &file->attrs[i];

		if (!(attr->sample_type & PERF_SAMPLE_TIME))
			continue;
		first = first ? first : attr;
		if (clock_of(attr) != clock_of(first))
			return err_set(err,
				       "has times of different clocks, %s and %s, which cannot be "
				       "compared; record all events with one, as with 'perf record "
				       "-k mono'",
				       clock_name(clock_of(first)), clock_name(clock_of(attr)));
	}
	return 0;
}

int perfdata_check_attrs(const struct perfdata_file *file, struct err *err)
{
	return check_clocks(file, err) || record_owners_check(file, err) ? -1 : 0;
}

bool perfdata_check_tells(const struct perfdata_file *file, int type)
{
	if (type < 0)
		return false;
	for (size_t i = 0; i < file->attr_count; i++)
		if (file->attrs[i].type == PERF_TYPE_TRACEPOINT &&
		    file->attrs[i].config == (uint64_t)type && !sample_attr_tells(&file->attrs[i]))
			return false;
	return true;
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

static const char *aux_name(uint32_t type)
{
	static const char *const names[] = {
		[PERFDATA_AUX_INTEL_PT] = "intel_pt",	    [PERFDATA_AUX_INTEL_BTS] = "intel_bts",
		[PERFDATA_AUX_CS_ETM] = "cs_etm",	    [PERFDATA_AUX_ARM_SPE] = "arm_spe",
		[PERFDATA_AUX_S390_CPUMSF] = "s390_cpumsf", [PERFDATA_AUX_HISI_PTT] = "hisi_ptt",
	};

	return type < sizeof(names) / sizeof(names[0]) && names[type] ? names[type]
								      : "an unknown kind";
}

int perfdata_check_switches(const struct perfdata_file *file, const struct formats *formats,
			    bool has_formats, struct err *err)
{
	int type = formats_type(formats, "sched:sched_switch");

	if (perfdata_check_tells(file, type) || has_switch_records(file) ||
	    formats_have_blocks(formats))
		return 0;
	if (type >= 0)
		return err_set(err, "was recorded without the time or the fields of its switches; "
				    "record it with 'pscal record'");
	if (file->aux_type)
		return err_set(err,
			       "holds AUX traces (of %s), which do not say who has a CPU, and no "
			       "scheduling events; record some beside them with 'perf record "
			       "--switch-events', or with 'pscal record'",
			       aux_name(file->aux_type));
	if (file->interrupted)
		return err_set(err, "the recorder was interrupted before it wrote the table at "
				    "the end, without which the events cannot be told apart; "
				    "record again with 'pscal record', whose files survive that, "
				    "or end perf with Ctrl-C");
	if (file->truncated)
		return err_set(err, "is cut off: the table at its end, without which the events "
				    "cannot be told apart, is missing; copy the whole file");
	if (!has_formats)
		return err_set(err, "holds no scheduling events; record some with 'pscal record' "
				    "or 'perf sched record'");
	return err_set(err, "holds no sched_switch events; record some with 'pscal record' "
			    "or 'perf sched record'");
}

bool perfdata_check_samples(const struct perfdata_file *file)
{
	for (size_t i = 0; i < file->attr_count; i++)
		if (samples_attr_is_clock(&file->attrs[i]))
			return !file->truncated && !file->interrupted;
	return false;
}
