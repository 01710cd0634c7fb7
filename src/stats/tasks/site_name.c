/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/site_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Behind which a file begins: the blank before an absolute path, else the last one. */
static const char *find_file(const char *name, const char *end)
{
	const char *blank = NULL;

	for (const char *c = name; c < end; c++) {
		if (*c != ' ')
			continue;
		blank = c;
		if (c[1] == '/')
			break;
	}
	return blank;
}

static bool read_line(uint32_t *line, const char *digits)
{
	uint64_t value = 0;

	for (const char *c = digits; *c; c++) {
		value = value * 10 + (uint64_t)(*c - '0');
		if (!isdigit((unsigned char)*c) || value > UINT32_MAX)
			return false;
	}
	*line = (uint32_t)value;
	return *digits;
}

/* Up to the offset behind it, "+0x12" or "+0". */
static size_t without_offset(const char *name)
{
	const char *plus = strrchr(name, '+');
	size_t length = strlen(name);

	if (!plus || plus == name)
		return length;
	if (strcmp(plus, "+0") == 0 ||
	    (strncmp(plus, "+0x", 3) == 0 && !plus[3 + strspn(plus + 3, "0123456789abcdef")]))
		return (size_t)(plus - name);
	return length;
}

static size_t without_ending(const char *name, size_t length, const char *ending)
{
	size_t size = strlen(ending);

	return length > size && memcmp(name + length - size, ending, size) == 0 ? length - size
										: length;
}

/* Without ".3" */
static size_t without_number(const char *name, size_t length)
{
	size_t rest = length;

	while (rest && isdigit((unsigned char)name[rest - 1]))
		rest--;
	return rest && rest < length && name[rest - 1] == '.' ? rest - 1 : length;
}

/* "sort.part.3" to "sort", and "sort(int) [clone .part.3]" to "sort(int)": one step of that. */
static size_t without_clone(const char *name, size_t length)
{
	static const char *const kinds[] = {".part", ".constprop", ".isra", ".cold", ".lto_priv"};
	size_t inner = without_ending(name, length, "]"), rest;
	bool is_demangled = inner < length;

	inner = without_number(name, inner);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		rest = without_ending(name, inner, kinds[i]);
		if (rest < inner && !is_demangled)
			return rest;
		if (rest < inner && without_ending(name, rest, " [clone ") < rest)
			return without_ending(name, rest, " [clone ");
	}
	return length;
}

static int function_length(const char *name, size_t length)
{
	for (size_t rest; (rest = without_clone(name, length)) < length;)
		length = rest;
	return (int)length;
}

struct site_name site_name_of(const char *name)
{
	struct site_name parts = {.function = name};
	const char *colon = strrchr(name, ':');
	const char *blank = colon ? find_file(name, colon) : NULL;
	uint32_t line;

	if (!blank || blank == name || blank + 1 == colon || !read_line(&line, colon + 1)) {
		parts.function_length = function_length(name, without_offset(name));
		return parts;
	}
	parts.function_length = function_length(name, (size_t)(blank - name));
	parts.file = blank + 1;
	parts.file_length = (int)(colon - blank - 1);
	parts.line = line;
	return parts;
}
