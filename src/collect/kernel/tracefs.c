/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/tracefs.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "collect/kernel/proc_stat.h"
#include "collect/kernel/run_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <traceevent/event-parse.h>

/* A file of each tracefs, which an empty directory lacks. */
#define PROBE "events/header_page"

static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* Returns the directory of tracefs; NULL, with the errno of the first place: none can be read. */
static const char *find_mounted(void)
{
	int first_errno = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/" PROBE, places[i]);
		/* access(2) would ignore capabilities from setcap(8). */
		if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0)
			return places[i];
		if (i == 0)
			first_errno = errno;
	}
	errno = first_errno;
	return NULL;
}

/*
 * Explains by errno why tracefs, expected on `place`, can be neither read nor mounted. Returns -1.
 */
static int explain_missing(struct err *err, const char *place)
{
	if (errno == ENOENT && geteuid() != 0)
		return err_set(err,
			       "tracefs is not mounted: run as root, or "
			       "'sudo mount -t tracefs tracefs %s'",
			       place);
	if ((errno == EACCES || errno == EPERM) && geteuid() != 0)
		return err_set(err,
			       "%s may not be read: run as root, or 'sudo mount -o "
			       "remount,mode=0750,gid=%d %s'",
			       place, (int)getegid(), place);
	if (errno == EPERM)
		return err_set(err,
			       "%s may not be read although this is root: the kernel is locked "
			       "down, or this is a container without CAP_SYS_ADMIN; record "
			       "outside of it",
			       place);
	return err_set(err,
		       "tracefs cannot be mounted on %s: %m; the kernel needs "
		       "CONFIG_EVENT_TRACING, and a container CAP_SYS_ADMIN",
		       place);
}

int tracefs_explain(struct err *err)
{
	find_mounted();
	return explain_missing(err, places[0]);
}

/* --- The recorder's own mount --------------------------------------------------------------- */

/* Returns the id of the mount of `fd`, which is unique while the mount exists; -1: not known. */
static int mount_id(int fd)
{
	char path[64];
	int id;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	return proc_scan(path, "mnt_id: %d", &id) ? id : -1;
}

static int mount_id_at(const char *root)
{
	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int id = fd >= 0 ? mount_id(fd) : -1;

	if (fd >= 0)
		close(fd);
	return id;
}

/* Returns the number of the namespace of mounts. */
static uint64_t mount_namespace(void)
{
	struct stat status;

	return stat("/proc/self/ns/mnt", &status) ? 0 : status.st_ino;
}

/* Mounts tracefs. Returns NULL, with errno, if it cannot be mounted. */
static char *mount_own(struct run_directory *run)
{
	struct err ignored;
	char *what;

	if (mount("tracefs", places[0], "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return NULL;
	/* The mount has a number only now. A recorder killed before leaves a harmless mount. */
	what = xasprintf("%" PRIu64 " %d %s", mount_namespace(), mount_id_at(places[0]), places[0]);
	if (run && run_directory_open(run, &ignored) == 0)
		run_directory_note(run, TRACEFS_NOTE, what, &ignored);
	return what;
}

int tracefs_undo(const char *what)
{
	uint64_t space;
	int id, path = 0;

	if (sscanf(what, "%" SCNu64 " %d %n", &space, &id, &path) != 2 || id < 0 ||
	    space != mount_namespace() || mount_id_at(what + path) != id)
		return 0;
	return umount2(what + path, UMOUNT_NOFOLLOW) ? -1 : 1;
}

/* --- Opening ------------------------------------------------------------------------------- */

/* Holds the mount. Returns false if another recorder has unmounted it meanwhile. */
static bool hold_mount(struct tracefs *tracefs)
{
	tracefs->hold = open(tracefs->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (tracefs->hold < 0 || faccessat(tracefs->hold, PROBE, R_OK, AT_EACCESS) == 0)
		return true;
	close(tracefs->hold);
	tracefs->hold = -1;
	return false;
}

int tracefs_open(struct tracefs *tracefs, struct run_directory *run, struct err *err)
{
	enum { TRIES = 3 };

	*tracefs = (struct tracefs){.hold = -1};
	for (int i = 0; i < TRIES; i++) {
		tracefs->root = find_mounted();
		if (!tracefs->root && errno == ENOENT && !tracefs->own) {
			tracefs->own = mount_own(run);
			tracefs->root = find_mounted();
		}
		if (!tracefs->root || hold_mount(tracefs))
			break;
	}
	return tracefs->root ? 0 : tracefs_explain(err);
}

void tracefs_close(struct tracefs *tracefs, struct run_directory *run)
{
	if (tracefs->hold >= 0)
		close(tracefs->hold);
	if (tracefs->own && tracefs_undo(tracefs->own) < 0 && run && run->fd >= 0)
		run_directory_keep(run);
	free(tracefs->own);
	*tracefs = (struct tracefs){.hold = -1};
}

/* --- Reading ------------------------------------------------------------------------------- */

char *tracefs_read(const char *root, const char *path, size_t *length, struct err *err)
{
	char *name = xasprintf("%s/%s", root, path);
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	size_t used = 0, capacity = 0;
	char *text = NULL;
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0) { /* files of tracefs have size 0 */
		array_reserve(&text, &capacity, used + 4096);
		got = read(fd, text + used, capacity - used - 1);
		if (got > 0)
			used += (size_t)got;
	}
	if (got < 0) {
		err_set(err, "%s: cannot read: %m", name);
		free(text);
		text = NULL;
	} else {
		text[used] = '\0';
	}
	if (fd >= 0)
		close(fd);
	free(name);
	if (length)
		*length = used;
	return text;
}

/* Reads a file of `event`, given as "sched:sched_switch"; `path` gets its path below `root`. */
static char *read_of_event(char path[128], const char *root, const char *event, const char *file,
			   struct err *err)
{
	size_t system = strcspn(event, ":");
	const char *name = event[system] ? event + system + 1 : "";
	char *text;

	snprintf(path, 128, "events/%.*s/%s/%s", (int)system, event, name, file);
	text = tracefs_read(root, path, NULL, err);
	if (!text)
		err_wrap(err, "this kernel does not offer the event %.*s/%s", (int)system, event,
			 name);
	return text;
}

int tracefs_event_id(uint64_t *id, const char *root, const char *event, struct err *err)
{
	char path[128];
	char *text;
	int rc;

	text = read_of_event(path, root, event, "id", err);
	if (!text)
		return -1;
	text[strcspn(text, "\n")] = '\0';
	rc = parse_u64(id, text, UINT32_MAX);
	if (rc)
		err_set(err, "%s/%s: '%s' is not an event number", root, path, text);
	free(text);
	return rc;
}

/* --- Formats ------------------------------------------------------------------------------- */

static struct tracefs_field place_of(const struct tep_format_field *field)
{
	if (!field || field->offset < 0 || field->size <= 0 ||
	    field->offset + field->size > TRACEFS_PAYLOAD_MAX)
		return (struct tracefs_field){0};
	return (struct tracefs_field){
		(unsigned)field->offset, (unsigned)field->size,
		(field->flags & TEP_FIELD_IS_DYNAMIC) != 0,
		field->flags & TEP_FIELD_IS_RELATIVE ? (unsigned)(field->offset + field->size) : 0};
}

static size_t end_of(const struct tep_event *event)
{
	size_t end = 0;

	for (const struct tep_format_field *field = event->format.fields; field;
	     field = field->next) {
		struct tracefs_field place = place_of(field);

		if (place.offset + place.size > end)
			end = place.offset + place.size;
	}
	return end;
}

static void learn_fields(struct tracefs_format *format, struct tep_event *event,
			 const char *const *fields)
{
	format->type = (uint16_t)event->id;
	format->size = end_of(event);
	format->common_type = place_of(tep_find_common_field(event, "common_type"));
	format->common_flags = place_of(tep_find_common_field(event, "common_flags"));
	format->common_pid = place_of(tep_find_common_field(event, "common_pid"));
	for (size_t i = 0; i < TRACEFS_FIELDS && fields[i]; i++)
		format->fields[i] = place_of(tep_find_field(event, fields[i]));
}

int tracefs_format_read(struct tracefs_format *format, const char *root, const char *event,
			const char *const *fields, struct err *err)
{
	struct tep_event *parsed = NULL;
	struct tep_handle *tep;
	char path[128];
	char *text, *print;

	*format = (struct tracefs_format){0};
	text = read_of_event(path, root, event, "format", err);
	if (!text)
		return -1;
	print = strstr(text, "\nprint fmt:"); /* a small program that is not needed */
	if (print)
		strcpy(print, "\n");
	tep_set_loglevel(TEP_LOG_NONE);
	tep = tep_alloc();
	if (tep)
		tep_parse_format(tep, &parsed, text, strlen(text), "sched");
	if (parsed)
		learn_fields(format, parsed, fields);
	tep_free(tep);
	free(text);
	if (!format->size || !format->common_type.size)
		return err_set(err, "%s/%s: is not the format of an event", root, path);
	return 0;
}
