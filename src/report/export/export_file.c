/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export_file.h"

#include "base/alloc.h"
#include "base/err.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { EXPORT_BUFFER_SIZE = 1 << 18 };

struct export_stream {
	struct output_file output;
	const char *path;
	bool replace;
	gzFile packed; /* NULL: not packed */
	int problem;   /* errno of the first failure; 0: none */
};

/* --- Writing ------------------------------------------------------------------------------- */

static ssize_t stream_write(void *context, const char *bytes, size_t size)
{
	struct export_stream *stream = context;
	struct err ignored;
	size_t written;

	if (stream->problem || !size)
		return (ssize_t)size;
	errno = 0;
	if (stream->packed ? gzwrite(stream->packed, bytes, (unsigned)size) <= 0
			   : output_file_write(&stream->output, bytes, size, &written, &ignored))
		stream->problem = errno ? errno : EIO;
	return (ssize_t)size;
}

static bool is_packed(const char *path)
{
	size_t length = strlen(path);

	return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

static int stream_pack(struct export_stream *stream, struct err *err)
{
	int fd = dup(stream->output.fd);

	stream->packed = fd < 0 ? NULL : gzdopen(fd, "wb3");
	if (stream->packed)
		return 0;
	if (fd >= 0)
		close(fd);
	return output_file_refuse(stream->path, err);
}

static int stream_open(struct export_stream *stream, struct err *err)
{
	static const struct output_kind kind = {
		.mode = 0666, .keeps_mode = true, .keeps = report_keeps};

	if (output_file_open(&stream->output, stream->path, &kind, err))
		return -1;
	if (stream->output.place.exists && S_ISREG(stream->output.place.status.st_mode) &&
	    !stream->replace)
		return err_set(err, "%s: exists; choose another name, or replace it with --force",
			       stream->path);
	return is_packed(stream->path) ? stream_pack(stream, err) : 0;
}

int export_file_open(struct export_file *file, const char *path, bool replace, struct err *err)
{
	static const cookie_io_functions_t functions = {.write = stream_write};
	struct export_stream *stream = xcalloc(1, sizeof(*stream));

	*file = (struct export_file){.stream = stream};
	stream->path = path;
	stream->replace = replace;
	stream->output.fd = -1;
	if (!stream_open(stream, err)) {
		file->out = fopencookie(stream, "w", functions);
		if (file->out && !setvbuf(file->out, NULL, _IOFBF, EXPORT_BUFFER_SIZE)) {
			__fsetlocking(file->out, FSETLOCKING_BYCALLER); /* only one thread writes */
			return 0;
		}
		output_file_refuse(path, err);
	}
	export_file_close(file);
	return -1;
}

int export_file_check(const struct export_file *file, struct err *err)
{
	const struct export_stream *stream = file->stream;

	if (!stream->problem)
		return 0;
	if (stream->problem == EFBIG)
		return err_set(err, "%s: has reached the file size limit ('ulimit -f')",
			       stream->path);
	errno = stream->problem;
	return output_file_refuse(stream->path, err);
}

void export_file_restart(struct export_file *file)
{
	struct export_stream *stream = file->stream;

	fflush(file->out);
	if (lseek(stream->output.fd, 0, SEEK_SET) || ftruncate(stream->output.fd, 0))
		stream->problem = stream->problem ? stream->problem : errno;
}

int export_file_publish(struct export_file *file, struct err *err)
{
	struct export_stream *stream = file->stream;

	fclose(file->out);
	file->out = NULL;
	if (stream->packed && gzclose(stream->packed) != Z_OK && !stream->problem)
		stream->problem = errno ? errno : EIO;
	stream->packed = NULL;
	if (export_file_check(file, err))
		return -1;
	return output_file_publish(&stream->output,
				   stream->replace ? OUTPUT_REPLACES : OUTPUT_IS_NEW, err);
}

void export_file_close(struct export_file *file)
{
	struct export_stream *stream = file->stream;
	struct err ignored;

	if (!stream)
		return;
	if (file->out)
		fclose(file->out);
	if (stream->packed)
		gzclose(stream->packed);
	output_file_close(&stream->output, &ignored);
	free(stream);
	*file = (struct export_file){.out = NULL};
}

/* --- Values -------------------------------------------------------------------------------- */

void export_put_count(FILE *out, int64_t count)
{
	enum { DIGITS = 20 };
	uint64_t rest = count < 0 ? -(uint64_t)count : (uint64_t)count;
	char text[DIGITS + 1], *at = text + sizeof(text);

	do {
		*--at = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (count < 0)
		*--at = '-';
	fwrite(at, 1, (size_t)(text + sizeof(text) - at), out);
}

void export_put_us(FILE *out, uint64_t time_ns)
{
	fprintf(out, "%" PRIu64 ".%03" PRIu64, time_ns / 1000, time_ns % 1000);
}

void export_put_ms(FILE *out, uint64_t time_ns)
{
	fprintf(out, "%" PRIu64 ".%06" PRIu64, time_ns / 1000000, time_ns % 1000000);
}
