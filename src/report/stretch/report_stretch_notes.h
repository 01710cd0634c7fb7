/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_STRETCH_REPORT_STRETCH_NOTES_H
#define PSCAL_REPORT_STRETCH_REPORT_STRETCH_NOTES_H

#include "report/report.h"
#include "report/stretch/stretch_view.h"

/* Text only: what is to be known before believing it. */
void report_stretch_notes(struct report *report, const struct stretch_view *view);

#endif
