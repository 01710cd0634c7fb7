/* SPDX-License-Identifier: GPL-3.0-or-later */
/* omp_loss, which marks only the root task. */
#define TELLS_ROOT
#include "omp_loss.c"
