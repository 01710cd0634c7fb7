/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/model_file.h"

#include "base/err.h"
#include "base/io/input.h"
#include "model/file/model.h"
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct model read_one(const char *path)
{
	struct model model;
	struct err err = {.text = ""};

	if (model_read_file(&model, path, &err))
		fail_msg("%s", err.text);
	return model;
}

static char *text_of(const struct model *model)
{
	struct err err;
	char *text;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_int_equal(model_write(model, stream, &err), 0);
	fclose(stream);
	return text;
}

static struct model read_again(const char *text)
{
	struct err err = {.text = ""};
	struct model model;

	if (model_read_text(&model, text, strlen(text), &err))
		fail_msg("%s: %s", err.text, text);
	return model;
}

/* --- Reading -------------------------------------------------------------------------------------- */

static void a_model_can_be_written_by_hand_in_few_words(void **state)
{
	struct model model = read_one("tests/data/model/pool.json");
	const struct model_pool *pool = &model.pools[0];

	(void)state;
	assert_int_equal(model.machine.cores, 2);
	assert_int_equal(model.sources[0].kind, MODEL_OPEN);
	assert_close(model.sources[0].rate, 600, 0);
	assert_int_equal(model.sources[0].to[0], 0);
	assert_int_equal(pool->threads, 4);
	assert_close(pool->cpu_scale, 1, 0);
	assert_int_equal(pool->dispatch, MODEL_SHARED);
	assert_int_equal(pool->node_count, 5);
	assert_int_equal(pool->nodes[0].time.kind, DISTRIBUTION_FIXED);
	assert_int_equal(pool->nodes[1].edges[0].to, 2);
	assert_int_equal(pool->nodes[2].station, 1);
	assert_int_equal(pool->nodes[4].edge_count, 0);
	assert_string_equal(pool->nodes[3].where, "note");
	model_release(&model);
}

static void a_file_has_all_that_a_model_has(void **state)
{
	struct model model = read_one("tests/data/model/every.json");

	(void)state;
	assert_int_equal(model.machine.slowdown_count, 3);
	assert_int_equal(model.sources[0].gaps.kind, DISTRIBUTION_HYPER);
	assert_int_equal(model.sources[1].gaps.kind, DISTRIBUTION_FIXED);
	assert_int_equal(model.sources[1].to_count, 2);
	assert_int_equal(model.sources[2].clients, 20);
	assert_int_equal(model.sources[2].threads, 2);
	assert_int_equal(model.sources[3].items, 1000);
	assert_true(model.stations[0].bounded);
	assert_int_equal(model.stations[0].limit, 100);
	assert_false(model.stations[1].bounded);
	assert_int_equal(model.stations[3].servers, 8);
	assert_true(model.stations[4].per_thread);
	assert_int_equal(model.stations[5].service.phases, 3);
	assert_int_equal(model.pools[0].nodes[0].edges[2].to, MODEL_NONE);
	assert_int_equal(model.pools[0].nodes[1].edges[0].to, MODEL_NONE);
	assert_int_equal(model.pools[0].nodes[5].edges[0].to, 0);
	assert_close(model.pools[0].cpu_growth, .05, 0);
	assert_close(model.pools[0].cpu_growth_se, .004, 0);
	assert_close(model.pools[0].cpu_growth_until, 8, 0);
	assert_int_equal(model.pools[1].visit_count, 3);
	assert_int_equal(model.pools[1].step_count, 5);
	assert_int_equal(model.pools[1].visits[2].first, 3);
	assert_true(model.pools[1].fixed);
	assert_true(model.has_check);
	assert_close(model.check.throughput_per_s.model, 589.2, 0);
	assert_true(isnan(model.check.response_s.model));
	assert_int_equal(model.check.items[0].pool, 0);
	assert_int_equal(model.check.items[1].station, 2);
	assert_true(model.stations[6].group_commit);
	assert_close(model.stations[7].deepest, 4, 0);
	model_release(&model);
}

/* Values take far more memory than their bytes; characters in a name are no values. */
static void a_model_has_no_more_values_than_fit(void **state)
{
	static const struct {
		const char *unit;
		size_t count;
		bool refused;
	} cases[] = {{"[],", MODEL_VALUES_MAX / 2 + 1, true},
		     {"{},", MODEL_VALUES_MAX / 2 + 1, true},
		     {"1,", MODEL_VALUES_MAX + 1, true},
		     {"\",[\",", MODEL_VALUES_MAX / 8, false},
		     {"\"\\\",[\",", MODEL_VALUES_MAX / 8, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t length = strlen(cases[i].unit), size = cases[i].count * length + 3;
		char *text = calloc(size, 1);
		struct err err = {.text = ""};
		struct model model;

		text[0] = '[';
		for (size_t at = 1; at + length < size; at += length)
			memcpy(text + at, cases[i].unit, length);
		memcpy(text + size - 2, "1]", 2);
		assert_int_equal(model_read_text(&model, text, size, &err), -1);
		assert_int_equal(
			!strcmp(err.text, "it has more than 2000000 values; a model has fewer"),
			cases[i].refused);
		free(text);
	}
}

static void gaps_alone_have_a_rate(void **state)
{
	struct model model = read_again(
		"{\"schema\": 1, \"arrivals\": [{\"name\": \"a\", \"kind\": \"open\", \"gaps\": "
		"0.25, "
		"\"to\": \"q\"}], \"stations\": [{\"name\": \"q\", \"kind\": \"queue\"}], "
		"\"pools\": [{\"name\": \"p\", \"takes\": \"q\", \"graph\": []}]}");

	(void)state;
	assert_close(model.sources[0].rate, 4, 1e-12);
	assert_int_equal(model.pools[0].threads, 1);
	model_release(&model);
}

/* --- Writing --------------------------------------------------------------------------------------- */

static void a_written_model_reads_the_same_again(void **state)
{
	static const char *const paths[] = {"tests/data/model/mm1.json",
					    "tests/data/model/pool.json",
					    "tests/data/model/every.json"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct model model = read_one(paths[i]), again, copy;
		char *text = text_of(&model), *text_again, *text_copy;

		again = read_again(text);
		model_copy(&copy, &model);
		model_release(&model);
		text_again = text_of(&again);
		text_copy = text_of(&copy);
		assert_string_equal(text_again, text);
		assert_string_equal(text_copy, text);
		model_release(&again);
		model_release(&copy);
		free(text);
		free(text_again);
		free(text_copy);
	}
}

static void numbers_are_read_as_they_were_written(void **state)
{
	static const double numbers[] = {1. / 3, 589.4, 1e-9, 0x1.fffffffffffffp20, 1e9, 4};
	struct model model = read_one("tests/data/model/every.json"), again;

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		float seconds = (float)numbers[i];
		char *text;

		model.sources[0].rate = numbers[i];
		model.pools[1].steps[0].seconds = seconds;
		text = text_of(&model);
		again = read_again(text);
		assert_memory_equal(&again.sources[0].rate, &numbers[i], sizeof(double));
		assert_memory_equal(&again.pools[1].steps[0].seconds, &seconds, sizeof(float));
		model_release(&again);
		free(text);
	}
	model_release(&model);
}

static void names_that_are_no_text_are_written_unchanged(void **state)
{
	struct model model = read_one("tests/data/model/mm1.json"), again;
	char *text;

	(void)state;
	free(model.pools[0].name);
	model.pools[0].name = strdup("w\xff\n\"r");
	text = text_of(&model);
	again = read_again(text);
	assert_string_equal(again.pools[0].name, "w?\n\"r");
	model_release(&again);
	model_release(&model);
	free(text);
}

/* --- Errors ----------------------------------------------------------------------------------------- */

#define QUEUE	"{\"name\": \"q\", \"kind\": \"queue\"}"
#define SOURCE	"{\"name\": \"s\", \"kind\": \"open\", \"rate\": 1, \"to\": \"q\"}"
#define POOL(x) "{\"name\": \"p\", \"takes\": \"q\"" x "}"
#define MODEL(sources, stations, pools)                                               \
	"{\"schema\": 1, \"arrivals\": [" sources "], \"stations\": [" stations "], " \
	"\"pools\": [" pools "]}"
#define GRAPH(x) MODEL(SOURCE, QUEUE, POOL(", \"graph\": [" x "]"))

static const struct {
	const char *text, *says;
} wrong[] = {
	{"{\"schema\": 1,\n \"arrivals\": [}", "line 2, column "},
	{"[]", "it is not an object"},
	{"{}", "it has no \"schema\"; a model begins with {\"schema\": 1"},
	{"{\"schema\": 2}", "schema: it is 2; this version of pscal reads models of 1"},
	{"{\"fresh\": 7, \"schema\": 2}",
	 "schema: it is 2; this version of pscal reads models of 1"},
	{"{\"schema\": 1}", "arrivals: there are none"},
	{"{\"schema\": 1, \"stationes\": []}",
	 "there is no \"stationes\"; did you mean 'stations'?"},
	{MODEL("{\"name\": \"s\", \"kind\": \"open\", \"to\": \"q\"}", QUEUE, POOL("")),
	 "arrivals[0].rate: it is 0; give 1e-09 to 1e+09"},
	{MODEL("{\"name\": \"s\", \"kind\": \"open\", \"rate\": 1e308, \"to\": \"q\"}", QUEUE,
	       POOL("")),
	 "arrivals[0].rate: it is 1e+308"},
	{MODEL("{\"name\": \"s\", \"kind\": \"open\", \"rate\": 1, \"to\": \"k\"}", QUEUE,
	       POOL("")),
	 "arrivals[0].to: there is no station \"k\""},
	{MODEL("{\"name\": \"s\", \"rate\": 1, \"to\": \"q\"}", QUEUE, POOL("")),
	 "arrivals[0]: it has no \"kind\"; give \"open\" or \"closed\" or \"batch\""},
	{MODEL("{\"name\": \"s\", \"kind\": \"opened\", \"rate\": 1, \"to\": \"q\"}", QUEUE,
	       POOL("")),
	 "arrivals[0].kind: it is \"opened\"; give \"open\" or \"closed\" or \"batch\""},
	{MODEL(SOURCE, QUEUE, ""), "arrivals[0].to: no pool takes from \"q\""},
	{MODEL(SOURCE, QUEUE ", {\"name\": \"q\", \"kind\": \"lock\"}", POOL("")),
	 "stations[1].name: \"q\" is the name of something else"},
	{MODEL(SOURCE, QUEUE, POOL(", \"threads\": 0")),
	 "pools[0].threads: it is 0; give a whole number from 1 to 100000"},
	{MODEL(SOURCE, QUEUE, POOL(", \"threads\": 100001")), "pools[0].threads: it is 100001"},
	{MODEL(SOURCE, QUEUE, POOL(", \"threads\": 1.5")), "pools[0].threads: it is 1.5"},
	{MODEL(SOURCE, QUEUE, POOL(", \"theads\": 1")),
	 "pools[0]: there is no \"theads\"; did you mean 'threads'?"},
	{MODEL(SOURCE, QUEUE, POOL(", \"visits\": [[[0, 1]]]")),
	 "pools[0].visits[0][0]: there is no step 0 in the graph"},
	{MODEL(SOURCE, QUEUE, POOL(", \"threads\": 2, \"connections\": [1, 2, 3]")),
	 "pools[0].connections: it has 3 numbers, and the pool 2 threads"},
	{GRAPH("{\"kind\": \"acquire\"}"), "pools[0].graph[0].station: there is none"},
	{GRAPH("{\"kind\": \"acquire\", \"station\": \"q\"}"),
	 "pools[0].graph[0].station: \"q\" is of another kind"},
	{GRAPH("{\"kind\": \"cpu\", \"station\": \"C\"}"),
	 "pools[0].graph[0].station: there is no station \"C\""},
	{GRAPH("{\"kind\": \"cpu\", \"next\": [[0, 0.5]]}"), "the shares add up to 0.5"},
	{GRAPH("{\"kind\": \"cpu\", \"next\": 7}"), "next: there is no step 7"},
	{GRAPH("{\"kind\": \"cpu\", \"time\": -1}"), "time: the mean is -1"},
	{GRAPH("{\"kind\": \"cpu\", \"time\": {\"exponential\": 1e300}}"), "the mean is 1e+300"},
	{GRAPH("{\"kind\": \"cpu\", \"time\": {\"expo\": 1}}"),
	 "there is no kind of time \"expo\""},
	{GRAPH("{\"kind\": \"cpu\", \"time\": {\"erlang\": [0, 1]}}"), "it has 0 phases"},
	{GRAPH("{\"kind\": \"cpu\", \"time\": {\"hyper\": [1, 0.5]}}"),
	 "the squared coefficient of variation is 0.5"},
	{GRAPH("{\"kind\": \"cpu\", \"time\": {\"quantiles\": [1, 2]}}"), "it has 2 quantiles"},
	{MODEL(SOURCE, "{\"name\": \"q\", \"kind\": \"queue\", \"limit\": -1}", POOL("")),
	 "stations[0].limit: it is -1"},
	{MODEL(SOURCE, "{\"name\": \"q\", \"kind\": \"queue\", \"servers\": 2}", POOL("")),
	 "stations[0]: servers: only the kind \"lock\" or \"disk\" has it"},
	{MODEL("{\"name\": \"s\", \"kind\": \"closed\", \"rate\": 1, \"to\": \"q\"}", QUEUE,
	       POOL("")),
	 "arrivals[0]: rate: only the kind \"open\" has it"},
	{MODEL(SOURCE, "{\"name\": \"q\", \"kind\": \"queue\", \"service\": 0.01}", POOL("")),
	 "stations[0]: service: only the kind \"disk\" or \"delay\" has it"},
	{MODEL(SOURCE, QUEUE ", {\"name\": \"l\", \"kind\": \"lock\", \"service\": 0.01}",
	       POOL("")),
	 "stations[1]: service: only the kind \"disk\" or \"delay\" has it"},
	{MODEL(SOURCE,
	       QUEUE ", {\"name\": \"d\", \"kind\": \"disk\", \"servers\": 2, "
		     "\"group_commit\": true}",
	       POOL("")),
	 "stations[1]: servers: a group commit has one"},
	{MODEL(SOURCE, QUEUE ", {\"name\": \"d\", \"kind\": \"disk\", \"deepest\": 2}", POOL("")),
	 "stations[1]: deepest: only the kind \"delay\" has it"},
	{MODEL(SOURCE, QUEUE ", {\"name\": \"d\", \"kind\": \"delay\", \"deepest\": 1e6}",
	       POOL("")),
	 "stations[1].deepest: it is 1e+06; give 0 to 100000"},
	{GRAPH("{\"kind\": \"done\", \"time\": 1}"),
	 "pools[0].graph[0]: time: only the kind \"cpu\" or \"wait\" has it"},
	{"{\"schema\": 1, \"machine\": {\"slowdown\": [1, -1]}, \"arrivals\": [" SOURCE "], "
	 "\"stations\": [" QUEUE "], \"pools\": [" POOL("") "]}",
	 "machine.slowdown[1]: it is -1; give 0.001 to 1000"},
};

static void a_wrong_file_is_refused_with_the_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct model model;
		struct err err = {.text = ""};

		if (!model_read_text(&model, wrong[i].text, strlen(wrong[i].text), &err))
			fail_msg("read: %s", wrong[i].text);
		if (!strstr(err.text, wrong[i].says))
			fail_msg("\"%s\" lacks \"%s\"", err.text, wrong[i].says);
	}
}

static bool is_model(const char *path)
{
	struct err err;
	struct input *input = input_open(path, INPUT_OF_ANYONE, &err);
	bool is = model_input_is(input);

	input_close(input);
	return is;
}

static void models_are_distinguished_from_other_files(void **state)
{
	(void)state;
	assert_true(is_model("tests/data/model/mm1.json"));
	assert_true(is_model(file_with(" \n{", 3)));
	assert_false(is_model(file_with(" \0{", 3)));
	assert_false(is_model("tests/data/SOURCES.md"));
}

/* --- Setting ------------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	double value;
	const char *has; /* part of the file then */
} settings[] = {
	{"machine.cores", 8, "\"cores\": 8"},
	{"machine.wake_s", 5e-6, "\"wake_s\": 5e-06"},
	{"web.rate", 250.25, "\"rate\": 250.25"},
	{"people.clients", 7, "\"clients\": 7"},
	{"people.think", .5, NULL},
	{"people.think.exponential", .5, NULL},
	{"people.think.lognormal[0]", 3, "{\"lognormal\": [3, 2]}"},
	{"files.items", 12, "\"items\": 12"},
	{"A.limit", 7, "\"limit\": 7"},
	{"C.limit", 0, "\"limit\": 0"},
	{"connections.servers", 3, "\"servers\": 3"},
	{"sda.service.erlang[1]", .25, "{\"erlang\": [3, 0.25]}"},
	{"worker.threads", 32, "\"threads\": 32"},
	{"worker.threads", 0, NULL},
	{"worker.threads", 2.5, NULL},
	{"worker.scale.cpu", .5, "\"cpu\": 0.5"},
	{"worker.graph[0].time.exponential", .125, "{\"exponential\": 0.125}"},
	{"worker.graph[9].time", 1, NULL},
	{"worker.name", 1, NULL},
	{"worker", 1, NULL},
	{"unknown.threads", 1, NULL},
	{"worker.thread", 1, NULL},
	{"worker.threads", NAN, NULL},
	{"", 1, NULL},
};

static void any_number_can_be_set_by_its_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		struct model model = read_one("tests/data/model/every.json");
		char *before = text_of(&model), *after;
		struct err err = {.text = ""};
		int rc = model_set(&model, settings[i].name, settings[i].value, &err);

		after = text_of(&model);
		assert_int_equal(rc, settings[i].has ? 0 : -1);
		if (settings[i].has)
			assert_non_null(strstr(after, settings[i].has));
		else
			assert_string_equal(after, before);
		assert_int_equal(model.pools[1].visit_count, 3);
		model_release(&model);
		free(before);
		free(after);
	}
}

static void a_missing_name_is_answered_with_similar_ones(void **state)
{
	struct model model = read_one("tests/data/model/pool.json");
	struct err err;

	(void)state;
	assert_int_equal(model_set(&model, "wroker.threads", 1, &err), -1);
	assert_string_equal(err.text, "the model has no number \"wroker.threads\"; did you mean "
				      "'worker.threads'?");
	assert_int_equal(model_set(&model, "x", 1, &err), -1);
	assert_string_equal(
		err.text, "the model has no number \"x\"; it has machine.cores, machine.switch_s, "
			  "main.rate, B.servers, worker.threads, worker.scale.wait, "
			  "worker.scale.cpu");
	model_release(&model);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_model_can_be_written_by_hand_in_few_words),
	cmocka_unit_test(a_file_has_all_that_a_model_has),
	cmocka_unit_test(a_model_has_no_more_values_than_fit),
	cmocka_unit_test(gaps_alone_have_a_rate),
	cmocka_unit_test(a_written_model_reads_the_same_again),
	cmocka_unit_test(numbers_are_read_as_they_were_written),
	cmocka_unit_test(names_that_are_no_text_are_written_unchanged),
	cmocka_unit_test(a_wrong_file_is_refused_with_the_place),
	cmocka_unit_test(models_are_distinguished_from_other_files),
	cmocka_unit_test(any_number_can_be_set_by_its_name),
	cmocka_unit_test(a_missing_name_is_answered_with_similar_ones),
};

TEST_FILE(tests);
