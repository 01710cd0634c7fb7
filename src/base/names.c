/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/names.h"

#include "base/alloc.h"

#include <ctype.h>
#include <dirent.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- Names of C++ and Rust ----------------------------------------------------------------- */

struct readable {
	jmp_buf too_long;
	bool is_rust, is_cut;
	size_t length;
	char text[DEMANGLED_MAX + 1];
};

static bool is_ascii(const char *part, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)part[i] & 0x80)
			return false;
	return true;
}

/*
 * Appends a part of the readable name. A few letters of a mangled name can double the text, so that
 * only leaving the library bounds the time. In a Rust name, a part that is not ASCII is in memory
 * that the library frees after this call: the library is left at the next part, which is ASCII, as
 * all text between names is.
 */
static void add_part(const char *part, size_t length, void *context)
{
	struct readable *readable = context;
	size_t room = DEMANGLED_MAX - readable->length;

	if (!length) /* `part` may be NULL */
		return;
	if (length > room && (!readable->is_rust || is_ascii(part, length)))
		longjmp(readable->too_long, 1);
	readable->is_cut |= length > room;
	length = length > room ? room : length;
	memcpy(readable->text + readable->length, part, length);
	readable->length += length;
}

enum { MANY_LIFETIMES = 1 << 12 };

static unsigned digit_of_base_62(char digit)
{
	static const char lower[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	const char *at = strchr(lower, digit);

	return at ? (unsigned)(at - lower) : 36 + (unsigned)(digit - 'A');
}

/*
 * Rust's FG or DG, digits of base 62, _: a number of lifetimes. Returns the number behind a G, up
 * to about MANY_LIFETIMES; 0: none.
 */
static unsigned lifetimes_at(const char *name, const char *at)
{
	unsigned number = 0;

	if (at == name || !strchr("FD", at[-1]))
		return 0;
	while (isalnum((unsigned char)*++at))
		if (number <= MANY_LIFETIMES)
			number = 62 * number + digit_of_base_62(*at);
	return *at == '_' ? number : 0;
}

/*
 * The library takes 30 ns for each lifetime, also where it prints none: .2 ms in all, or 5 ms if
 * back references visit them again, which is at most once for a few bytes of the result. Real
 * programs have a few. Letters of an identifier, such as DGEMM_init, look like a number.
 */
static bool has_many_lifetimes(const char *name)
{
	const unsigned most = strchr(name, 'B') ? 61 : MANY_LIFETIMES;
	unsigned count = 0;

	for (const char *at = name; (at = strchr(at, 'G')) && count <= most; at++)
		count += lifetimes_at(name, at);
	return count > most;
}

/*
 * Returns whether a C++ name has a Dp and many back references S0_, S1_, ... Dp expands a pack of
 * types, which the library looks for along each way through the references, before it prints
 * anything: n references may stand for 2^n ways.
 */
static bool has_many_ways(const char *name)
{
	enum { MOST = 16 };
	size_t references = 0;

	if (!strstr(name, "Dp"))
		return false;
	for (const char *at = name; (at = strchr(at, 'S')); at++)
		references += at[1] == '_' || isdigit((unsigned char)at[1]) ||
			      isupper((unsigned char)at[1]);
	return references > MOST;
}

static bool make_readable(struct readable *readable, const char *name)
{
	enum { OPTIONS = DMGL_PARAMS | DMGL_TYPES };

	*readable = (struct readable){.is_rust = true};
	if (setjmp(readable->too_long))
		return false;
	if (rust_demangle_callback(name, OPTIONS, add_part, readable))
		return !readable->is_cut;
	readable->is_rust = false;
	readable->length = 0;
	return name[1] == 'Z' && !has_many_ways(name) &&
	       cplus_demangle_v3_callback(name, OPTIONS, add_part, readable);
}

/*
 * Returns whether what looks like many lifetimes are letters of identifiers: then the name can also
 * be read with other letters in their place. A lifetime cannot, as no type begins with a g. Numbers
 * of up to 9 stay, as lifetimes may have them.
 */
static bool has_such_identifiers(struct readable *readable, const char *name)
{
	char *other = xstrdup(name);
	bool result;

	for (char *at = other; (at = strchr(at, 'G')); at++)
		if (lifetimes_at(other, at) > 9)
			*at = 'g';
	result = !has_many_lifetimes(other) && make_readable(readable, other);
	free(other);
	return result;
}

char *demangle(const char *name)
{
	struct readable readable;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') || strlen(name) > DEMANGLE_MAX ||
	    (name[1] == 'R' && has_many_lifetimes(name) &&
	     !has_such_identifiers(&readable, name)) ||
	    !make_readable(&readable, name))
		return NULL;
	readable.text[readable.length] = '\0';
	return xstrdup(readable.text);
}

char *demangle_or_copy(const char *name)
{
	char *better = demangle(name);

	return better ? better : xstrdup(name);
}

/* Returns the place of the '(' that the ')' at `end` closes; 0: none. */
static size_t find_opening(const char *name, size_t end)
{
	size_t depth = 0;

	for (size_t at = end + 1; at-- > 0;) {
		depth += name[at] == ')';
		if (name[at] == '(' && --depth == 0)
			return at;
	}
	return 0;
}

/* The arguments may be followed by " const", "[abi:cxx11]" or " [clone .cold]". */
size_t demangled_length(const char *name)
{
	const char *last = strrchr(name, ')');
	size_t end, opening;

	if (!last || strchr(last, '>') || strstr(last, "::"))
		return strlen(name);
	end = (size_t)(last - name);
	opening = find_opening(name, end);
	return opening ? opening : strlen(name);
}

size_t numbered_stem(const char *name, size_t length)
{
	while (length && isdigit((unsigned char)name[length - 1]))
		length--;
	return length;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t edit_distance(const char *from, size_t from_length, const char *to, size_t to_length)
{
	size_t rows[3][EDIT_DISTANCE_MAX + 1];
	size_t *before = rows[0], *last = rows[1], *row = rows[2], *oldest;

	from_length = smaller(from_length, EDIT_DISTANCE_MAX);
	to_length = smaller(to_length, EDIT_DISTANCE_MAX);
	for (size_t k = 0; k <= to_length; k++)
		row[k] = k;
	for (size_t i = 1; i <= from_length; i++) {
		oldest = before;
		before = last;
		last = row;
		row = oldest;
		row[0] = i;
		for (size_t k = 1; k <= to_length; k++) {
			size_t changed = last[k - 1] + (from[i - 1] != to[k - 1]);

			row[k] = smaller(changed, smaller(last[k], row[k - 1]) + 1);
			if (i > 1 && k > 1 && from[i - 1] == to[k - 2] && from[i - 2] == to[k - 1])
				row[k] = smaller(row[k], before[k - 2] + 1);
		}
	}
	return row[to_length];
}

/* --- Near names ----------------------------------------------------------------------------- */

/*
 * Distances of names with too many wrong letters: names that contain the typed text (PART) come
 * behind all others, and files with the same ending (ENDING) behind these. FAR: not near.
 */
enum { LETTERS_MAX = 63, PART = 64, ENDING = 1024, FAR = 2048 };

static size_t wrong_letters(const char *typed, size_t length, const char *name, size_t name_length)
{
	size_t longer = length > name_length ? length : name_length, wrong;

	if (longer > LETTERS_MAX)
		return FAR;
	wrong = edit_distance(typed, length, name, name_length);
	return wrong <= (longer < 3 ? 1 : longer / 3) ? wrong + 1 : FAR;
}

static size_t nearest_distance(const char *typed, const char *name)
{
	size_t length = strlen(typed), name_length = strlen(name), wrong;

	if (!length || name_length >= NEAREST_NAME_SIZE)
		return FAR;
	if (strcasecmp(typed, name) == 0)
		return 0;
	if (length > 1 && strncmp(typed, name, length) == 0)
		return 1;
	wrong = wrong_letters(typed, length, name, name_length);
	return wrong == FAR && length > 2 && strstr(name, typed) ? PART + name_length : wrong;
}

void nearest_init(struct nearest *nearest, const char *typed)
{
	*nearest = (struct nearest){.typed = typed};
}

/*
 * Returns whether a name is nearer than that at `at`; equally near ones are in alphabetical order.
 */
static bool is_nearer(size_t distance, const char *name, const struct nearest *nearest, size_t at)
{
	if (distance != nearest->distances[at])
		return distance < nearest->distances[at];
	return strcmp(name, nearest->names[at]) < 0;
}

static bool is_kept(const struct nearest *nearest, const char *name)
{
	for (size_t i = 0; i < nearest->count; i++)
		if (strcmp(nearest->names[i], name) == 0)
			return true;
	return false;
}

static void nearest_offer(struct nearest *nearest, const char *name, size_t distance)
{
	size_t at = nearest->count;

	if (distance >= FAR || strlen(name) >= NEAREST_NAME_SIZE || is_kept(nearest, name) ||
	    (at == NEAREST_MAX && !is_nearer(distance, name, nearest, at - 1)))
		return;
	if (at == NEAREST_MAX)
		at--;
	else
		nearest->count++;
	for (; at > 0 && is_nearer(distance, name, nearest, at - 1); at--) {
		memcpy(nearest->names[at], nearest->names[at - 1], NEAREST_NAME_SIZE);
		nearest->distances[at] = nearest->distances[at - 1];
	}
	memcpy(nearest->names[at], name, strlen(name) + 1);
	nearest->distances[at] = distance;
}

void nearest_try(struct nearest *nearest, const char *name)
{
	nearest_offer(nearest, name, nearest_distance(nearest->typed, name));
}

/* --- Files --------------------------------------------------------------------------------- */

static bool has_same_ending(const char *a, const char *b)
{
	const char *ending = strrchr(a, '.'), *other = strrchr(b, '.');

	return ending && other && strcmp(ending, other) == 0;
}

/* Offers the files of a directory that are near or have the same ending, except hidden ones. */
static void read_names(struct nearest *nearest, DIR *directory)
{
	const struct dirent *entry;

	for (int i = 0; i < NEAREST_FILES_MAX && (entry = readdir(directory)); i++) {
		const char *name = entry->d_name;
		size_t distance = nearest_distance(nearest->typed, name);

		if (distance == FAR && has_same_ending(name, nearest->typed))
			distance = ENDING;
		if (*name != '.' && entry->d_type != DT_DIR)
			nearest_offer(nearest, name, distance);
	}
}

void nearest_files(struct nearest *nearest, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = slash ? xasprintf("%.*s", (int)(slash - path + 1), path) : xstrdup(".");
	DIR *directory = opendir(name);

	nearest_init(nearest, slash ? slash + 1 : path);
	if (directory) {
		read_names(nearest, directory);
		closedir(directory);
	}
	free(name);
}

/* --- Sentences ----------------------------------------------------------------------------- */

char *nearest_list(const struct nearest *nearest)
{
	char *list = xstrdup("");
	size_t count = 0;

	while (count < nearest->count && nearest->distances[count] <= nearest->distances[0] + 1)
		count++;
	for (size_t i = 0; i < count; i++) {
		const char *between = i == 0 ? "" : i + 1 < count ? ", " : " or ";
		char *longer = xasprintf("%s%s'%s'", list, between, nearest->names[i]);

		free(list);
		list = longer;
	}
	return list;
}

char *nearest_question(const struct nearest *nearest)
{
	char *list, *question;

	if (!nearest->count)
		return NULL;
	list = nearest_list(nearest);
	question = xasprintf("did you mean %s?", list);
	free(list);
	return question;
}
