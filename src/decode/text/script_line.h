/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What perf script prints, with any -F that keeps time and trace. */
#ifndef PSCAL_DECODE_TEXT_SCRIPT_LINE_H
#define PSCAL_DECODE_TEXT_SCRIPT_LINE_H

#include "decode/text/line_layout.h"

extern const struct line_layout script_line_layout;

#endif
