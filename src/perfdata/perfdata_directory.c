/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/perfdata_directory.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "base/parse.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Far above the CPUs of any machine. */
enum { NUMBER_MAX = 1 << 20 };

struct input *perfdata_directory_open(const char *path, enum input_owners owners, struct err *err)
{
	struct input *input = NULL;
	struct stat status;
	char *data;

	if (strcmp(path, "-") == 0 || stat(path, &status) || !S_ISDIR(status.st_mode))
		return input_open_of(path, owners, err);
	data = xasprintf("%s/data", path);
	if (access(data, F_OK) && errno == ENOENT)
		err_set(err,
			"%s: is a directory without a file 'data', as 'perf record --threads' "
			"makes one: name the file of a recording",
			path);
	else
		input = input_open_of(data, owners, err);
	free(data);
	return input;
}

/* "data.12"; -1: it is none of them. */
static int number_of(const char *name)
{
	uint64_t number;

	if (strncmp(name, "data.", 5) != 0 || parse_u64(&number, name + 5, NUMBER_MAX))
		return -1;
	return (int)number;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static size_t list(int **numbers, const char *directory)
{
	DIR *entries = opendir(directory);
	size_t count = 0, capacity = 0;

	*numbers = NULL;
	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		int number = number_of(entry->d_name);

		if (number < 0)
			continue;
		array_reserve(numbers, &capacity, count + 1);
		(*numbers)[count++] = number;
	}
	if (entries)
		closedir(entries);
	if (count)
		qsort(*numbers, count, sizeof(**numbers), compare);
	return count;
}

/* A CPU on which nothing was recorded has an empty file, which no input can be. */
static int open_all(struct input **inputs, size_t *count, const char *directory, const int *numbers,
		    size_t number_count, enum input_owners owners, struct err *err)
{
	for (size_t i = 0; i < number_count; i++) {
		char *path = xasprintf("%sdata.%d", directory, numbers[i]);
		struct stat status;
		int rc = 0;

		if (stat(path, &status) || status.st_size) {
			inputs[*count] = input_open_of(path, owners, err);
			rc = inputs[*count] ? 0 : -1;
			*count += inputs[*count] ? 1 : 0;
		}
		free(path);
		if (rc)
			return -1;
	}
	return 0;
}

/* The directory of DIRECTORY/data, to be freed; NULL when it has another name. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (strcmp(name, "data") != 0)
		return NULL;
	return slash ? xasprintf("%.*s", (int)(slash - path + 1), path) : xstrdup("./");
}

int perfdata_directory_rest(struct input ***inputs, size_t *count, const struct input *data,
			    struct err *err)
{
	char *directory = directory_of(input_name(data));
	int *numbers = NULL, rc;
	size_t number_count = directory ? list(&numbers, directory) : 0;

	*inputs = xcalloc(number_count, sizeof(**inputs));
	*count = 0;
	if (number_count)
		rc = open_all(*inputs, count, directory, numbers, number_count, input_owners(data),
			      err);
	else
		rc = err_set(err, "is the first file of a directory that 'perf record --threads' "
				  "has written, and the others (data.0 and so on) are not beside "
				  "it: name the directory");
	for (size_t i = 0; rc && i < *count; i++)
		input_close((*inputs)[i]);
	if (rc)
		free(*inputs);
	free(numbers);
	free(directory);
	return rc;
}
