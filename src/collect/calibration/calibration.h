/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The slowdown of a core of this machine while other cores are busy: clocks fall, hardware threads
 * of a core share it, and all share caches and memory. Two kinds of work are measured, and that of
 * programs is in between:
 *
 *  - compute: integer and floating-point chains in registers, at a core's full speed;
 *  - memory: reads and writes through a buffer twice as large as the last-level cache, one for each
 *    thread.
 *
 * Threads are pinned, one to a CPU, cores first and then the second threads of cores. Each round
 * measures all numbers of busy cores, and compares each with one busy core of the same round, so
 * that other load on the machine affects both. Work is counted by CPU time: other programs make a
 * run longer, but not slower.
 *
 * The speed of one busy core is kept with its time, together with those of earlier calibrations: on
 * a machine whose CPUs are shared it changes from minute to minute, which no single calibration or
 * recording shows.
 */
#ifndef PSCAL_COLLECT_CALIBRATION_CALIBRATION_H
#define PSCAL_COLLECT_CALIBRATION_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum calibration_kernel { CALIBRATION_COMPUTE, CALIBRATION_MEMORY, CALIBRATION_KERNELS };

struct calibration_point {
	unsigned cores; /* busy cores */
	/* The median over the rounds of the time of the same work, relative to one busy core. */
	double slowdown[CALIBRATION_KERNELS];
	/* Its median absolute deviation, times 1.4826: for normal noise, the deviation. */
	double noise[CALIBRATION_KERNELS];
};

/* The speed of one busy core, in pieces of work a second of CPU time. */
struct calibration_speed {
	int64_t time_s; /* since 1970 */
	double rate[CALIBRATION_KERNELS];
};

enum { CALIBRATION_SPEEDS = 32, CALIBRATION_SPEEDS_LEAST = 3, CALIBRATION_APART_S = 60 };

struct calibration {
	struct calibration_point *points; /* ascending; the first has 1 core */
	size_t count;
	struct calibration_speed
		speeds[CALIBRATION_SPEEDS]; /* of earlier calibrations, and this one last */
	size_t speed_count;
	uint64_t buffer_bytes; /* of each thread */
	double others;	       /* CPUs used by other programs; below 0: not known */
};

struct calibration_request {
	double sample_s; /* time of each kernel in each round; 0: 25 ms */
	size_t rounds;	 /* 0: as many as fit into some seconds, at least 7 */
	void (*show)(void *context, uint64_t done, uint64_t size); /* progress, or NULL */
	void *context;
};

/*
 * Measures with all cores that the caller may use: each number of cores up to 8, above in steps of
 * a quarter. Returns 0, or -1 with an error. The caller releases the calibration.
 */
int calibration_measure(struct calibration *calibration, const struct calibration_request *request,
			struct err *err);
void calibration_release(struct calibration *calibration);

/*
 * Returns the standard deviation of the logarithm of the speed between calibrations: the root mean
 * square over both kinds of work. NaN for fewer than CALIBRATION_SPEEDS_LEAST calibrations.
 */
double calibration_speed_noise(const struct calibration *calibration);

/* Returns the bytes of the largest cache of CPU `cpu`, from ROOT/sys; 0: unknown. */
uint64_t calibration_cache_bytes(const char *root, int cpu);

/*
 * Returns the path of the file with this machine's calibration: pscal/calibration.json below
 * $XDG_CACHE_HOME, or below ~/.cache [XDG Base Directory Specification]. The file identifies its
 * machine by the model of the CPU and the numbers of CPUs and cores, so that in a shared home
 * directory only similar machines use it. The kernel and the host name do not matter.
 *
 * The caller frees the path. NULL with an error if the environment has no directory for caches.
 */
char *calibration_file_path(struct err *err);

/*
 * Replaces the file in one step. Before that its speeds are added to the calibration: the last ones
 * of the same machine and version, as all speeds must be of the same work. A speed less than
 * CALIBRATION_APART_S after the one before is not added: it would count a minute twice. `root` is
 * the directory of /proc and /sys: "" for this machine. Returns 0, or -1 with an error.
 */
int calibration_file_write(const char *path, struct calibration *calibration, const char *root,
			   struct err *err);

/*
 * Reads the file. Returns 0, or -1 with an error: it is missing, damaged, or of another machine.
 * The caller releases *calibration.
 */
int calibration_file_read(struct calibration *calibration, const char *path, const char *root,
			  struct err *err);

/*
 * Returns whether this machine has a CPU of that model, and that many CPUs online. An unknown model
 * or number (NULL, 0) means another machine.
 */
bool calibration_is_of(const char *root, const char *cpu, unsigned cpus);

#endif
