/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/probe_plan.h"

#include "base/err.h"
#include "collect/collect_dir.h"

#include <unistd.h>

#if defined(__x86_64__)

#define SELF "/proc/self/exe"

__attribute__((noinline)) long probe_plan_test_long(long a, long b);
long probe_plan_test_long(long a, long b)
{
	__asm__ volatile("" ::: "memory");
	return a * 7919 + b * 104729;
}

/* A function of two bytes; any function may follow. */
__asm__(".pushsection .text\n"
	".type probe_plan_test_short, @function\n"
	"probe_plan_test_short: xchg %ax, %ax\n ret\n"
	".size probe_plan_test_short, .-probe_plan_test_short\n"
	".type probe_plan_test_no_size, @function\n"
	"probe_plan_test_no_size: add %rdi, %rsi\n mov %rsi, %rax\n ret\n"
	".popsection\n");

static struct probe_plan made(const char *one, const char *other)
{
	const char *const patterns[] = {one, other, NULL};
	const struct probe_options options = {
		.patterns = patterns, .every = 3, .stack_every = 5, .arguments = 2};
	struct probe_plan plan = {.texts = NULL};
	struct err err = {.text = ""};

	if (probe_plan_make(&plan, &options, SELF, &err))
		fail_msg("%s", err.text);
	return plan;
}

static void a_plan_lists_the_changes_of_each_file(void **state)
{
	struct probe_plan plan = made("probe_plan_test_long", "libc:puts");
	char path[4096] = "";
	uint64_t address, base = 0;
	long (*function)(long, long) = probe_plan_test_long;
	struct stat file;

	(void)state;
	assert_true(readlink(SELF, path, sizeof(path) - 1) > 0);
	assert_int_equal(stat(path, &file), 0);
	assert_int_equal(plan.header.magic, PLAN_MAGIC);
	assert_int_equal(plan.header.every, 3);
	assert_int_equal(plan.header.stack_every, 5);
	assert_int_equal(plan.header.arguments, 2);
	assert_int_equal(plan.header.object_count, 2);
	assert_int_equal(plan.header.patch_count, 2);
	assert_int_equal(plan.objects[0].inode, file.st_ino);
	assert_string_equal(plan.texts + plan.objects[0].path, path);
	assert_int_equal(plan.objects[0].patch_count, 1);
	assert_int_equal(plan.objects[1].first_patch, 1);
	assert_string_equal(plan.texts + plan.patches[0].name, "probe_plan_test_long");
	assert_string_equal(plan.texts + plan.patches[1].name, "puts");
	memcpy(&address, &function, sizeof(address));
	assert_int_equal((address - plan.patches[0].block - base) & 0xfff, 0);
	assert_int_equal(plan.texts[plan.header.text_bytes - 1], 0);
	probe_plan_release(&plan);
}

static void a_function_of_the_plan_has_its_name(void **state)
{
	struct probe_plan plan = made("probe_plan_test_long", "libc:p*");
	const struct plan_object *libc = &plan.objects[1];

	(void)state;
	for (uint32_t i = 0; i < libc->patch_count; i++) {
		uint32_t at = libc->first_patch + i;

		assert_string_equal(
			probe_plan_name(&plan, plan.texts + libc->path, plan.offsets[at]),
			plan.texts + plan.patches[at].name);
	}
	assert_null(probe_plan_name(&plan, plan.texts + libc->path, plan.offsets[1] + 1));
	assert_null(probe_plan_name(&plan, "/no/such/file", plan.offsets[1]));
	probe_plan_release(&plan);
}

static void functions_that_cannot_be_watched_are_left_alone_and_reported(void **state)
{
	struct probe_plan plan = made("probe_plan_test_*", "libc:setjmp");
	char *sentence = probe_plan_unwatched(&plan, 8);

	(void)state;
	assert_int_equal(plan.header.patch_count, 1);
	assert_int_equal(plan.unwatched_count, 3);
	assert_non_null(strstr(sentence, "3 of 4 functions are not probed: "));
	assert_non_null(strstr(sentence, "probe_plan_test_no_size has no size"));
	assert_non_null(strstr(sentence, "setjmp returns twice"));
	free(sentence);
	sentence = probe_plan_unwatched(&plan, 1);
	assert_non_null(strstr(sentence, "; -v names all"));
	free(sentence);
	probe_plan_release(&plan);
}

static void a_plan_that_does_nothing_is_refused(void **state)
{
	static const struct {
		const char *pattern, *command, *sentence;
	} cases[] = {
		{"libc:vfork", SELF, "the function cannot be probed: vfork returns twice"},
		{"probe_plan_test_no_size", SELF, "has no size"},
		{"libc:strlen", SELF, "strlen is an indirect function"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const patterns[] = {cases[i].pattern, NULL};
		const struct probe_options options = {.patterns = patterns, .every = 1};
		struct probe_plan plan = {.texts = NULL};
		struct err err = {.text = ""};

		assert_int_equal(probe_plan_make(&plan, &options, cases[i].command, &err), -1);
		if (!strstr(err.text, cases[i].sentence))
			fail_msg("'%s' is not in: %s", cases[i].sentence, err.text);
		probe_plan_release(&plan);
	}
}

static void a_plan_is_written_as_the_library_reads_it(void **state)
{
	struct probe_plan plan = made("probe_plan_test_long", "libc:p*");
	struct plan_header header;
	struct stat file;
	FILE *in = tmpfile();

	(void)state;
	assert_non_null(in);
	assert_int_equal(probe_plan_write(in, &plan), 0);
	rewind(in);
	assert_int_equal(fread(&header, sizeof(header), 1, in), 1);
	assert_memory_equal(&header, &plan.header, sizeof(header));
	assert_int_equal(fstat(fileno(in), &file), 0);
	assert_int_equal(file.st_size, sizeof(header) +
					       header.object_count * sizeof(struct plan_object) +
					       header.patch_count * sizeof(struct plan_patch) +
					       header.text_bytes);
	fclose(in);
	probe_plan_release(&plan);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_plan_lists_the_changes_of_each_file),
	cmocka_unit_test(a_function_of_the_plan_has_its_name),
	cmocka_unit_test(functions_that_cannot_be_watched_are_left_alone_and_reported),
	cmocka_unit_test(a_plan_that_does_nothing_is_refused),
	cmocka_unit_test(a_plan_is_written_as_the_library_reads_it),
};

TEST_FILE(tests);

#else

NO_TESTS;

#endif
