/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of an exported recording, as statements of SQL: pscal-export(1) describes them. Who
 * changes what a column means or takes one away gives EXPORT_SCHEMA its next number.
 */
#ifndef PSCAL_REPORT_EXPORT_EXPORT_SCHEMA_H
#define PSCAL_REPORT_EXPORT_EXPORT_SCHEMA_H

#define EXPORT_SCHEMA 1

extern const char export_tables[];

/* Made when the tables are full, which takes less time than keeping them up to date. */
extern const char *const export_indexes[]; /* up to NULL */

extern const char export_views[];

#endif
