/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/page/report_page.h"

#include "base/err.h"
#include "decode/event/event_source.h"
#include "draw/drawing.h"
#include "report/profile/report_profile.h"
#include "stats/overview/overview.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/profile.h"
#include "support.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A page of a program whose threads and files are called `name`, as if of so many recordings; to be
 * freed.
 */
static char *page_among(const char *name, size_t recordings)
{
	static const char *const rows[] = {"RRRRwwRR..wRRR", NULL};
	struct event_source *source = drawing_source(rows);
	static const struct selection all = {0};
	struct profiler *profiler = profiler_new(source, &all, 0);
	struct overview_reader *reader = overview_reader_new(profiler);
	struct page *page = page_new(recordings);
	struct overview overview;
	struct overhead overhead;
	struct profile profile;
	struct err err = {.text = ""};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	profiler_watch(profiler, overview_reader_take, reader);
	if (profiler_run(profiler, &err))
		fail_msg("%s", err.text);
	profiler_profile(&profile, profiler);
	overview_init(&overview, reader, &profile);
	for (size_t i = 0; i < profile.thread_count; i++)
		thread_name_label(&profile.threads[i].name, name);
	source->target.command = strdup(name);
	source->target.kernel = strdup(name);
	overhead_init(&overhead, &profile, &source->target);
	page_begin(page,
		   &(struct page_recording){.file = name,
					    .profile = &(struct profile_view){.profile = &profile,
									      .overhead = &overhead,
									      .again = name},
					    .target = &source->target});
	err_set(&err, "%s: is refused; try %s", name, name);
	page_forecast(page, NULL, &err);
	page_overview(page, &overview, NULL);
	page_end(page);
	page_write(page, out);
	fclose(out);
	page_free(page);
	overview_release(&overview);
	overview_reader_free(reader);
	profile_release(&profile);
	profiler_free(profiler);
	event_source_free(source);
	return text;
}

static char *page_of(const char *name)
{
	return page_among(name, 1);
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	while ((text = strstr(text, part)) && ++count)
		text++;
	return count;
}

/* Of the page the JSON. */
static json_t *data_of(const char *page)
{
	static const char mark[] = "id=\"pscal-data\">";
	const char *at = strstr(page, mark), *end;
	json_error_t error;
	json_t *json;

	assert_non_null(at);
	at += strlen(mark);
	end = strstr(at, "</script>");
	assert_non_null(end);
	json = json_loadb(at, (size_t)(end - at), 0, &error);
	if (!json)
		fail_msg("%s", error.text);
	return json;
}

static const char *const hostile[] = {
	"</script><script>alert(1)</script>",
	"<!--<script>",
	"--><img src=x onerror=alert(1)>",
	"]]></style><svg onload=alert(1)>",
	"'\"&<>`",
	"<!--pscal:data-->/*pscal:js*/",
	"\x01\x1b[31m\x7f",
	"\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xae",
	"\xff\xfe\xc0\x80\xed\xa0\x80",
	"%s%n",
};

static void no_name_is_anything_but_text(void **state)
{
	char *plain = page_of("plain");

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		static const char *const ends[] = {
			"<script", "</script", "<style", "</style",	 "<!--",	 "<img",
			"<svg",	   "\x1b",     "\x01",	 "\xe2\x80\xa8", "\xe2\x80\xae", "\xff"};
		char *page = page_of(hostile[i]);
		json_t *json = data_of(page);

		for (size_t j = 0; j < sizeof(ends) / sizeof(ends[0]); j++)
			assert_int_equal(count_of(page, ends[j]), count_of(plain, ends[j]));
		json_decref(json);
		free(page);
	}
	free(plain);
}

static void a_name_is_the_same_in_the_data(void **state)
{
	char *page = page_of("</script> & \"it\"");
	json_t *json = data_of(page), *recording;

	(void)state;
	recording = json_array_get(json_object_get(json, "recordings"), 0);
	assert_string_equal(json_string_value(json_object_get(recording, "file")),
			    "</script> & \"it\"");
	assert_string_equal(
		json_string_value(json_object_get(
			json_array_get(json_object_get(recording, "threads"), 0), "name")),
		"</script> & \"it\"");
	json_decref(json);
	free(page);
}

static void a_refused_forecast_has_its_hint(void **state)
{
	char *page = page_of("a.data");
	json_t *json = data_of(page), *forecast;

	(void)state;
	forecast =
		json_object_get(json_array_get(json_object_get(json, "recordings"), 0), "forecast");
	assert_non_null(strstr(json_string_value(json_object_get(forecast, "refused")),
			       "a.data: is refused"));
	assert_string_equal(json_string_value(json_object_get(forecast, "hint")), "try a.data");
	json_decref(json);
	free(page);
}

static void where_there_is_no_room_the_finest_bins_are_left_out(void **state)
{
	static const struct {
		size_t recordings, levels;
	} cases[] = {{1, 3}, {100000, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *page = page_among("name", cases[i].recordings);
		json_t *json = data_of(page), *recording, *states;

		recording = json_array_get(json_object_get(json, "recordings"), 0);
		states = json_object_get(recording, "states");
		assert_int_equal(json_array_size(json_object_get(recording, "cpus")),
				 cases[i].levels);
		assert_int_equal(json_array_size(json_object_get(states, "bin_s")),
				 cases[i].levels);
		assert_int_equal(json_array_size(json_object_get(recording, "left_out")),
				 cases[i].levels < 3);
		json_decref(json);
		free(page);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(where_there_is_no_room_the_finest_bins_are_left_out),
	cmocka_unit_test(no_name_is_anything_but_text),
	cmocka_unit_test(a_name_is_the_same_in_the_data),
	cmocka_unit_test(a_refused_forecast_has_its_hint),
};

TEST_FILE(tests);
