/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * swap_perfdata IN OUT: writes a perf.data file as a machine of the other byte order would have.
 * See swapped.h.
 */
#include "tools/swapped.h"

int main(int argc, char **argv)
{
	FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
	size_t length = 0, capacity = 1 << 20;
	char *bytes = malloc(capacity);

	if (argc != 3)
		swap_fail("say which file and which new one: swap_perfdata IN OUT");
	if (!file)
		swap_fail("cannot open the file");
	for (size_t got; bytes && (got = fread(bytes + length, 1, capacity - length, file));) {
		length += got;
		if (length == capacity)
			bytes = realloc(bytes, capacity *= 2);
	}
	fclose(file);
	swap_perfdata(bytes, length);
	file = fopen(argv[2], "wb");
	if (!file || fwrite(bytes, 1, length, file) != length || fclose(file))
		swap_fail("cannot write the new file");
	free(bytes);
	return 0;
}
