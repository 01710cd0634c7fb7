/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/page/report_page.h"

#include "base/err.h"
#include "decode/event/event_source.h"
#include "draw/drawing.h"
#include "model/file/model_file.h"
#include "model/forecast/model_forecast.h"
#include "report/model/report_model.h"
#include "report/profile/report_profile.h"
#include "report/stretch/report_stretch.h"
#include "stats/overview/overview.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/profile.h"
#include "stats/stretch/stretch.h"
#include "support.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_model(struct page *page)
{
	static const char text[] =
		"{\"schema\": 1, \"arrivals\": [{\"name\": \"a\", \"kind\": \"open\", \"rate\": "
		"100, "
		"\"to\": \"A\"}], \"stations\": [{\"name\": \"A\", \"kind\": \"queue\"}], "
		"\"pools\": "
		"[{\"name\": \"p\", \"takes\": \"A\", \"graph\": [{\"kind\": \"wait\", \"time\": "
		"{\"exponential\": 0.004}}]}]}";
	struct model_result result;
	struct model model;
	struct err err;

	if (model_read_text(&model, text, strlen(text), &err) ||
	    model_self_check(&result, &model, &err))
		fail_msg("%s", err.text);
	err_set(&err, "none was asked for");
	page_model(page, &(struct model_view){.model = &model, .result = &result}, NULL, &err);
	model_result_release(&result);
	model_release(&model);
}

/* Data of one function with equal work in both runs. */
static void put_stretch(struct page *page)
{
	static const struct rate_ratio unknown = {NAN, NAN, NAN};
	static const char *const paths[] = {"serial", "parallel"};
	static const struct stretch_run runs[2];
	char name[] = "a";
	size_t parallel = 1;
	struct stretch_region block = {.function = name, .level = -1};
	struct stretch_cell cell = {.seconds = 1, .stretch = unknown, .share = NAN};
	struct stretch_row row = {.block = &block, .serial_s = 1, .cells = &cell};
	struct stretch_column column = {.cores = 2,
					.threads = 2,
					.runs = &parallel,
					.run_count = 1,
					.work_s = 1,
					.stretch = unknown};
	const struct stretch stretch = {.runs = runs,
					.run_count = 2,
					.base_count = 1,
					.serial_s = 1,
					.rows = &row,
					.row_count = 1,
					.columns = &column,
					.column_count = 1};

	page_stretch(page, &(struct stretch_view){.stretch = &stretch, .paths = paths});
}

/*
 * The page of a program whose threads and files have the name `name`, with so many recordings; the
 * caller frees it.
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
	for (size_t i = 0; i < recordings && i < PAGE_RECORDINGS; i++) {
		page_begin(page, &(struct page_recording){
					 .file = name,
					 .profile = &(struct profile_view){.profile = &profile,
									   .overhead = &overhead,
									   .again = name},
					 .target = &source->target});
		err_set(&err, "%s: is refused; try %s", name, name);
		page_forecast(page, NULL, &err);
		page_overview(page, &overview, NULL);
		put_model(page);
		page_end(page);
	}
	if (recordings > 1)
		put_stretch(page);
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

/* The JSON data of the page. */
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

static void names_are_only_text(void **state)
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

static bool is_among(const json_t *names, const char *name)
{
	for (size_t i = 0; i < json_array_size(names); i++)
		if (strcmp(json_string_value(json_array_get(names, i)), name) == 0)
			return true;
	return false;
}

static void parts_without_room_are_listed_and_left_out(void **state)
{
	static const struct {
		size_t recordings, levels;
		bool fits;
	} cases[] = {{2, 3, true}, {100000, 1, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *page = page_among("name", cases[i].recordings);
		json_t *json = data_of(page), *recording, *left;
		bool fits = cases[i].fits;

		recording = json_array_get(json_object_get(json, "recordings"), 0);
		left = json_object_get(recording, "left_out");
		assert_int_equal(json_array_size(json_object_get(recording, "cpus")),
				 cases[i].levels);
		assert_int_equal(is_among(left, "the shortest intervals"), !fits);
		assert_int_equal(is_among(left, "the performance model"), !fits);
		assert_int_equal(json_is_object(json_object_get(recording, "model")), fits);
		assert_int_equal(count_of(page, "<h3>Performance model</h3>"), fits ? 2 : 0);
		if (!fits)
			assert_int_equal(count_of(page, "<figure class=\"network\""), 0);
		left = json_object_get(json, "left_out");
		assert_int_equal(is_among(left, "work inflation"), !fits);
		assert_int_equal(json_is_object(json_object_get(json, "stretch")), fits);
		assert_int_equal(count_of(page, "<h3>Work inflation</h3>"), fits);
		json_decref(json);
		free(page);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(parts_without_room_are_listed_and_left_out),
	cmocka_unit_test(names_are_only_text),
	cmocka_unit_test(a_name_is_the_same_in_the_data),
	cmocka_unit_test(a_refused_forecast_has_its_hint),
};

TEST_FILE(tests);
