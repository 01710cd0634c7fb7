/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/perfdata_tail.h"

#include "decode/perfdata_bytes.h"
#include "decode/trace_input.h"
#include "support.h"

#include <fcntl.h>
#include <unistd.h>

/* Threads that were there before come last, after many rounds. */
static struct bytes make_file(const char *cmdline)
{
	struct perfdata_bytes file = {.cmdline = cmdline};

	for (uint64_t i = 0; i < 4; i++) {
		add_switch(&file, 1000 + i, 0, 5, 1, 6);
		add_round(&file);
	}
	add_fork(&file, 1500, 5, 5, 5, 7); /* this one is new, and stays where it is */
	add_fork(&file, 0, 1, 50, 1, 5);
	add_comm(&file, 50, 5, "late");
	return perfdata_join(&file);
}

/* The kinds of events as letters, those that tell who is who small. */
static void check_input(const char *path, const char *want)
{
	static const char letters[] = {
		[EVENT_SWITCH] = 'S', [EVENT_FORK] = 'F', [EVENT_TASK] = 't'};
	struct event_source *source;
	char got[32] = "", *at = got;
	struct err err = {""};
	struct event event;

	source = trace_input_read(input_open(path, &err), &err);
	assert_non_null(source);
	while (event_source_next(source, &event, &err) > 0 && at < got + sizeof(got) - 1)
		*at++ = letters[event.kind];
	assert_string_equal(got, want);
	assert_int_equal(source->quality.malformed, 0);
	event_source_free(source);
}

static void check(const char *cmdline, const char *want)
{
	struct bytes bytes = make_file(cmdline);

	check_input(file_with(bytes.at, bytes.count), want);
	free(bytes.at);
}

static void names_at_the_end_of_a_file_come_first(void **state)
{
	(void)state;
	check("perf record --tail-synthesize", "ttSSSSF");
}

static void a_file_is_not_read_twice_without_need(void **state)
{
	(void)state;
	check("perf record", "SSSttSF");
	check(NULL, "SSSttSF");
}

/* `pscal profile < perf.data`: a file that has no name here. */
static void standard_input_is_read_twice_as_well(void **state)
{
	struct bytes bytes = make_file("perf record --tail-synthesize");
	int own = dup(STDIN_FILENO), fd = open(file_with(bytes.at, bytes.count), O_RDONLY);

	(void)state;
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	check_input("-", "ttSSSSF");
	if (own >= 0)
		dup2(own, STDIN_FILENO);
	close(own);
	close(fd);
	free(bytes.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_at_the_end_of_a_file_come_first),
		cmocka_unit_test(standard_input_is_read_twice_as_well),
		cmocka_unit_test(a_file_is_not_read_twice_without_need),
	};

	return RUN_TESTS(tests);
}
