/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_private.h"

#include "base/alloc.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Known functions ----------------------------------------------------------------------- */

enum { NAME_MAX_LENGTH = 63 };

/*
 * Functions of the C library whose duration is known to depend on their arguments or their input:
 * more bytes take longer to copy, and a sleep has the length asked for. Variation of these is not
 * interference, or not known to be. Blanks are around each name.
 */
static const char known[] =
	" bcmp bcopy bsearch bzero calloc clock_nanosleep compress copy_file_range"
	" crc32 deflate epoll_pwait epoll_wait fgets fprintf fputs fread free fscanf"
	" fwrite getdelim getline inflate lfind lsearch malloc memccpy memchr memcmp"
	" memcpy memmem memmove mempcpy memrchr memset mmap mremap munmap nanosleep"
	" poll posix_memalign ppoll pread pread64 preadv printf pselect pwrite"
	" pwrite64 pwritev qsort qsort_r rawmemchr read readv realloc recv recvfrom"
	" recvmsg regexec select send sendfile sendfile64 sendmsg sendto sleep"
	" snprintf splice sprintf sscanf stpcpy stpncpy strcasecmp strcasestr strcat"
	" strchr strchrnul strcmp strcpy strcspn strdup strlen strncasecmp strncat"
	" strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr strtok"
	" strtok_r sync_file_range tfind tsearch uncompress usleep vfprintf vsnprintf"
	" wcscpy wcslen wmemcpy wmemset write writev ";

static bool is_known(const char *name)
{
	char word[NAME_MAX_LENGTH + 3];

	snprintf(word, sizeof(word), " %s ", name);
	return !strchr(name, ' ') && strstr(known, word);
}

/* Suffixes of glibc's variants for a CPU, and of those that check the length. */
static const char *const suffixes[] = {"_chk",	"_avx",	 "_sse2", "_ssse3",
				       "_sse4", "_evex", "_erms", "_nocancel"};

/* Cuts the name before a suffix. */
static void cut_suffix(char *name)
{
	char *at = strchr(name, '@');

	if (at)
		*at = '\0';
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if ((at = strstr(name, suffixes[i])))
			*at = '\0';
}

/* Cuts prefixes, as in __GI___libc_write, another name for write within glibc. */
static const char *cut_prefixes(const char *name)
{
	static const char *const prefixes[] = {"_", "GI_", "libc_"};
	bool cut = true;

	while (cut) {
		cut = false;
		for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
			size_t length = strlen(prefixes[i]);

			if (strncmp(name, prefixes[i], length) == 0) {
				name += length;
				cut = true;
			}
		}
	}
	return name;
}

/* Returns true also for "__memcpy_chk", "memcpy@plt", "libc.so.6:memcpy" and the like. */
static bool is_known_dependent(const char *name)
{
	const char *colon = strrchr(name, ':');
	char base[NAME_MAX_LENGTH + 1];

	name = cut_prefixes(colon ? colon + 1 : name);
	if (strlen(name) >= sizeof(base))
		return false;
	strcpy(base, name);
	cut_suffix(base);
	return is_known(base);
}

/* --- The slope ----------------------------------------------------------------------------- */

/*
 * The slope of a line through points with outliers: the median of the slopes through two points
 * each [Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968]. The rank of
 * the median of drawn pairs among all pairs has a standard deviation of 0.2 %.
 */
enum {
	THEIL_SEN_EXACT = 400,	 /* up to this many points all pairs are taken */
	THEIL_SEN_DRAWN = 50000, /* pairs drawn from more points, always the same */
};

struct slopes {
	double *items;
	size_t count;
};

static void add_slope(struct slopes *slopes, const double *x, const double *y, size_t i, size_t k)
{
	if (x[i] < x[k] || x[i] > x[k])
		slopes->items[slopes->count++] = (y[k] - y[i]) / (x[k] - x[i]);
}

static void add_all(struct slopes *slopes, const double *x, const double *y, size_t count)
{
	slopes->items = xreallocarray(NULL, count * (count - 1) / 2, sizeof(*slopes->items));
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++)
			add_slope(slopes, x, y, i, k);
}

static void add_drawn(struct slopes *slopes, const double *x, const double *y, size_t count)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);

	gsl_rng_set(random, 1);
	slopes->items = xreallocarray(NULL, THEIL_SEN_DRAWN, sizeof(*slopes->items));
	for (size_t i = 0; i < THEIL_SEN_DRAWN; i++)
		add_slope(slopes, x, y, gsl_rng_uniform_int(random, count),
			  gsl_rng_uniform_int(random, count));
	gsl_rng_free(random);
}

/* Returns the slope from pairs with different x; NAN if there are none. */
static double theil_sen_slope(const double *x, const double *y, size_t count)
{
	struct slopes slopes = {0};
	double slope = NAN;

	if (count <= THEIL_SEN_EXACT)
		add_all(&slopes, x, y, count);
	else
		add_drawn(&slopes, x, y, count);
	if (slopes.count)
		slope = gsl_stats_median(slopes.items, 1, slopes.count);
	free(slopes.items);
	return slope;
}

/* --- The test of one argument -------------------------------------------------------------- */

static const double SPEARMAN_LEAST = 0.5, CHANCE_MOST = 0.001;
/* Addresses in the memory of programs on 64-bit machines. */
static const double ADDRESS_LEAST = 0x1p40, ADDRESS_BEYOND = 0x1p48;

static bool is_worth_a_test(const double *x, size_t count)
{
	bool differ = false, addresses = true;

	if (count < RDAM_TESTED_LEAST)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!isfinite(x[i]))
			return false;
		differ |= x[i] < x[0] || x[i] > x[0];
		addresses &= x[i] >= ADDRESS_LEAST && x[i] < ADDRESS_BEYOND;
	}
	return differ && !addresses;
}

static bool is_beyond_chance(double spearman, size_t count)
{
	double degrees = (double)count - 2, rest = 1 - spearman * spearman;
	double t = fabs(spearman) * sqrt(degrees / rest);

	if (fabs(spearman) < SPEARMAN_LEAST)
		return false;
	return rest <= 0 || 2 * gsl_cdf_tdist_Q(t, degrees) < CHANCE_MOST;
}

static double sum_lost(const double *durations, size_t count)
{
	double least = gsl_stats_min(durations, 1, count), sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += durations[i] - least;
	return sum;
}

/* Returns the loss if each value has a min of its own. */
static double lost_by_value(const double *x, const double *durations, size_t count, size_t *values)
{
	size_t *order = xreallocarray(NULL, count, sizeof(*order));
	double *group = xreallocarray(NULL, count, sizeof(*group));
	double sum = 0;

	gsl_sort_index(order, x, 1, count);
	*values = 0;
	for (size_t i = 0, length; i < count; i += length) {
		for (length = 0; i + length < count && x[order[i + length]] <= x[order[i]];
		     length++)
			group[length] = durations[order[i + length]];
		sum += sum_lost(group, length);
		++*values;
	}
	free(order);
	free(group);
	return sum;
}

static double lost_beside_line(const double *x, const double *durations, size_t count, double slope)
{
	double *rest = xreallocarray(NULL, count, sizeof(*rest)), sum;

	for (size_t i = 0; i < count; i++)
		rest[i] = durations[i] - slope * x[i];
	sum = sum_lost(rest, count);
	free(rest);
	return sum;
}

struct rdam_dependence rdam_dependence_of(const double *x, const double *durations_ns, size_t count)
{
	struct rdam_dependence dependence = {.tested = is_worth_a_test(x, count)};
	double all = dependence.tested ? sum_lost(durations_ns, count) : 0, slope, left;
	size_t values;
	double *work;

	if (all <= 0)
		return dependence;
	work = xreallocarray(NULL, 2 * count, sizeof(*work));
	dependence.spearman = gsl_stats_spearman(x, 1, durations_ns, 1, count, work);
	free(work);
	dependence.depends = is_beyond_chance(dependence.spearman, count);
	if (!dependence.depends)
		return dependence;
	slope = theil_sen_slope(x, durations_ns, count);
	slope = isfinite(slope) ? slope : 0;
	left = lost_by_value(x, durations_ns, count, &values);
	dependence.by_value = count >= RDAM_PER_VALUE * values;
	if (!dependence.by_value)
		left = lost_beside_line(x, durations_ns, count, slope);
	dependence.slope = slope / 1e9;
	dependence.score = left < all ? left / all : 1;
	return dependence;
}

/* --- A row --------------------------------------------------------------------------------- */

/* The drawn calls: their durations, and their arguments. */
struct drawn {
	double *durations_ns;
	double *x[RDAM_DEPENDENCES];
	size_t count;
};

static void drawn_add(struct drawn *drawn, const struct rdam_scope *scope, struct rdam_place *at,
		      const struct occurrence *occurrence, double duration_ns)
{
	const double *arguments;
	size_t count;

	rdam_place_at(at, scope, occurrence->begin);
	arguments = rdam_arguments_of(scope->trace, at, &count);
	for (size_t i = 0; i < BLOCK_ARGUMENTS; i++)
		drawn->x[i][drawn->count] = i < count ? arguments[i] : NAN;
	drawn->x[RDAM_CALLS][drawn->count] = (occurrence->end - occurrence->begin) / 2. - 1;
	drawn->durations_ns[drawn->count++] = duration_ns;
}

/* Draws calls, each with the probability that remains for it [Knuth 3.4.2, algorithm S]. */
static void drawn_take(struct drawn *drawn, const struct rdam_scope *scope,
		       const struct occurrence *occurrences, const double *durations_ns,
		       size_t count)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
	size_t wanted = count < RDAM_DRAWN ? count : RDAM_DRAWN;
	struct rdam_place at = {0};

	gsl_rng_set(random, 1);
	for (size_t i = 0; i < count; i++) {
		size_t missing = wanted - drawn->count;

		if (missing == count - i ||
		    gsl_rng_uniform(random) * (double)(count - i) < (double)missing)
			drawn_add(drawn, scope, &at, &occurrences[i], durations_ns[i]);
	}
	gsl_rng_free(random);
}

static void measure_drawn(struct rdam_row *row, const struct drawn *drawn)
{
	row->grouped_score = row->score;
	for (size_t i = 0; i < RDAM_DEPENDENCES; i++) {
		struct rdam_dependence *dependence = &row->dependence[i];

		*dependence = rdam_dependence_of(drawn->x[i], drawn->durations_ns, drawn->count);
		dependence->score *= row->score;
		row->parameter_dependent |= dependence->depends;
		if (dependence->depends && dependence->score < row->grouped_score)
			row->grouped_score = dependence->score;
	}
}

void rdam_dependence_measure(struct rdam_row *row, const struct rdam_scope *scope,
			     const struct occurrence *occurrences, const double *durations_ns,
			     size_t count)
{
	size_t room = count < RDAM_DRAWN ? count : RDAM_DRAWN;
	struct drawn drawn = {.durations_ns = xreallocarray(NULL, room, sizeof(double))};

	for (size_t i = 0; i < RDAM_DEPENDENCES; i++)
		drawn.x[i] = xreallocarray(NULL, room, sizeof(double));
	drawn_take(&drawn, scope, occurrences, durations_ns, count);
	row->known_dependent =
		row->is_block && is_known_dependent(scope->trace->blocks->items[row->block].name);
	row->parameter_dependent = row->known_dependent;
	measure_drawn(row, &drawn);
	free(drawn.durations_ns);
	for (size_t i = 0; i < RDAM_DEPENDENCES; i++)
		free(drawn.x[i]);
}
