/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
	if (!memory) {
		fputs("pscal: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

void *xcalloc(size_t count, size_t size)
{
	return must(calloc(count ? count : 1, size ? size : 1));
}

void *xreallocarray(void *old, size_t count, size_t size)
{
	return must(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *text)
{
	return must(strdup(text));
}

static __attribute__((format(printf, 1, 0))) char *print_args(const char *format, va_list args)
{
	char *text;

	return must(vasprintf(&text, format, args) < 0 ? NULL : text);
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = print_args(format, args);
	va_end(args);
	return text;
}

void xappend(char **text, const char *separator, const char *format, ...)
{
	char *before = *text, *more;
	va_list args;

	va_start(args, format);
	more = print_args(format, args);
	va_end(args);
	*text = before ? xasprintf("%s%s%s", before, separator, more) : more;
	if (before)
		free(more);
	free(before);
}

/*
 * The number of items from which an array grows by a part of its size instead of doubling. Such an
 * array grows cheaply, as the kernel moves its pages and not its bytes (mremap), and a doubled one
 * would waste much memory. AddressSanitizer moves the bytes each time, so its part is larger. The
 * limit is in items whatever their size, as arrays may share a capacity.
 */
#ifdef __SANITIZE_ADDRESS__
enum { MANY = 1 << 16, PART_OF_MANY = 2 };
#else
enum { MANY = 1 << 16, PART_OF_MANY = 16 };
#endif

void *array_grow(void *array, size_t *capacity, size_t need, size_t size)
{
	size_t old = *capacity;
	size_t more = old >= MANY ? old / PART_OF_MANY : old;
	size_t new = old + more > need ? old + more : need;

	if (new < 8)
		new = 8;
	array = xreallocarray(array, new, size);
	memset((char *)array + old * size, 0, (new - old) * size);
	*capacity = new;
	return array;
}
