/* SPDX-License-Identifier: GPL-3.0-or-later */
/* omp_loss, which marks its tasks itself. */
#define TELLS 1
#include "omp_loss.c"
