/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The slowdown of a core of this machine while other cores are busy: clocks fall, threads of a core
 * share it, and all share caches and memory. Measured with two kinds of work, between which that of
 * programs is:
 *
 *  - compute: integer and floating-point chains in registers, as fast as a core can;
 *  - memory: reads and writes through a buffer twice as large as the last-level cache, of each
 *    thread its own.
 *
 * Threads are pinned, one to a CPU, cores first and then the second threads of cores. All numbers
 * of busy cores take their turns in each round, and each is compared with one busy core of the same
 * round, so that what the machine does beside concerns both. Work is counted by CPU time: other
 * programs make a run longer, but not slower.
 *
 * How fast one busy core was is kept with the time, beside that of earlier calibrations: on a machine
 * whose CPUs others share it changes from minute to minute, which no single calibration, and no
 * single recording, shows.
 */
#ifndef PSCAL_COLLECT_CALIBRATION_CALIBRATION_H
#define PSCAL_COLLECT_CALIBRATION_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum calibration_kernel { CALIBRATION_COMPUTE, CALIBRATION_MEMORY, CALIBRATION_KERNELS };

struct calibration_point {
	unsigned cores; /* busy */
	/* The median over the rounds: work takes so many times as long as on one busy core. */
	double slowdown[CALIBRATION_KERNELS];
	/* Its median absolute deviation in them, times 1.4826: of normal scatter, the sd. */
	double noise[CALIBRATION_KERNELS];
};

/* The speed of one busy core, in pieces of work a second of CPU time. */
struct calibration_speed {
	int64_t time_s; /* since 1970 */
	double rate[CALIBRATION_KERNELS];
};

enum { CALIBRATION_SPEEDS = 32, CALIBRATION_SPEEDS_LEAST = 3, CALIBRATION_APART_S = 60 };

struct calibration {
	struct calibration_point *points; /* ascending, the first of 1 core */
	size_t count;
	struct calibration_speed
		speeds[CALIBRATION_SPEEDS]; /* of earlier ones, and this one last */
	size_t speed_count;
	uint64_t buffer_bytes; /* of each thread */
	double others;	       /* CPUs that something else kept busy; below 0: not known */
};

struct calibration_request {
	double sample_s; /* how long each kernel runs each time; 0: 25 ms */
	size_t rounds;	 /* 0: as many as fit into some seconds, 7 at least */
	void (*show)(void *context, uint64_t done, uint64_t size); /* progress, or NULL */
	void *context;
};

/*
 * Measures with up to as many cores as the caller may run on; up to 8 each number of them, beyond
 * that steps of a quarter. The caller releases. Returns 0, or -1 with a sentence.
 */
int calibration_measure(struct calibration *calibration, const struct calibration_request *request,
			struct err *err);
void calibration_release(struct calibration *calibration);

/*
 * The standard deviation of the logarithm of the speed, from one calibration to another: of both kinds
 * of work the root of the mean square. NaN of fewer than CALIBRATION_SPEEDS_LEAST calibrations.
 */
double calibration_speed_noise(const struct calibration *calibration);

/* The bytes of the largest cache of CPU `cpu`, as ROOT/sys tells; 0 where it does not. */
uint64_t calibration_cache_bytes(const char *root, int cpu);

/*
 * The file that keeps the calibration of this machine: pscal/calibration.json below
 * $XDG_CACHE_HOME, or below ~/.cache [XDG Base Directory Specification]. It says of which machine
 * it is, by the model of the CPU and the numbers of CPUs and cores, so that one in a home directory
 * that several machines share is taken by those alone that are like the one that wrote it. The
 * kernel and the name of the machine do not matter.
 *
 * The path; the caller frees it. NULL with a sentence where the environment does not say where
 * caches are.
 */
char *calibration_file_path(struct err *err);

/*
 * Takes the place of what was kept before, in one step, but for its speeds, which are added to the
 * calibration first: the last ones of the same machine and version, as all speeds must be of the same
 * work. A speed less than CALIBRATION_APART_S after the one before is not added: it would show a minute
 * twice. `root` is where /proc and /sys are: "" for this machine. Returns 0, or -1 with a sentence.
 */
int calibration_file_write(const char *path, struct calibration *calibration, const char *root,
			   struct err *err);

/*
 * The caller releases *calibration. Returns 0, or -1 with a sentence: there is none, it is damaged,
 * or it is of another machine.
 */
int calibration_file_read(struct calibration *calibration, const char *path, const char *root,
			  struct err *err);

/*
 * Does this machine have a CPU of that model, and so many CPUs online? An unknown model or number
 * (NULL, 0) is that of another machine.
 */
bool calibration_is_of(const char *root, const char *cpu, unsigned cpus);

#endif
