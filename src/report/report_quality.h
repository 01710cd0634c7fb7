/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The quality of the data, which a user should know before believing a result. */
#ifndef PSCAL_REPORT_REPORT_QUALITY_H
#define PSCAL_REPORT_REPORT_QUALITY_H

#include "decode/event/quality.h"
#include "report/report.h"

/* JSON: the object "quality"; text: a sentence for each thing that is not clean; CSV: nothing. */
void report_quality(struct report *report, const struct quality *quality);

/* The sentence for one of them, to be freed; NULL: it is clean. */
char *report_quality_sentence(const struct quality *quality, enum quality_fact fact);

/*
 * JSON only: an object "quality" that has only what is not clean, for documents in which it stands
 * many times.
 */
void report_quality_flaws(struct report *report, const struct quality *quality);

#endif
