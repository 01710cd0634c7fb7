/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is not to be watched from inside, whatever its instructions look like. */
#ifndef PSCAL_COLLECT_PATCH_UNWATCHABLE_H
#define PSCAL_COLLECT_PATCH_UNWATCHABLE_H

struct err;

/* NULL, or why not: words that follow "left alone, as it", which live for ever. */
const char *unwatchable_name(const char *function);
const char *unwatchable_object(const char *path, const char *loader);

/*
 * Whether the probe library would be loaded into this program, as `option` asks for. `loader` is
 * what it asks for, or NULL. Returns 0, or -1 with a sentence.
 */
int unwatchable_program(const char *path, const char *loader, const char *option, struct err *err);

#endif
