/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "cmd/options/cmd.h"
#include "cmd/options/options.h"
#include "collect/doctor/doctor.h"
#include "report/report.h"

#include <string.h>

struct doctor_row {
	const char *key, *answer, *text;
};

static const struct column doctor_columns[] = {
	{"name", "", UNIT_NONE, -14, FIELD(doctor_row, key)},
	{"answer", "here", UNIT_NONE, -4, FIELD(doctor_row, answer)},
	{"text", "as far as tried", UNIT_NONE, -1, FIELD(doctor_row, text)},
};

static const struct table doctor_table = {
	.key = "facts", .layout = LAYOUT_STREAM, .in = REPORT_ALL, COLUMNS(doctor_columns)};

static void say_verdict(struct report *report, const struct doctor *doctor)
{
	if (!doctor->collector)
		report_verdict(report, "This user can record nothing here, and read everything.");
	else if (strcmp(doctor->collector, "task") == 0)
		report_verdict(report,
			       "This user can record their own programs here, without wakeups.");
	else
		report_verdict(report,
			       "This user can record all threads and wakeups here, with the "
			       "collector %s.",
			       doctor->collector);
}

static void report_doctor(struct report *report, const struct doctor *doctor)
{
	static const char *const answers[] = {
		[DOCTOR_NO] = "no", [DOCTOR_PART] = "part", [DOCTOR_YES] = "yes"};

	say_verdict(report, doctor);
	report_begin(report, &doctor_table);
	for (int i = 0; i < doctor->count; i++) {
		const struct doctor_fact *fact = &doctor->facts[i];

		report_row(report,
			   &(struct doctor_row){fact->key, answers[fact->answer], fact->text});
	}
	report_end(report);
	report_note_if(report, doctor->remedy, "%s", doctor->remedy);
}

static int print_doctor(const struct options *common, struct err *err)
{
	struct report *report = options_report(common, err);
	struct doctor doctor;

	if (!report)
		return -1;
	doctor_examine(&doctor, "");
	report_doctor(report, &doctor);
	doctor_release(&doctor);
	return report_finish(report, 0, err);
}

static int cmd_doctor_run(int argc, const char **argv, struct err *err)
{
	static const struct option none[] = {OPTION_TABLE_END};
	struct options common;
	int status = options_read(&common, OPTIONS_LIST, "", none, NULL, argc, argv, err);

	if (status < 0 && common.arg_count) {
		err_set(err, "%s: doctor reads no file; 'pscal doctor' examines this machine",
			common.args[0]);
		status = STATUS_USAGE;
	} else if (status < 0) {
		status = print_doctor(&common, err) ? STATUS_FAILED : STATUS_DONE;
	}
	options_release(&common);
	return status;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "show what this machine allows to record, and how to allow more",
	.run = cmd_doctor_run,
};
