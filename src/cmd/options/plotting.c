/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/plotting.h"

#include <stdlib.h>

void plotting_release(struct plotting *plotting)
{
	free(plotting->path);
}
