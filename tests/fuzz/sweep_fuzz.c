/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as the file of an earlier sweep. What is kept of it, up to the end of its last whole
 * line, reads the same again.
 */
#include "fuzz.h"

#include "collect/sweep/sweep_past.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int same(const struct sweep_past *one, const struct sweep_past *two)
{
	if (one->count != two->count || one->fact_count != two->fact_count ||
	    one->size != two->size || two->dropped)
		return 0;
	for (size_t i = 0; i < one->count; i++)
		if (!sweep_past_has(two, one->rows[i].n, one->rows[i].repeat))
			return 0;
	return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	int fd = memfd_create("sweep", MFD_CLOEXEC);
	struct sweep_past first, again;
	struct err err = {""};

	if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
		abort();
	if (sweep_past_read(&first, fd, "sweep", &err) == 0) {
		if (ftruncate(fd, first.size))
			abort();
		if (sweep_past_read(&again, fd, "sweep", &err) || !same(&first, &again))
			abort();
		sweep_past_release(&again);
	} else if (!*err.text) {
		abort();
	}
	sweep_past_release(&first);
	close(fd);
	return 0;
}
