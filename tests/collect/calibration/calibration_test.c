/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calibration/calibration.h"

#include "base/err.h"
#include "collect/collect_dir.h"
#include "collect/kernel/cpu_list.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static void the_largest_cache_counts(void **state)
{
	static const struct {
		const char *sizes[3]; /* of index0, index1, ... */
		uint64_t bytes;
	} cases[] = {
		{{"48K\n", "1024K\n", "32768K\n"}, 32 << 20},
		{{"2M\n", "32K\n"}, 2 << 20},
		{{"none\n"}, 0},
		{{NULL}, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char root[64];

		dir_make(root);
		for (int k = 0; k < 3 && cases[i].sizes[k]; k++) {
			char path[128];

			snprintf(path, sizeof(path),
				 "sys/devices/system/cpu/cpu1/cache/index%d/size", k);
			dir_put(root, path, cases[i].sizes[k]);
		}
		assert_int_equal(calibration_cache_bytes(root, 1), cases[i].bytes);
		assert_int_equal(calibration_cache_bytes(root, 0), 0);
		dir_remove(root);
	}
}

static void count_shown(void *context, uint64_t done, uint64_t size)
{
	size_t *shown = context;

	assert_int_equal(done, ++*shown);
	assert_int_equal(size, 3);
}

/* The slowdown depends on the machine; that of one core against itself is 1. */
static void each_point_is_relative_to_one_core(void **state)
{
	size_t shown = 0, allowed = 0;
	const struct calibration_request request = {
		.sample_s = .001, .rounds = 3, .show = count_shown, .context = &shown};
	struct cpu_mask mask = {{false}};
	struct calibration calibration;
	struct err err;

	(void)state;
	assert_int_equal(calibration_measure(&calibration, &request, &err), 0);
	assert_int_equal(shown, 3);
	assert_int_equal(cpu_mask_add_affinity(&mask, 0), 0);
	for (size_t i = 0; i < CPU_LIST_MAX; i++)
		allowed += mask.has[i];
	assert_int_equal(calibration.speed_count, 1);
	assert_true(calibration.speeds[0].time_s > 0);
	for (int kernel = 0; kernel < CALIBRATION_KERNELS; kernel++)
		assert_true(isfinite(calibration.speeds[0].rate[kernel]) &&
			    calibration.speeds[0].rate[kernel] > 0);
	assert_int_equal(calibration.points[0].cores, 1);
	assert_int_equal(calibration.points[calibration.count - 1].cores, allowed);
	for (size_t i = 0; i < calibration.count; i++)
		for (int kernel = 0; kernel < CALIBRATION_KERNELS; kernel++) {
			const struct calibration_point *point = &calibration.points[i];

			if (i)
				assert_true(point->cores > calibration.points[i - 1].cores);
			else
				assert_close(point->slowdown[kernel], 1, 0);
			assert_true(isfinite(point->slowdown[kernel]) &&
				    point->slowdown[kernel] > 0);
			assert_true(point->noise[kernel] >= 0);
		}
	calibration_release(&calibration);
}

#define CPU "processor\t: 0\nmodel name\t: Some CPU, 3 GHz\n"

static struct calibration some_calibration(struct calibration_point points[2])
{
	points[0] = (struct calibration_point){1, {1, 1}, {0, 0}};
	points[1] = (struct calibration_point){2, {1.0125, 1.75}, {.01, .2}};
	return (struct calibration){
		.points = points, .count = 2, .buffer_bytes = 1 << 26, .others = .25};
}

static void a_kept_calibration_is_read_again(void **state)
{
	struct calibration_point points[2];
	struct calibration before = some_calibration(points), after;
	char root[64], path[128];
	struct err err;

	(void)state;
	dir_make(root);
	dir_put(root, "proc/cpuinfo", CPU);
	snprintf(path, sizeof(path), "%s/a/b/calibration.json", root);
	for (int times = 0; times < 2; times++) { /* the second one replaces the first */
		before.others -= .125;
		assert_int_equal(calibration_file_write(path, &before, root, &err), 0);
	}
	assert_int_equal(calibration_file_read(&after, path, root, &err), 0);
	assert_int_equal(after.count, 2);
	assert_int_equal(after.buffer_bytes, before.buffer_bytes);
	assert_close(after.others, 0, 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(after.points[i].cores, points[i].cores);
		for (int kernel = 0; kernel < CALIBRATION_KERNELS; kernel++) {
			assert_close(after.points[i].slowdown[kernel], points[i].slowdown[kernel],
				     1e-8);
			assert_close(after.points[i].noise[kernel], points[i].noise[kernel], 1e-8);
		}
	}
	calibration_release(&after);
	dir_remove(root);
}

/* Writes a calibration of `time_s`, in which each piece took exp(log) times as long as in the
 * first. */
static void write_speed(const char *path, const char *root, int64_t time_s, double log_time)
{
	struct calibration_point points[2];
	struct calibration calibration = some_calibration(points);
	struct err err;

	calibration.speed_count = 1;
	calibration.speeds[0] = (struct calibration_speed){
		time_s, {1e4 * exp(-log_time), 2e3 * exp(-3 * log_time)}};
	assert_int_equal(calibration_file_write(path, &calibration, root, &err), 0);
}

static void read_file(struct calibration *calibration, const char *path, const char *root)
{
	struct err err;

	assert_int_equal(calibration_file_read(calibration, path, root, &err), 0);
}

static void the_speeds_of_earlier_calibrations_are_kept(void **state)
{
	const int64_t first_s = 1700000000;
	struct calibration calibration;
	char root[64], path[128];

	(void)state;
	dir_make(root);
	dir_put(root, "proc/cpuinfo", CPU);
	snprintf(path, sizeof(path), "%s/calibration.json", root);
	for (int i = 0; i < 3; i++) {
		write_speed(path, root, first_s + 60 * i, i == 1 ? .1 : 0);
		read_file(&calibration, path, root);
		assert_int_equal(calibration.speed_count, i + 1);
		assert_close(calibration.speeds[i].rate[CALIBRATION_COMPUTE],
			     i == 1 ? 1e4 * exp(-.1) : 1e4, 1e-3);
		if (i < 2)
			assert_true(isnan(calibration_speed_noise(&calibration)));
		else /* variances .01 / 3 and .09 / 3 */
			assert_close(calibration_speed_noise(&calibration), sqrt(.1 / 3 / 2), 1e-6);
		calibration_release(&calibration);
	}
	dir_remove(root);
}

static void a_speed_of_the_same_minute_is_not_kept_and_the_oldest_go(void **state)
{
	const int64_t first_s = 1700000000;
	struct calibration calibration;
	char root[64], path[128];

	(void)state;
	dir_make(root);
	dir_put(root, "proc/cpuinfo", CPU);
	snprintf(path, sizeof(path), "%s/calibration.json", root);
	for (int i = 0; i < 2 * (CALIBRATION_SPEEDS + 2); i++)
		write_speed(path, root, first_s + 30 * i, 0);
	read_file(&calibration, path, root);
	assert_int_equal(calibration.speed_count, CALIBRATION_SPEEDS);
	for (int i = 0; i < CALIBRATION_SPEEDS; i++)
		assert_int_equal(calibration.speeds[i].time_s, first_s + 60 * (i + 2));
	calibration_release(&calibration);
	/* The clock of the machine may have been set back. */
	write_speed(path, root, first_s - 1000, 0);
	read_file(&calibration, path, root);
	assert_int_equal(calibration.speeds[CALIBRATION_SPEEDS - 1].time_s, first_s - 1000);
	calibration_release(&calibration);
	dir_remove(root);
}

static void another_machine_begins_with_its_own_speed(void **state)
{
	struct calibration calibration;
	char root[64], path[128];

	(void)state;
	dir_make(root);
	dir_put(root, "proc/cpuinfo", CPU);
	snprintf(path, sizeof(path), "%s/calibration.json", root);
	write_speed(path, root, 1700000000, 0);
	dir_put(root, "proc/cpuinfo", "model name\t: Another\n");
	write_speed(path, root, 1700001000, 0);
	read_file(&calibration, path, root);
	assert_int_equal(calibration.speed_count, 1);
	calibration_release(&calibration);
	dir_remove(root);
}

static void a_recording_is_of_this_machine_by_its_cpu_and_their_number(void **state)
{
	char root[64];

	(void)state;
	dir_make(root);
	dir_put(root, "proc/cpuinfo", CPU);
	dir_put(root, "sys/devices/system/cpu/online", "0-3\n");
	assert_true(calibration_is_of(root, "Some CPU, 3 GHz", 4));
	assert_false(calibration_is_of(root, "Some CPU, 3 GHz", 8));
	assert_false(calibration_is_of(root, "Another", 4));
	assert_false(calibration_is_of(root, NULL, 4));
	assert_false(calibration_is_of("/nowhere", "unknown", 0));
	dir_remove(root);
}

static void an_impossible_speed_is_refused(void **state)
{
	struct calibration calibration;
	char root[64], path[128];
	struct err err;

	(void)state;
	dir_make(root);
	snprintf(path, sizeof(path), "%s/calibration.json", root);
	write_speed(path, root, 1700000000, 1e3);
	assert_int_equal(calibration_file_read(&calibration, path, root, &err), -1);
	assert_non_null(strstr(err.text, "is not a calibration;"));
	dir_remove(root);
}

static void a_calibration_of_another_machine_is_refused(void **state)
{
	struct calibration_point points[2];
	struct calibration here = some_calibration(points), there;
	char root[64], path[128];
	struct err err;

	(void)state;
	dir_make(root);
	dir_put(root, "proc/cpuinfo", CPU);
	snprintf(path, sizeof(path), "%s/calibration.json", root);
	assert_int_equal(calibration_file_write(path, &here, root, &err), 0);
	dir_put(root, "proc/cpuinfo", "model name\t: Another\n");
	assert_int_equal(calibration_file_read(&there, path, root, &err), -1);
	assert_non_null(strstr(err.text, "is of another machine (cpu 'Some CPU, 3 GHz', here "
					 "'Another')"));
	dir_remove(root);
}

#define HEAD "{\"version\": 1, \"machine\": {\"cpu\": \"unknown\", \"cpu_threads\": \"unknown\"}"
#define POINT(cores, compute, noise)                                                        \
	"{\"cores\": " cores ", \"compute\": {\"slowdown\": " compute ", \"noise\": " noise \
	"}, \"memory\": {\"slowdown\": 1, \"noise\": 0}}"

static void a_damaged_file_is_refused(void **state)
{
	static const struct {
		const char *text, *says; /* NULL: accepted */
	} cases[] = {
		{HEAD ", \"points\": [" POINT("1", "1", "0") "]}", NULL},
		{HEAD ", \"points\": [" POINT("1", "1", "0") "," POINT("4", "1.5", "0") "]}", NULL},
		{HEAD ", \"points\": []}", "is not a calibration;"},
		{HEAD "}", "is not a calibration;"},
		{HEAD ", \"points\": [" POINT("2", "1", "0") "]}", "is not a calibration;"},
		{HEAD ", \"points\": [" POINT("1", "0", "0") "]}", "is not a calibration;"},
		{HEAD ", \"points\": [" POINT("1", "-1", "0") "]}", "is not a calibration;"},
		{HEAD ", \"points\": [" POINT("1", "1e300", "0") "]}", "is not a calibration;"},
		{HEAD ", \"points\": [" POINT("1", "1", "-1") "]}", "is not a calibration;"},
		{HEAD ", \"points\": [" POINT("1", "\"1\"", "0") "]}", "is not a calibration;"},
		{HEAD ", \"points\": [" POINT("1", "1", "0") "," POINT("1", "1", "0") "]}",
		 "is not a calibration;"},
		{HEAD ", \"points\": [" POINT("1", "1", "0") "," POINT("99999", "1", "0") "]}",
		 "is not a calibration;"},
		{HEAD ", \"points\": [" POINT("1", "1", "0"),
		 "is not a calibration of this version"},
		{"{\"version\": 2}", "is not a calibration of this version"},
		{"[]", "is not a calibration of this version"},
		{"", "is not a calibration of this version"},
		{"{\"version\": 1}", "is of another machine"},
	};
	char root[64], path[128];

	(void)state;
	dir_make(root);
	snprintf(path, sizeof(path), "%s/calibration.json", root);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct calibration calibration;
		struct err err = {.text = ""};
		int rc;

		dir_put(root, "calibration.json", cases[i].text);
		rc = calibration_file_read(&calibration, path, root, &err);
		assert_int_equal(rc, cases[i].says ? -1 : 0);
		if (cases[i].says)
			assert_non_null(strstr(err.text, cases[i].says));
		else
			calibration_release(&calibration);
	}
	dir_remove(root);
}

/* No process can make directories in sysfs; the reason depends on the user and the system. */
static void a_place_that_cannot_be_written_is_reported_with_the_reason(void **state)
{
	struct calibration_point points[2];
	struct calibration calibration = some_calibration(points);
	char want[256];
	struct err err;

	(void)state;
	assert_int_equal(mkdir("/sys/pscal", 0700), -1);
	snprintf(want, sizeof(want), "the calibration: /sys/pscal/a.json: cannot write: %s",
		 strerror(errno));
	assert_int_equal(calibration_file_write("/sys/pscal/a.json", &calibration, "", &err), -1);
	assert_string_equal(err.text, want);
}

static void a_missing_calibration_is_reported(void **state)
{
	struct calibration calibration;
	struct err err;

	(void)state;
	assert_int_equal(calibration_file_read(&calibration, "/nowhere/at-all.json", "", &err), -1);
	assert_string_equal(err.text, "/nowhere/at-all.json: this machine has not been calibrated; "
				      "measure with 'pscal forecast --calibrate'");
}

/* By the XDG Base Directory Specification. */
static void the_environment_tells_the_place_of_the_file(void **state)
{
	static const struct {
		const char *cache, *home, *path; /* NULL: not set; none */
	} cases[] = {
		{"/c", "/h", "/c/pscal/calibration.json"},
		{NULL, "/h", "/h/.cache/pscal/calibration.json"},
		{"", "/h", "/h/.cache/pscal/calibration.json"},
		{"relative", "/h", "/h/.cache/pscal/calibration.json"},
		{"relative", NULL, NULL},
		{NULL, "", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err;
		char *path;

		unsetenv("XDG_CACHE_HOME");
		unsetenv("HOME");
		if (cases[i].cache)
			setenv("XDG_CACHE_HOME", cases[i].cache, 1);
		if (cases[i].home)
			setenv("HOME", cases[i].home, 1);
		path = calibration_file_path(&err);
		if (cases[i].path)
			assert_string_equal(path, cases[i].path);
		else
			assert_null(path);
		free(path);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_largest_cache_counts),
	cmocka_unit_test(each_point_is_relative_to_one_core),
	cmocka_unit_test(a_kept_calibration_is_read_again),
	cmocka_unit_test(the_speeds_of_earlier_calibrations_are_kept),
	cmocka_unit_test(a_speed_of_the_same_minute_is_not_kept_and_the_oldest_go),
	cmocka_unit_test(another_machine_begins_with_its_own_speed),
	cmocka_unit_test(a_recording_is_of_this_machine_by_its_cpu_and_their_number),
	cmocka_unit_test(an_impossible_speed_is_refused),
	cmocka_unit_test(a_calibration_of_another_machine_is_refused),
	cmocka_unit_test(a_damaged_file_is_refused),
	cmocka_unit_test(a_place_that_cannot_be_written_is_reported_with_the_reason),
	cmocka_unit_test(a_missing_calibration_is_reported),
	cmocka_unit_test(the_environment_tells_the_place_of_the_file),
};

TEST_FILE(tests);
