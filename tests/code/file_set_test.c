/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/mapped_files.h"

#include "base/alloc.h"
#include "collect/collect_dir.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static bool has(const struct file_set *files, const char *part)
{
	for (size_t i = 0; i < files->count; i++)
		if (strstr(files->paths[i], part))
			return true;
	return false;
}

static bool is_wanted(const void *context, const char *path)
{
	return strcmp(path, context) == 0;
}

static void a_file_is_there_once_by_whatever_name(void **state)
{
	struct file_set files = {.count = 0};
	char root[64], *one, *other;

	(void)state;
	dir_make(root);
	dir_put(root, "one", "");
	one = xasprintf("%s/one", root);
	other = xasprintf("%s/other", root);
	assert_int_equal(symlink(one, other), 0);
	file_set_add(&files, one);
	file_set_add(&files, other);
	file_set_add(&files, root);
	file_set_add(&files, "/no/such/file");
	assert_int_equal(files.count, 1);
	file_set_add_of(&files, getpid(), other, "/proc");
	assert_int_equal(files.count, 1);
	file_set_release(&files);
	assert_int_equal(files.count, 0);
	free(one);
	free(other);
	dir_remove(root);
}

/* As when a package is upgraded under a program that runs. */
static void what_is_mapped_is_found_also_when_its_file_was_replaced(void **state)
{
	struct file_set files = {.count = 0};
	char root[64], *path, *aside, name[64];
	FILE *file;
	void *map;

	(void)state;
	dir_make(root);
	dir_put(root, "code", "old");
	path = xasprintf("%s/code", root);
	aside = xasprintf("%s/aside", root);
	file = fopen(path, "re");
	assert_non_null(file);
	map = mmap(NULL, 3, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	fclose(file);
	file_set_add_mapped(&files, getpid(), is_wanted, path, "/proc");
	assert_int_equal(files.count, 1);
	assert_true(has(&files, path));
	file_set_release(&files);

	dir_put(root, "aside", "new");
	assert_int_equal(rename(aside, path), 0);
	file_set_add_mapped(&files, getpid(), is_wanted, path, "/proc");
	snprintf(name, sizeof(name), "/map_files/%lx-", (unsigned long)map);
	assert_int_equal(files.count, 1);
	/* Without the right to look there the path is all that is known. */
	if (geteuid() == 0 && !has(&files, name))
		fail_msg("%s is not %s", files.paths[0], name);
	file_set_release(&files);
	munmap(map, 3);
	free(path);
	free(aside);
	dir_remove(root);
}

static void a_process_that_has_ended_adds_nothing(void **state)
{
	struct file_set files = {.count = 0};

	(void)state;
	file_set_add_mapped(&files, 99999999, is_wanted, "/bin/sh", "/proc");
	file_set_add_of(&files, 99999999, "/no/such/file", "/proc");
	assert_int_equal(files.count, 0);
	file_set_release(&files);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_file_is_there_once_by_whatever_name),
	cmocka_unit_test(what_is_mapped_is_found_also_when_its_file_was_replaced),
	cmocka_unit_test(a_process_that_has_ended_adds_nothing),
};

TEST_FILE(tests);
