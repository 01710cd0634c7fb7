/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Demangles any bytes as the name of a function: the result has a limited length, or is the name. */
#include "base/names.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static const char *const schemes[] = {"", "_ZN", "_RN", "_Z", "_R"};
	char name[DEMANGLE_MAX + 8], *shown;
	size_t room, before;

	if (!length)
		return 0;
	before = strlen(strcpy(name, schemes[bytes[0] % 5]));
	room = sizeof(name) - 1 - before;
	length = length - 1 < room ? length - 1 : room;
	memcpy(name + before, bytes + 1, length);
	name[before + length] = '\0';
	shown = demangle_or_copy(name);
	if (strlen(shown) > DEMANGLED_MAX || demangled_length(shown) > strlen(shown))
		abort();
	free(shown);
	return 0;
}
