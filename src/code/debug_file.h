/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the symbols and lines of a program or library are that have been taken out of it, as
 * distributions do: Debian has them in packages that end in -dbgsym or -dbg.
 */
#ifndef PSCAL_CODE_DEBUG_FILE_H
#define PSCAL_CODE_DEBUG_FILE_H

/*
 * The path of the separate file of `path`, to be freed; NULL: there is none. `path` is below the
 * directory `root`, NULL for that of this machine. It is looked for as gdb does ("Debugging
 * Information in Separate Files" in its manual):
 *
 *  - by the build id below usr/lib/debug/.build-id;
 *  - by the name in .gnu_debuglink, beside `path`, in .debug there, and where that directory is
 *    below usr/lib/debug.
 *
 * It has the build id of `path`, or where one of the two has none the checksum of .gnu_debuglink.
 */
char *debug_file_find(const char *path, const char *root);

#endif
