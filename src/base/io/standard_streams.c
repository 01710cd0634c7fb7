/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/standard_streams.h"

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

void standard_streams_keep(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY}; /* the other way round */

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		int fd = fcntl((int)i, F_GETFD) < 0 ? open("/dev/null", modes[i] | O_CLOEXEC)
						    : (int)i;

		if (fd > (int)i) /* one below could not be kept */
			close(fd);
	}
}
