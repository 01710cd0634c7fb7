/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/unpack.h"

#include "base/alloc.h"
#include "base/err.h"

#define ZLIB_CONST /* next_in points to bytes that are only read */
#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* The window of zstd's default limit: frames that refer back at most 128 MiB. */
enum { WINDOW_LOG_MAX = 27 };

/* For inflateInit2: the largest window, and a header and trailer of gzip. */
enum { GZIP_WINDOW_BITS = 15 + 16 };

struct unpack_kind {
	const char *name;
	bool (*begin)(struct unpack *unpack); /* false: out of memory */
	void (*end)(struct unpack *unpack);
	/* Unpacks a piece. Returns NULL, or a text of the error. */
	const char *(*step)(struct unpack *unpack, struct unpack_span *span);
};

struct unpack {
	const struct unpack_kind *kind;
	bool inside;	/* a member or frame is not complete yet */
	bool any;	/* a member or frame is complete */
	uint64_t taken; /* packed bytes so far */
	uint64_t whole; /* ... up to the end of the last complete one */
	z_stream gzip;
	ZSTD_DCtx *zstd;
};

/* --- gzip ---------------------------------------------------------------------------------- */

static bool gzip_begin(struct unpack *unpack)
{
	return inflateInit2(&unpack->gzip, GZIP_WINDOW_BITS) == Z_OK;
}

static void gzip_end(struct unpack *unpack)
{
	inflateEnd(&unpack->gzip);
}

static void pass_zeros(struct unpack_span *span)
{
	while (span->in_count && !*span->in) {
		span->in++;
		span->in_count--;
	}
}

static unsigned at_most(size_t count)
{
	return count < UINT32_MAX ? (unsigned)count : UINT32_MAX;
}

static const char *gzip_step(struct unpack *unpack, struct unpack_span *span)
{
	z_stream *stream = &unpack->gzip;
	unsigned in = at_most(span->in_count), out = at_most(span->out_count);
	int rc;

	if (!unpack->inside && unpack->any) {
		pass_zeros(span);
		in = at_most(span->in_count);
		if (!in)
			return NULL;
	}
	stream->next_in = (const Bytef *)span->in;
	stream->avail_in = in;
	stream->next_out = (Bytef *)span->out;
	stream->avail_out = out;
	rc = inflate(stream, Z_NO_FLUSH);
	unpack->inside = stream->total_in > 0;
	span->in += in - stream->avail_in;
	span->in_count -= in - stream->avail_in;
	span->out += out - stream->avail_out;
	span->out_count -= out - stream->avail_out;
	if (rc == Z_STREAM_END) {
		unpack->inside = false;
		unpack->any = true;
		inflateReset(stream);
		return NULL;
	}
	if (rc == Z_OK || rc == Z_BUF_ERROR)
		return NULL;
	unpack->inside = stream->total_in > 2; /* otherwise the magic is wrong */
	return stream->msg ? stream->msg : "it needs a dictionary";
}

/* --- zstd ---------------------------------------------------------------------------------- */

static bool zstd_begin(struct unpack *unpack)
{
	unpack->zstd = ZSTD_createDCtx();
	return unpack->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(
				       unpack->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX));
}

static void zstd_end(struct unpack *unpack)
{
	ZSTD_freeDCtx(unpack->zstd);
}

static const char *zstd_step(struct unpack *unpack, struct unpack_span *span)
{
	ZSTD_inBuffer in = {span->in, span->in_count, 0};
	ZSTD_outBuffer out = {span->out, span->out_count, 0};
	size_t rc = ZSTD_decompressStream(unpack->zstd, &out, &in);

	span->in += in.pos;
	span->in_count -= in.pos;
	span->out += out.pos;
	span->out_count -= out.pos;
	if (ZSTD_getErrorCode(rc) == ZSTD_error_frameParameter_windowTooLarge)
		return "it needs the option --long of zstd";
	if (ZSTD_isError(rc))
		return ZSTD_getErrorName(rc);
	if (in.pos || out.pos) {
		unpack->inside = rc != 0;
		unpack->any |= rc == 0;
	}
	return NULL;
}

/* --- Choice --------------------------------------------------------------------------------- */

static const struct unpack_kind gzip = {"gzip", gzip_begin, gzip_end, gzip_step};
static const struct unpack_kind zstd = {"zstd", zstd_begin, zstd_end, zstd_step};

/* A question mark stands for any byte. */
static const struct {
	const char *magic;
	size_t length;
	const char *name;
	const struct unpack_kind *kind; /* NULL: not supported */
} packers[] = {
	{"\x1f\x8b", 2, "gzip", &gzip},
	{"\x28\xb5\x2f\xfd", 4, "zstd", &zstd},
	{"?\x2a\x4d\x18", 4, "zstd", &zstd}, /* a skippable frame, the first of pzstd */
	{"\xfd"
	 "7zXZ\0",
	 6, "xz", NULL},
	{"BZh?1AY&SY", 10, "bzip2", NULL},
	{"\x04\x22\x4d\x18", 4, "lz4", NULL},
};

static bool begins_with(const char *bytes, const char *magic, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (magic[i] != '?' && bytes[i] != magic[i])
			return false;
	return true;
}

bool unpack_wants_more(const void *bytes, size_t count)
{
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++)
		if (count < packers[i].length && begins_with(bytes, packers[i].magic, count))
			return true;
	return false;
}

static int begin_kind(struct unpack **unpack, const struct unpack_kind *kind, struct err *err)
{
	struct unpack *made = xcalloc(1, sizeof(*made));

	made->kind = kind;
	if (!kind->begin(made)) {
		unpack_free(made);
		return err_set(err, "there is not enough memory to unpack its %s data", kind->name);
	}
	*unpack = made;
	return 0;
}

int unpack_new(struct unpack **unpack, const void *bytes, size_t count, struct err *err)
{
	*unpack = NULL;
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++) {
		if (count < packers[i].length ||
		    !begins_with(bytes, packers[i].magic, packers[i].length))
			continue;
		if (!packers[i].kind)
			return err_set(err,
				       "is packed by %s, which pscal cannot unpack: pipe in the "
				       "output of '%s -dc'",
				       packers[i].name, packers[i].name);
		return begin_kind(unpack, packers[i].kind, err);
	}
	return 0;
}

void unpack_free(struct unpack *unpack)
{
	if (!unpack)
		return;
	unpack->kind->end(unpack);
	free(unpack);
}

static int refuse(const struct unpack *unpack, const char *why, struct err *err)
{
	const char *name = unpack->kind->name;

	if (unpack->any && !unpack->inside)
		return err_set(err,
			       "has other data after %" PRIu64
			       " bytes of %s data; '%s -dc' unpacks the part before",
			       unpack->whole, name, name);
	return err_set(err,
		       "its %s data cannot be unpacked beyond byte %" PRIu64
		       ": %s; '%s -dc' unpacks the part before",
		       name, unpack->taken, why, name);
}

int unpack_run(struct unpack *unpack, struct unpack_span *span, struct err *err)
{
	size_t in, out;

	do {
		const char *why;

		in = span->in_count;
		out = span->out_count;
		why = unpack->kind->step(unpack, span);
		unpack->taken += in - span->in_count;
		if (why)
			return refuse(unpack, why, err);
		if (!unpack->inside)
			unpack->whole = unpack->taken;
	} while (span->out_count && span->in_count &&
		 (span->in_count < in || span->out_count < out));
	return span->out_count && span->in_count ? refuse(unpack, "it is damaged", err) : 0;
}

int unpack_finish(const struct unpack *unpack, struct err *err)
{
	if (!unpack->inside && unpack->any)
		return 0;
	return err_set(err,
		       "its %s data ends too early, after %" PRIu64
		       " bytes; '%s -dc' unpacks the part that is there",
		       unpack->kind->name, unpack->taken, unpack->kind->name);
}
