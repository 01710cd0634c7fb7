/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_known.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Sorted. */
static const char *const known[] = {
	"bcmp",
	"bcopy",
	"bsearch",
	"bzero",
	"calloc",
	"clock_nanosleep",
	"compress",
	"copy_file_range",
	"crc32",
	"deflate",
	"epoll_pwait",
	"epoll_wait",
	"fgets",
	"fprintf",
	"fputs",
	"fread",
	"free",
	"fscanf",
	"fwrite",
	"getdelim",
	"getline",
	"inflate",
	"lfind",
	"lsearch",
	"malloc",
	"memccpy",
	"memchr",
	"memcmp",
	"memcpy",
	"memmem",
	"memmove",
	"mempcpy",
	"memrchr",
	"memset",
	"mmap",
	"mremap",
	"munmap",
	"nanosleep",
	"poll",
	"posix_memalign",
	"ppoll",
	"pread",
	"pread64",
	"preadv",
	"printf",
	"pselect",
	"pwrite",
	"pwrite64",
	"pwritev",
	"qsort",
	"qsort_r",
	"rawmemchr",
	"read",
	"readv",
	"realloc",
	"recv",
	"recvfrom",
	"recvmsg",
	"regexec",
	"select",
	"send",
	"sendfile",
	"sendfile64",
	"sendmsg",
	"sendto",
	"sleep",
	"snprintf",
	"splice",
	"sprintf",
	"sscanf",
	"stpcpy",
	"stpncpy",
	"strcasecmp",
	"strcasestr",
	"strcat",
	"strchr",
	"strchrnul",
	"strcmp",
	"strcpy",
	"strcspn",
	"strdup",
	"strlen",
	"strncasecmp",
	"strncat",
	"strncmp",
	"strncpy",
	"strndup",
	"strnlen",
	"strpbrk",
	"strrchr",
	"strspn",
	"strstr",
	"strtok",
	"strtok_r",
	"sync_file_range",
	"tfind",
	"tsearch",
	"uncompress",
	"usleep",
	"vfprintf",
	"vsnprintf",
	"wcscpy",
	"wcslen",
	"wmemcpy",
	"wmemset",
	"write",
	"writev",
};

static int compare(const void *key, const void *item)
{
	return strcmp(key, *(const char *const *)item);
}

static bool is_known(const char *name)
{
	return bsearch(name, known, sizeof(known) / sizeof(*known), sizeof(*known), compare);
}

/* glibc's variants for a CPU, and those that check the length. */
static const char *const suffixes[] = {"_chk",	"_avx",	 "_sse2", "_ssse3",
				       "_sse4", "_evex", "_erms", "_nocancel"};

/* Cuts the name where a suffix begins. */
static void cut_suffix(char *name)
{
	char *at = strchr(name, '@');

	if (at)
		*at = '\0';
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if ((at = strstr(name, suffixes[i])))
			*at = '\0';
}

/* As in __GI___libc_write, another name for write within glibc. */
static const char *cut_prefixes(const char *name)
{
	static const char *const prefixes[] = {"_", "GI_", "libc_"};
	bool cut = true;

	while (cut) {
		cut = false;
		for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
			size_t length = strlen(prefixes[i]);

			if (strncmp(name, prefixes[i], length) == 0) {
				name += length;
				cut = true;
			}
		}
	}
	return name;
}

bool rdam_is_known_dependent(const char *name)
{
	const char *colon = strrchr(name, ':');
	char base[64];

	name = cut_prefixes(colon ? colon + 1 : name);
	if (strlen(name) >= sizeof(base))
		return false;
	strcpy(base, name);
	cut_suffix(base);
	return is_known(base);
}
