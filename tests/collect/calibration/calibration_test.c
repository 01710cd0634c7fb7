/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/err.h"
#include "collect/calibration/calibration.h"
#include "collect/kernel/cpu_list.h"

#include <math.h>

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

/* How slow it is depends on the machine; that one core is as slow as itself does not. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_cache_counts),
		cmocka_unit_test(each_point_is_relative_to_one_core),
	};

	return RUN_TESTS(tests);
}
