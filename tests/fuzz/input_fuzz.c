/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as an input that may be packed: they are read, or refused with a sentence, at last. */
#include "trace_fuzz.h"

static void read_input(struct input *input)
{
	const void *seen;
	uint64_t have;

	while ((have = input_peek(input, &seen, 1)) > 0 && input_offset(input) < 1 << 24)
		assert(input_skip(input, have) == have);
	if (input_error(input))
		assert(strstr(input_error(input), input_name(input)) == input_error(input));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	struct err err = {""};
	struct input *input;
	char path[64];

	assert(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	input = input_open(path, &err);
	if (input)
		read_input(input);
	else
		check_sentence(&err, path);
	input_close(input);
	close(fd);
	return 0;
}
