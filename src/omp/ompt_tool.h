/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What LLVM's runtime library of OpenMP tells by itself. */
#ifndef PSCAL_OMP_OMPT_TOOL_H
#define PSCAL_OMP_OMPT_TOOL_H

#include <stdbool.h>

/* It has begun to. */
extern bool ompt_tool_works;

#endif
