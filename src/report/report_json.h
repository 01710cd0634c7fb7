/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects and arrays in the JSON of a report; other formats have none.
 *
 *	report_array(report, "functions");
 *	report_group(report, NULL);
 *	report_facts(report, NULL, columns, row);
 *	report_ungroup(report);
 *	report_array_end(report);
 */
#ifndef PSCAL_REPORT_REPORT_JSON_H
#define PSCAL_REPORT_REPORT_JSON_H

struct report;

/*
 * JSON: puts the following members into an object under `key`, until report_ungroup(). With key
 * NULL the document is an array, and each group one of its elements (then nothing may be outside).
 */
void report_group(struct report *report, const char *key);
void report_ungroup(struct report *report);

/* JSON: makes the following groups with key NULL the elements of an array under `key`. */
void report_array(struct report *report, const char *key);
void report_array_end(struct report *report);

#endif
