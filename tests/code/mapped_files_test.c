/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/mapped_files.h"

#include "base/alloc.h"
#include "collect/collect_dir.h"
#include "support.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void a_line_is_read_with_any_path(void **state)
{
	const struct {
		const char *line;
		struct proc_map map;
	} cases[] = {
		{"55d0c0de0000-55d0c0df1000 r-xp 00002000 fe:01 1234        /usr/bin/cat\n",
		 {.start = 0x55d0c0de0000,
		  .end = 0x55d0c0df1000,
		  .offset = 0x2000,
		  .inode = 1234,
		  .major = 0xfe,
		  .minor = 1,
		  .prot = PROT_READ | PROT_EXEC,
		  .flags = MAP_PRIVATE,
		  .path = (char[]){"/usr/bin/cat"}}},
		{"1000-2000 rw-s 0 00:00 0 /dev/shm/a b  c (deleted)",
		 {.start = 0x1000,
		  .end = 0x2000,
		  .prot = PROT_READ | PROT_WRITE,
		  .flags = MAP_SHARED,
		  .path = (char[]){"/dev/shm/a b  c (deleted)"}}},
		{"1000-2000 ---p 00000000 00:00 0 \n",
		 {.start = 0x1000, .end = 0x2000, .flags = MAP_PRIVATE, .path = (char[]){""}}},
		{"1000-2000 ---p 00000000 00:00 0",
		 {.start = 0x1000, .end = 0x2000, .flags = MAP_PRIVATE, .path = (char[]){""}}},
		{"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]\n",
		 {.start = 0xffffffffff600000,
		  .end = 0xffffffffff601000,
		  .prot = PROT_EXEC,
		  .flags = MAP_PRIVATE,
		  .path = (char[]){"[vsyscall]"}}},
		{"1-2 r-xp 0 0:0 18446744073709551615 /a\\0122000-3000 r-xp 0 0:0 0 /b\n",
		 {.start = 1,
		  .end = 2,
		  .inode = UINT64_MAX,
		  .prot = PROT_READ | PROT_EXEC,
		  .flags = MAP_PRIVATE,
		  .path = (char[]){"/a\\0122000-3000 r-xp 0 0:0 0 /b"}}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct proc_map *want = &cases[i].map;
		char line[256];
		struct proc_map map;
		struct proc_map_lines lines = {.last = {.path = NULL}};

		snprintf(line, sizeof(line), "%s", cases[i].line);
		if (proc_map_next(&map, &lines, line))
			fail_msg("'%s' was refused", cases[i].line);
		assert_int_equal(map.start, want->start);
		assert_int_equal(map.end, want->end);
		assert_int_equal(map.offset, want->offset);
		assert_int_equal(map.inode, want->inode);
		assert_int_equal(map.major, want->major);
		assert_int_equal(map.minor, want->minor);
		assert_int_equal(map.prot, want->prot);
		assert_int_equal(map.flags, want->flags);
		assert_string_equal(map.path, want->path);
		proc_map_lines_release(&lines);
	}
}

static void an_invalid_line_is_refused(void **state)
{
	static const char *const cases[] = {
		"",
		"\n",
		"1000-2000",
		"1000-2000 r-xp",
		"1000-2000 r-xp 0 00:00",
		"1000-2000 r-xp 0 0000 0 /a",
		"1000 2000 r-xp 0 00:00 0 /a",
		"2000-1000 r-xp 0 00:00 0 /a",
		"1000-1000 r-xp 0 00:00 0 /a",
		"1000-2000 r-x 0 00:00 0 /a",
		"1000-2000 r-xpp 0 00:00 0 /a",
		"1000-2000 xwrp 0 00:00 0 /a",
		"1000-2000 r-xq 0 00:00 0 /a",
		"xyz-2000 r-xp 0 00:00 0 /a",
		"1000-2000 r-xp 0 00:00 x /a",
		"Size: 4 kB",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char line[64];
		struct proc_map map;
		struct proc_map_lines lines = {.last = {.path = NULL}};

		snprintf(line, sizeof(line), "%s", cases[i]);
		if (!proc_map_next(&map, &lines, line))
			fail_msg("'%s' was taken", cases[i]);
	}
}

static void a_path_that_is_too_long_is_refused(void **state)
{
	static const char head[] = "1000-2000 r-xp 0 00:00 0 ";
	char line[sizeof(head) + PATH_MAX];
	struct proc_map map;
	struct proc_map_lines lines = {.last = {.path = NULL}};

	(void)state;
	for (size_t length = PATH_MAX - 1; length <= PATH_MAX; length++) {
		memcpy(line, head, sizeof(head));
		memset(line + sizeof(head) - 1, 'a', length);
		line[sizeof(head) - 1 + length] = '\0';
		assert_int_equal(proc_map_next(&map, &lines, line), length < PATH_MAX ? 0 : -1);
		proc_map_lines_release(&lines);
	}
}

static const char maps_text[] = "1000-2000 r--p 00000000 fe:00 11 /bin/a\n"
				"2000-3000 r-xp 00001000 fe:00 11 /bin/a\n"
				"this is no line\n"
				"3000-4000 rw-p 00000000 00:00 0 \n"
				"4000-5000 rwxp 00000000 00:00 0 \n"
				"5000-6000 ---p 00000000 fe:00 11 /bin/a\n"
				"6000-7000 rw-p 00000000 00:00 0 [stack]\n"
				"7000-8000 r-xp 00000000 00:00 0 [vdso]";

static void mapped_code_is_kept_and_data_on_request(void **state)
{
	static const struct {
		bool data;
		const char *starts;
	} cases[] = {{false, "2000 4000 7000 "}, {true, "1000 2000 4000 7000 "}};
	char root[64];

	(void)state;
	dir_make(root);
	dir_put(root, "12/maps", maps_text);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct proc_maps maps = {.maps = NULL};
		char starts[64] = "";

		proc_maps_add(&maps, 12, cases[i].data, root);
		for (size_t k = 0; k < maps.count; k++) {
			size_t used = strlen(starts);

			assert_int_equal(maps.maps[k].pid, 12);
			snprintf(starts + used, sizeof(starts) - used, "%" PRIx64 " ",
				 maps.maps[k].start);
		}
		assert_string_equal(starts, cases[i].starts);
		proc_maps_release(&maps);
	}
	dir_remove(root);
}

static void code_without_a_file_has_the_name_that_perf_gives_it(void **state)
{
	struct proc_maps maps = {.maps = NULL};
	char root[64];

	(void)state;
	dir_make(root);
	dir_put(root, "12/maps", maps_text);
	proc_maps_add(&maps, 12, false, root);
	proc_maps_add(&maps, 13, false, root); /* the process has ended */
	assert_int_equal(maps.count, 3);
	assert_string_equal(maps.maps[0].path, "/bin/a");
	assert_string_equal(maps.maps[1].path, "//anon");
	assert_string_equal(maps.maps[2].path, "[vdso]");
	proc_maps_release(&maps);
	dir_remove(root);
}

static void this_test_is_found_in_proc(void **state)
{
	struct proc_maps maps = {.maps = NULL};
	uint64_t here = (uint64_t)(uintptr_t)this_test_is_found_in_proc;
	int found = 0;

	(void)state;
	proc_maps_add(&maps, getpid(), false, "/proc");
	for (size_t i = 0; i < maps.count; i++)
		found += maps.maps[i].start <= here && here < maps.maps[i].end &&
			 strstr(maps.maps[i].path, "/tests/code/tests");
	assert_int_equal(found, 1);
	proc_maps_release(&maps);
}

/* Writes the maps of this test, in which all of its own code looks changed. */
static void put_changed(const char *root, const char *own)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char text[65536] = "", line[PATH_MAX + 100];
	struct proc_map map;
	struct proc_map_lines lines = {.last = {.path = NULL}};

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		size_t used = strlen(text);

		if (strstr(line, own) && strstr(line, " r-xp ")) {
			assert_int_equal(proc_map_next(&map, &lines, line), 0);
			proc_map_lines_release(&lines);
			snprintf(line, sizeof(line), "%" PRIx64 "-%" PRIx64 " r-xp 0 00:00 0 \n",
				 map.start, map.end);
		}
		snprintf(text + used, sizeof(text) - used, "%s", line);
	}
	fclose(maps);
	dir_put(root, "12/maps", text);
}

static void changed_code_still_belongs_to_its_file(void **state)
{
	uint64_t here = (uint64_t)(uintptr_t)changed_code_still_belongs_to_its_file;
	struct proc_maps is = {.maps = NULL}, said = {.maps = NULL};
	char root[64];
	int found = 0;

	(void)state;
	dir_make(root);
	put_changed(root, "/tests/code/tests");
	proc_maps_add(&is, getpid(), false, "/proc");
	proc_maps_add(&said, 12, false, root);
	assert_int_equal(said.count, is.count);
	for (size_t i = 0; i < is.count; i++) {
		found += is.maps[i].start <= here && here < is.maps[i].end;
		assert_int_equal(said.maps[i].start, is.maps[i].start);
		assert_int_equal(said.maps[i].offset, is.maps[i].offset);
		assert_int_equal(said.maps[i].inode, is.maps[i].inode);
		assert_string_equal(said.maps[i].path, is.maps[i].path);
	}
	assert_int_equal(found, 1);
	proc_maps_release(&is);
	proc_maps_release(&said);
	dir_remove(root);
}

/* --- The kernel ---------------------------------------------------------------------------- */

static void the_kernels_text_ends_at_etext(void **state)
{
	static const struct {
		const char *kallsyms, *path; /* NULL: the length is unknown */
		uint64_t start, size;
	} cases[] = {
		{"ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff81000040 T x_text\n"
		 "ffffffff82000000 T _etext\nffffffff83000000 D _sdata\n",
		 "[kernel.kallsyms]_text", 0xffffffff81000000, 0x1000000},
		{"ffff800080000000 t _head\nffff800080010000 T _stext\n"
		 "ffff800080020000 t f\t[_etext]\nffff800081000000 D _etext\n",
		 "[kernel.kallsyms]_stext", 0xffff800080010000, 0xff0000},
		{"0000000000000000 T _text\n0000000000000000 T _etext\n", NULL, 0, 0},
		{"ffffffff81000000 T _text\n", NULL, 0, 0},
		{"ffffffff81000000 T _etext\n", NULL, 0, 0},
		{"\n T\n_text\nffffffff81000000\n", NULL, 0, 0},
		{"", NULL, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct proc_maps maps = {.maps = NULL};
		char root[64];

		dir_make(root);
		dir_put(root, "kallsyms", cases[i].kallsyms);
		proc_maps_add(&maps, PROC_MAP_KERNEL, false, root);
		assert_int_equal(maps.count, cases[i].path != NULL);
		if (maps.count) {
			assert_int_equal(maps.maps[0].pid, PROC_MAP_KERNEL);
			assert_int_equal(maps.maps[0].start, cases[i].start);
			assert_int_equal(maps.maps[0].offset, cases[i].start);
			assert_int_equal(maps.maps[0].end - maps.maps[0].start, cases[i].size);
			assert_int_equal(maps.maps[0].prot, PROT_EXEC);
			assert_string_equal(maps.maps[0].path, cases[i].path);
		}
		proc_maps_release(&maps);
		dir_remove(root);
	}
}

static void the_kernels_text_is_as_long_as_in_memory(void **state)
{
	static const struct {
		const char *iomem;
		uint64_t size;
	} cases[] = {
		{"00001000-0009ffff : System RAM\n"
		 "00100000-3fffffff : System RAM\n"
		 "  01000000-02208d87 : Kernel code\n"
		 "  02400000-02e08fff : Kernel rodata\n",
		 0x1208d88},
		{"  00000000-00000000 : Kernel code\n", 0x1000000}, /* hidden: up to _etext */
		{"  x : Kernel code\n", 0x1000000},
		{"", 0x1000000},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct proc_maps maps = {.maps = NULL};
		char root[64];

		dir_make(root);
		dir_put(root, "iomem", cases[i].iomem);
		dir_put(root, "kallsyms",
			"ffffffff81000000 T _stext\nffffffff81000000 T _text\n"
			"ffffffff82000000 T _etext\n");
		proc_maps_add(&maps, PROC_MAP_KERNEL, false, root);
		assert_int_equal(maps.count, 1);
		assert_int_equal(maps.maps[0].start, 0xffffffff81000000);
		assert_int_equal(maps.maps[0].end - maps.maps[0].start, cases[i].size);
		proc_maps_release(&maps);
		dir_remove(root);
	}
}

static void modules_have_their_names_in_brackets(void **state)
{
	struct proc_maps maps = {.maps = NULL};
	char root[64];

	(void)state;
	dir_make(root);
	dir_put(root, "modules",
		"ext4 987136 1 - Live 0xffffffffc0a00000\n"
		"jbd2 12288 2 ext4,ocfs2, Live 0xffffffffc0900000 (OE)\n"
		"hidden 4096 0 - Live 0x0000000000000000\n"
		"nothing 0 0 - Live 0xffffffffc0800000\n"
		"round 18446744073709551615 0 - Live 0xffffffffc0800000\n"
		"short 4096 0\n\n");
	proc_maps_add(&maps, PROC_MAP_KERNEL, false, root);
	assert_int_equal(maps.count, 2);
	assert_string_equal(maps.maps[0].path, "[ext4]");
	assert_int_equal(maps.maps[0].start, 0xffffffffc0a00000);
	assert_int_equal(maps.maps[0].end, 0xffffffffc0a00000 + 987136);
	assert_int_equal(maps.maps[0].offset, 0);
	assert_int_equal(maps.maps[0].pid, PROC_MAP_KERNEL);
	assert_string_equal(maps.maps[1].path, "[jbd2]");
	proc_maps_release(&maps);
	dir_remove(root);
}

static void maps_are_read_no_further_than_there_is_time(void **state)
{
	struct proc_maps maps = {.until_ns = 1};

	(void)state;
	proc_maps_add(&maps, getpid(), false, "/proc");
	assert_int_equal(maps.count, 0);
	assert_int_equal(maps.cut, 1);
	maps.until_ns = UINT64_MAX;
	proc_maps_add(&maps, getpid(), false, "/proc");
	assert_true(maps.count > 0);
	proc_maps_release(&maps);
}

/* Writes "12/maps" with so many lines of code. */
static void put_maps(const char *root, size_t lines, const char *path)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	for (size_t i = 1; i <= lines; i++)
		fprintf(file, "%zx-%zx r-xp 00000000 08:01 7 %s\n", i << 12, (i + 1) << 12, path);
	fclose(file);
	dir_put(root, "12/maps", text);
	free(text);
}

static void a_process_of_many_mappings_is_read_in_part_and_counted(void **state)
{
	char path[4000], root[64];
	const struct {
		size_t lines;
		const char *path;
		size_t least, most, cut;
	} cases[] = {
		{3, "/bin/a", 3, 3, 0},
		{PROC_MAPS_LINES_MAX, "", PROC_MAPS_LINES_MAX, PROC_MAPS_LINES_MAX, 0},
		{PROC_MAPS_LINES_MAX + 1, "", PROC_MAPS_LINES_MAX, PROC_MAPS_LINES_MAX, 1},
		{PROC_MAPS_BYTES_MAX / 2000, path, 1000, PROC_MAPS_BYTES_MAX / 4000, 1},
	};

	(void)state;
	memset(path, '/', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct proc_maps maps = {.count = 0};

		dir_make(root);
		put_maps(root, cases[i].lines, cases[i].path);
		proc_maps_add(&maps, 12, false, root);
		assert_in_range(maps.count, cases[i].least, cases[i].most);
		assert_int_equal(maps.cut, cases[i].cut);
		proc_maps_release(&maps);
		dir_remove(root);
	}
}

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

static void a_file_with_several_names_is_there_once(void **state)
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

/* The upgrade of a package replaces files of running programs. */
static void a_mapped_file_is_found_after_another_one_took_its_name(void **state)
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
	/* Only root may open files through map_files; other users know only the path. */
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
	c_library_of_process(&files, 99999999, "/proc");
	assert_int_equal(files.count, 0);
	file_set_release(&files);
}

static void a_process_has_its_program_and_its_library_once(void **state)
{
	struct file_set library = {.count = 0};
	size_t count;

	(void)state;
	c_library_of_process(&library, getpid(), "/proc");
	count = library.count;
	assert_true(has(&library, "/libc"));
	assert_true(has(&library, "/tests/code/tests"));
	c_library_of_process(&library, getpid(), "/proc");
	assert_int_equal(library.count, count);
	file_set_release(&library);
}

static void a_command_is_found_as_a_shell_does(void **state)
{
	struct file_set library = {.count = 0};

	(void)state;
	c_library_of_command(&library, "env");
	assert_true(has(&library, "/env"));
	assert_int_equal(library.count, 2); /* the program and its loader */
	file_set_release(&library);
	c_library_of_command(&library, "no-such-command-anywhere");
	assert_int_equal(library.count, 0);
	file_set_release(&library);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_line_is_read_with_any_path),
	cmocka_unit_test(an_invalid_line_is_refused),
	cmocka_unit_test(a_path_that_is_too_long_is_refused),
	cmocka_unit_test(mapped_code_is_kept_and_data_on_request),
	cmocka_unit_test(code_without_a_file_has_the_name_that_perf_gives_it),
	cmocka_unit_test(this_test_is_found_in_proc),
	cmocka_unit_test(changed_code_still_belongs_to_its_file),
	cmocka_unit_test(the_kernels_text_ends_at_etext),
	cmocka_unit_test(the_kernels_text_is_as_long_as_in_memory),
	cmocka_unit_test(modules_have_their_names_in_brackets),
	cmocka_unit_test(maps_are_read_no_further_than_there_is_time),
	cmocka_unit_test(a_process_of_many_mappings_is_read_in_part_and_counted),
	cmocka_unit_test(a_file_with_several_names_is_there_once),
	cmocka_unit_test(a_mapped_file_is_found_after_another_one_took_its_name),
	cmocka_unit_test(a_process_that_has_ended_adds_nothing),
	cmocka_unit_test(a_process_has_its_program_and_its_library_once),
	cmocka_unit_test(a_command_is_found_as_a_shell_does),
};

TEST_FILE(tests);
