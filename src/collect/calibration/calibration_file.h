/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the calibration of this machine is kept: pscal/calibration.json below $XDG_CACHE_HOME, or
 * below ~/.cache [XDG Base Directory Specification]. It says of which machine it is, by the model
 * of the CPU and the numbers of CPUs and cores, so that one in a home directory that several
 * machines share is taken by those alone that are like the one that wrote it. The kernel and the
 * name of the machine do not matter.
 */
#ifndef PSCAL_COLLECT_CALIBRATION_CALIBRATION_FILE_H
#define PSCAL_COLLECT_CALIBRATION_CALIBRATION_FILE_H

#include "collect/calibration/calibration.h"

struct err;

/*
 * The path; the caller frees it. NULL with a sentence where the environment does not say where
 * caches are.
 */
char *calibration_file_path(struct err *err);

/*
 * Takes the place of what was kept before, in one step. `root` is where /proc and /sys are: "" for
 * this machine. Returns 0, or -1 with a sentence.
 */
int calibration_file_write(const char *path, const struct calibration *calibration,
			   const char *root, struct err *err);

/*
 * The caller releases *calibration. Returns 0, or -1 with a sentence: there is none, it is damaged,
 * or it is of another machine.
 */
int calibration_file_read(struct calibration *calibration, const char *path, const char *root,
			  struct err *err);

#endif
