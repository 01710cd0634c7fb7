/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calibration/calibration.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/files.h"
#include "base/io/output_file.h"
#include "collect/sweep/conditions.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AGAIN "measure with 'pscal forecast --calibrate'"

/* The version of the layout, and limits of files and machines. */
enum { VERSION = 1, FILE_BYTES_MAX = 1 << 20, CORES_MAX = 8192 };

/* The largest slowdown and rate that are plausible. */
static const double slowdown_max = 1e6, rate_max = 1e12;

/* The build of the work: speeds of different code cannot be compared. */
static const char build[] = PSCAL_VERSION ", " __VERSION__
#ifdef __OPTIMIZE__
					  ", optimised"
#endif
	;

static const char *const kernel_names[CALIBRATION_KERNELS] = {"compute", "memory"};

/* Conditions that must be equal on the machine. */
static const char *const identity_keys[] = {"cpu", "cpu_threads"};
enum { IDENTITY_KEYS = sizeof(identity_keys) / sizeof(identity_keys[0]) };

char *calibration_file_path(struct err *err)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	/* "All paths must be absolute. [...] a relative path [...] should be ignored." */
	if (cache && *cache == '/')
		return xasprintf("%s/pscal/calibration.json", cache);
	if (home && *home == '/')
		return xasprintf("%s/.cache/pscal/calibration.json", home);
	err_set(err, "the calibration has no directory: set HOME or XDG_CACHE_HOME");
	return NULL;
}

static const char *fact(const struct conditions *conditions, const char *key)
{
	for (int i = 0; i < conditions->count; i++)
		if (strcmp(conditions->items[i].key, key) == 0)
			return conditions->items[i].value;
	return "unknown";
}

static json_t *point_json(const struct calibration_point *point)
{
	json_t *object = json_pack("{s:i}", "cores", (int)point->cores);

	for (int kernel = 0; kernel < CALIBRATION_KERNELS; kernel++)
		json_object_set_new(object, kernel_names[kernel],
				    json_pack("{s:f, s:f}", "slowdown", point->slowdown[kernel],
					      "noise", point->noise[kernel]));
	return object;
}

static json_t *speeds_json(const struct calibration *calibration)
{
	json_t *speeds = json_array();

	for (size_t i = 0; i < calibration->speed_count; i++) {
		const struct calibration_speed *speed = &calibration->speeds[i];
		json_t *object = json_pack("{s:I}", "time_s", (json_int_t)speed->time_s);

		for (int kernel = 0; kernel < CALIBRATION_KERNELS; kernel++)
			json_object_set_new(object, kernel_names[kernel],
					    json_real(speed->rate[kernel]));
		json_array_append_new(speeds, object);
	}
	return speeds;
}

static json_t *calibration_json(const struct calibration *calibration, const char *root)
{
	json_t *machine = json_object(), *points = json_array(), *others = json_null();
	struct conditions conditions;
	char *date = conditions_date();

	conditions_read(&conditions, root);
	for (int i = 0; i < IDENTITY_KEYS; i++)
		json_object_set_new(machine, identity_keys[i],
				    json_string(fact(&conditions, identity_keys[i])));
	for (size_t i = 0; i < calibration->count; i++)
		json_array_append_new(points, point_json(&calibration->points[i]));
	if (calibration->others >= 0)
		others = json_real(calibration->others);
	json_t *all = json_pack(
		"{s:i, s:o, s:s, s:s, s:I, s:o, s:o, s:s, s:o}", "version", VERSION, "machine",
		machine, "date", date, "cpus_allowed", fact(&conditions, "cpus_allowed"),
		"buffer_bytes", (json_int_t)calibration->buffer_bytes, "others_cpus", others,
		"points", points, "build", build, "speeds", speeds_json(calibration));
	conditions_release(&conditions);
	free(date);
	return all;
}

static int write_json(const struct output_file *file, const struct calibration *calibration,
		      const char *root, struct err *err)
{
	json_t *json = calibration_json(calibration, root);
	int rc = json_dumpfd(json, file->fd, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) ||
		 write(file->fd, "\n", 1) != 1 || fsync(file->fd);

	if (rc)
		output_file_refuse(file->place.path, err);
	json_decref(json);
	return rc ? -1 : 0;
}

/*
 * Writes the file. Only their owner may read caches and their directories, see the specification.
 */
static int write_file(const char *path, const struct calibration *calibration, const char *root,
		      struct err *err)
{
	static const struct output_kind kind = {.mode = 0600, .directories = 0700};
	struct output_file file;
	struct err ignored;
	int rc;

	if (output_file_open(&file, path, &kind, err))
		return -1;
	rc = write_json(&file, calibration, root, err);
	if (!rc)
		rc = output_file_publish(&file, OUTPUT_REPLACES, err);
	return output_file_close(&file, rc ? &ignored : err) ? -1 : rc;
}

/* Puts the last speeds of `before` in front of its own. */
static void add_speeds(struct calibration *calibration, const struct calibration *before)
{
	struct calibration_speed own = calibration->speeds[0];
	size_t kept = before->speed_count, first;
	bool apart;

	if (!kept || !calibration->speed_count)
		return;
	apart = llabs(own.time_s - before->speeds[kept - 1].time_s) >= CALIBRATION_APART_S;
	first = kept == CALIBRATION_SPEEDS && apart;
	kept -= first;
	memcpy(calibration->speeds, before->speeds + first, kept * sizeof(own));
	if (apart)
		calibration->speeds[kept++] = own;
	calibration->speed_count = kept;
}

int calibration_file_write(const char *path, struct calibration *calibration, const char *root,
			   struct err *err)
{
	struct calibration before;
	struct err ignored;

	if (!calibration_file_read(&before, path, root, &ignored)) {
		add_speeds(calibration, &before);
		calibration_release(&before);
	}
	return write_file(path, calibration, root, err) ? err_wrap(err, "the calibration") : 0;
}

/* Checks that the file is of a machine like this one. */
static int check_machine(json_t *json, const char *path, const char *root, struct err *err)
{
	struct conditions conditions;
	int rc = 0;

	conditions_read(&conditions, root);
	for (int i = 0; !rc && i < IDENTITY_KEYS; i++) {
		const char *key = identity_keys[i];
		const char *here = fact(&conditions, key);
		const char *there =
			json_string_value(json_object_get(json_object_get(json, "machine"), key));

		if (!there || strcmp(there, here) != 0)
			rc = err_set(
				err,
				"%s: is of another machine (%s '%.100s', here '%.100s'); " AGAIN
				" on this one",
				path, key, there ? there : "unknown", here);
	}
	conditions_release(&conditions);
	return rc;
}

bool calibration_is_of(const char *root, const char *cpu, unsigned cpus)
{
	struct conditions conditions;
	bool is_of;

	conditions_read(&conditions, root);
	is_of = cpu && cpus && strcmp(cpu, fact(&conditions, "cpu")) == 0 &&
		strtoul(fact(&conditions, "cpu_threads"), NULL, 10) == cpus;
	conditions_release(&conditions);
	return is_of;
}

static bool read_point(struct calibration_point *point, json_t *json, unsigned before)
{
	json_int_t cores = json_integer_value(json_object_get(json, "cores"));

	if (cores <= (json_int_t)before || cores > CORES_MAX)
		return false;
	point->cores = (unsigned)cores;
	for (int kernel = 0; kernel < CALIBRATION_KERNELS; kernel++) {
		json_t *of = json_object_get(json, kernel_names[kernel]);

		point->slowdown[kernel] = json_number_value(json_object_get(of, "slowdown"));
		point->noise[kernel] = json_number_value(json_object_get(of, "noise"));
		if (!(point->slowdown[kernel] > 1 / slowdown_max &&
		      point->slowdown[kernel] < slowdown_max && point->noise[kernel] >= 0))
			return false;
	}
	return before || cores == 1;
}

static bool read_speed(struct calibration_speed *speed, json_t *json)
{
	speed->time_s = json_integer_value(json_object_get(json, "time_s"));
	for (int kernel = 0; kernel < CALIBRATION_KERNELS; kernel++) {
		speed->rate[kernel] =
			json_number_value(json_object_get(json, kernel_names[kernel]));
		if (!(speed->rate[kernel] > 1 / rate_max && speed->rate[kernel] < rate_max))
			return false;
	}
	return true;
}

/* Reads the speeds, unless of another build. Returns whether they are valid. */
static bool read_speeds(struct calibration *calibration, json_t *json)
{
	const char *by = json_string_value(json_object_get(json, "build"));
	json_t *speeds = json_object_get(json, "speeds");
	size_t count = json_array_size(speeds);

	if (!by || strcmp(by, build) != 0)
		return true;
	if (count > CALIBRATION_SPEEDS)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!read_speed(&calibration->speeds[i], json_array_get(speeds, i)))
			return false;
	calibration->speed_count = count;
	return true;
}

static int read_points(struct calibration *calibration, json_t *json, const char *path,
		       struct err *err)
{
	json_t *points = json_object_get(json, "points");
	json_t *others = json_object_get(json, "others_cpus");
	size_t count = json_array_size(points);

	*calibration = (struct calibration){.others = -1};
	if (json_is_number(others))
		calibration->others = json_number_value(others);
	calibration->buffer_bytes =
		(uint64_t)json_integer_value(json_object_get(json, "buffer_bytes"));
	calibration->points = xcalloc(count + 1, sizeof(*calibration->points));
	for (size_t i = 0; i < count; i++) {
		unsigned before = i ? calibration->points[i - 1].cores : 0;

		if (read_point(&calibration->points[i], json_array_get(points, i), before))
			calibration->count++;
	}
	if (count && calibration->count == count && read_speeds(calibration, json))
		return 0;
	calibration_release(calibration);
	return err_set(err, "%s: is not a calibration; " AGAIN, path);
}

/* Opens a file, without waiting for the writer of a FIFO. */
static FILE *open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (!file && fd >= 0)
		close(fd);
	return file;
}

static bool is_own_file(FILE *file)
{
	struct stat status;

	return fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
	       file_owner_is_own(status.st_uid);
}

static json_t *load(const char *path, struct err *err)
{
	char *text = xcalloc(FILE_BYTES_MAX, 1);
	FILE *file = open_file(path);
	bool is_own = !file || is_own_file(file);
	size_t length = file && is_own ? fread(text, 1, FILE_BYTES_MAX, file) : 0;
	json_t *json = NULL;

	if (!file && errno == ENOENT)
		err_set(err, "%s: this machine has not been calibrated; " AGAIN, path);
	else if (!is_own)
		err_set(err, "%s: is not a regular file, or belongs to another user; " AGAIN, path);
	else if (!file || ferror(file))
		err_set(err, "%s: cannot read the calibration: %m", path);
	else if (length == FILE_BYTES_MAX ||
		 !(json = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL)) ||
		 json_integer_value(json_object_get(json, "version")) != VERSION) {
		err_set(err, "%s: is not a calibration of this version; " AGAIN, path);
		json_decref(json);
		json = NULL;
	}
	if (file)
		fclose(file);
	free(text);
	return json;
}

int calibration_file_read(struct calibration *calibration, const char *path, const char *root,
			  struct err *err)
{
	json_t *json = load(path, err);
	int rc;

	if (!json)
		return -1;
	rc = check_machine(json, path, root, err);
	if (!rc)
		rc = read_points(calibration, json, path, err);
	json_decref(json);
	return rc;
}
