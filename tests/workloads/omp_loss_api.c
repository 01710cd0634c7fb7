/* SPDX-License-Identifier: GPL-3.0-or-later */
/* omp_loss, that tells of its tasks by itself. */
#define TELLS 1
#include "omp_loss.c"
