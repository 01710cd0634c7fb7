/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads any bytes as an input that may be packed, up to its end or to an error with a sentence. */
#include "fuzz.h"

#include "base/io/input.h"
#include "check/bytes_check.h"

#include <assert.h>
#include <unistd.h>

static void read_input(struct input *input)
{
	const void *seen;
	uint64_t have;

	while ((have = input_peek(input, &seen, 1)) > 0 && input->offset < 1 << 24)
		assert(input_skip(input, have) == have);
	if (input->error)
		assert(strstr(input->error, input->name) == input->error);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct err why = {.text = ""}, err = {.text = ""};
	struct input *input;
	char path[64];
	int fd = bytes_check_file(bytes, length, path);

	input = input_open(path, INPUT_OF_ANYONE, &why);
	if (input)
		read_input(input);
	else
		fuzz_check(bytes_check_sentence(why.text, path, &err), &err);
	input_close(input);
	close(fd);
	return 0;
}
