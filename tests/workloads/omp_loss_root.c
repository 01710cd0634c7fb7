/* SPDX-License-Identifier: GPL-3.0-or-later */
/* omp_loss, that tells of no task but the root. */
#define TELLS_ROOT
#include "omp_loss.c"
