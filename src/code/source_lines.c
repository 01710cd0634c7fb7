/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/source_lines.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/guarded.h"
#include "base/map.h"
#include "base/sorted.h"
#include "code/object.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- The line table of a file -------------------------------------------------------------- */

/*
 * The lines of the source come from the DWARF line tables of a file, or of its separate file with
 * debug information (object_open_debug()). libdw trusts the tables and may crash on damaged ones,
 * so only the guarded process of a file reads them.
 */

/* A range of code of a unit of the source; a unit may have several. */
struct unit_range {
	Dwarf_Addr begin, end;
	Dwarf_Off unit; /* its entry */
};

/* A variable of the source at a fixed address. */
struct variable_place {
	Dwarf_Addr address;
	Dwarf_Off entry;
};

struct line_table {
	struct object object, debug;
	Dwarf *dwarf;
	struct unit_range *ranges;
	size_t count, capacity;
	struct variable_place *variables; /* read for the first question */
	size_t variable_count, variable_capacity;
	bool has_variables;
};

/* The limit for damaged files. */
enum { RANGES_MAX = 1 << 22 };

static void line_table_close(struct line_table *table)
{
	if (!table)
		return;
	dwarf_end(table->dwarf);
	object_close(&table->object);
	object_close(&table->debug);
	free(table->ranges);
	free(table->variables);
	free(table);
}

static int units_by_begin(const void *a, const void *b)
{
	const struct unit_range *one = a, *other = b;

	return compare_values(one->begin, other->begin);
}

static void add_unit_ranges(struct line_table *table, Dwarf_Die *unit)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while (table->count < RANGES_MAX &&
	       (at = dwarf_ranges(unit, at, &base, &begin, &end)) > 0) {
		array_reserve(&table->ranges, &table->capacity, table->count + 1);
		table->ranges[table->count++] =
			(struct unit_range){begin, end, dwarf_dieoffset(unit)};
	}
}

/* Adds the ranges of all units, as not every compiler writes a table of them (.debug_aranges). */
static void add_units(struct line_table *table)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die unit;

	while (dwarf_nextcu(table->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(table->dwarf, at + header, &unit))
			add_unit_ranges(table, &unit);
		at = next;
	}
	sort_items(table->ranges, table->count, units_by_begin);
}

static bool find_unit(Dwarf_Die *unit, const struct line_table *table, Dwarf_Addr address)
{
	size_t behind = find_first(i, 0, table->count, table->ranges[i].begin > address);

	return behind && address < table->ranges[behind - 1].end &&
	       dwarf_offdie(table->dwarf, table->ranges[behind - 1].unit, unit);
}

static Dwarf *begin_dwarf(const struct object *object)
{
	return object_section(object, ".debug_line")
		       ? dwarf_begin_elf(object->elf, DWARF_C_READ, NULL)
		       : NULL;
}

/* Opens the line table of a file; NULL: none. `root` is above all paths; NULL: any. */
static struct line_table *line_table_open(const char *path, const char *root)
{
	struct line_table *table = xcalloc(1, sizeof(*table));

	object_open(&table->object, path);
	table->dwarf = begin_dwarf(&table->object);
	if (!table->dwarf && object_open_debug(&table->debug, &table->object, root))
		table->dwarf = begin_dwarf(&table->debug);
	if (!table->dwarf) {
		line_table_close(table);
		return NULL;
	}
	add_units(table);
	return table;
}

/*
 * Returns the line of the code at `offset` of the file; 0: none. Sets *source to its file, borrowed
 * until the table is closed, unless there is none.
 */
static uint32_t line_table_find(const char **source, const struct line_table *table,
				uint64_t offset)
{
	const char *name;
	Dwarf_Addr address;
	Dwarf_Die unit;
	Dwarf_Line *row;
	int number;

	if (!object_address(&address, &table->object, offset) || !find_unit(&unit, table, address))
		return 0;
	row = dwarf_getsrc_die(&unit, address);
	/* Code that belongs to no line has number 0 (DWARF 5, 6.2.2). */
	if (!row || dwarf_lineno(row, &number) || number <= 0)
		return 0;
	name = dwarf_linesrc(row, NULL, NULL);
	if (!name || !*name)
		return 0;
	*source = name;
	return (uint32_t)number;
}

/* --- Parts of variables -------------------------------------------------------------------- */

/*
 * The limits, as references of a damaged file may form circles. The largest programs have some ten
 * million entries, but most are types, which are skipped.
 */
enum {
	ENTRIES_MAX = 1 << 23,
	VARIABLES_MAX = 1 << 20,
	SCOPES_MAX = 16,     /* nested */
	PEELS_MAX = 16,	     /* typedef, const, ... around one type */
	PARTS_MAX = 16,	     /* nested */
	MEMBERS_MAX = 1024,  /* of one type */
	DIMENSIONS_MAX = 4,  /* of one array */
	PART_TEXT_MAX = 256, /* bytes */
};

static bool find_variable_address(Dwarf_Addr *address, Dwarf_Die *variable)
{
	Dwarf_Attribute location, indirect;
	size_t count;
	Dwarf_Op *op;

	if (!dwarf_attr(variable, DW_AT_location, &location) ||
	    dwarf_getlocation(&location, &op, &count) || count != 1)
		return false;
	if (op->atom == DW_OP_addrx)
		return dwarf_getlocation_attr(&location, op, &indirect) == 0 &&
		       dwarf_formaddr(&indirect, address) == 0;
	*address = op->number;
	return op->atom == DW_OP_addr;
}

static void add_variable(struct line_table *table, Dwarf_Die *variable)
{
	Dwarf_Addr address;

	if (table->variable_count == VARIABLES_MAX || !find_variable_address(&address, variable))
		return;
	array_reserve(&table->variables, &table->variable_capacity, table->variable_count + 1);
	table->variables[table->variable_count++] =
		(struct variable_place){address, dwarf_dieoffset(variable)};
}

static void add_variables_of(struct line_table *table, Dwarf_Die *scope, size_t depth, size_t *left)
{
	Dwarf_Die entry;

	if (depth == SCOPES_MAX || dwarf_child(scope, &entry))
		return;
	do {
		int tag = dwarf_tag(&entry);

		if (tag == DW_TAG_variable)
			add_variable(table, &entry);
		else if (tag == DW_TAG_namespace || tag == DW_TAG_subprogram ||
			 tag == DW_TAG_lexical_block)
			add_variables_of(table, &entry, depth + 1, left);
	} while (*left && --*left && dwarf_siblingof(&entry, &entry) == 0);
}

static int variables_by_address(const void *a, const void *b)
{
	const struct variable_place *one = a, *other = b;

	return compare_values(one->address, other->address)
		       ?: compare_values(one->entry, other->entry);
}

/* Reads the variables, unless names and types are in another file (.gnu_debugaltlink, by dwz). */
static void read_variables(struct line_table *table)
{
	const struct object *object = table->debug.elf ? &table->debug : &table->object;
	Dwarf_Off at = 0, next;
	size_t header, left = ENTRIES_MAX;
	Dwarf_Die unit;

	table->has_variables = true;
	if (object_section(object, ".gnu_debugaltlink"))
		return;
	while (left && dwarf_nextcu(table->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(table->dwarf, at + header, &unit))
			add_variables_of(table, &unit, 0, &left);
		at = next;
	}
	sort_items(table->variables, table->variable_count, variables_by_address);
}

/* Finds the type of an entry, without typedef, const, volatile and atomic. */
static bool find_type(Dwarf_Die *type, Dwarf_Die *of)
{
	Dwarf_Attribute attribute;
	Dwarf_Die die = *of;

	for (size_t i = 0; i < PEELS_MAX; i++) {
		if (!dwarf_attr_integrate(&die, DW_AT_type, &attribute) ||
		    !dwarf_formref_die(&attribute, type))
			return false;
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_atomic_type:
			die = *type;
			break;
		default:
			return true;
		}
	}
	return false;
}

/* A place in a variable, and the name of the part that contains it: "[3].lock". */
struct part {
	Dwarf_Die type;
	uint64_t offset; /* in the part */
	char text[PART_TEXT_MAX];
	size_t length;
};

/* Appends to the text of the part. False: there is no room. */
static __attribute__((format(printf, 2, 3))) bool part_add(struct part *part, const char *format,
							   ...)
{
	size_t room = sizeof(part->text) - part->length;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(part->text + part->length, room, format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= room) {
		part->text[part->length] = '\0';
		return false;
	}
	part->length += (size_t)length;
	return true;
}

static bool read_number(uint64_t *number, Dwarf_Die *entry, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(entry, name, &attribute) || dwarf_formudata(&attribute, &value))
		return false;
	*number = value;
	return true;
}

/* Stores the number of elements of each dimension; 0: unknown. Returns the number of dimensions. */
static size_t read_dimensions(uint64_t counts[DIMENSIONS_MAX], Dwarf_Die *array)
{
	size_t count = 0;
	Dwarf_Die range;

	if (dwarf_child(array, &range))
		return 0;
	do {
		uint64_t last;

		if (dwarf_tag(&range) != DW_TAG_subrange_type)
			continue;
		if (count == DIMENSIONS_MAX)
			return 0;
		if (!read_number(&counts[count], &range, DW_AT_count))
			counts[count] =
				read_number(&last, &range, DW_AT_upper_bound) ? last + 1 : 0;
		count++;
	} while (dwarf_siblingof(&range, &range) == 0);
	return count;
}

/* Returns the size of a type in bytes; 0: unknown. */
static uint64_t size_of(const Dwarf_Die *type)
{
	Dwarf_Die at = *type;
	uint64_t elements = 1, counts[DIMENSIONS_MAX];

	for (size_t i = 0; i < PARTS_MAX && dwarf_tag(&at) == DW_TAG_array_type; i++) {
		size_t count = read_dimensions(counts, &at);
		Dwarf_Die array = at;

		for (size_t j = 0; j < count; j++)
			if (__builtin_mul_overflow(elements, counts[j], &elements))
				return 0;
		if (!count || !find_type(&at, &array))
			return 0;
	}
	return read_number(&counts[0], &at, DW_AT_byte_size) &&
			       !__builtin_mul_overflow(elements, counts[0], &elements)
		       ? elements
		       : 0;
}

static bool part_enter_array(struct part *part)
{
	uint64_t counts[DIMENSIONS_MAX], index, size;
	size_t count = read_dimensions(counts, &part->type);
	Dwarf_Die element;

	if (!count || !find_type(&element, &part->type) || !(size = size_of(&element)))
		return false;
	index = part->offset / size;
	for (size_t i = 0; i < count; i++) {
		uint64_t below = 1;

		for (size_t j = i + 1; j < count; j++)
			if (__builtin_mul_overflow(below, counts[j], &below) || !below)
				return false;
		if ((counts[i] && index / below >= counts[i]) ||
		    !part_add(part, "[%" PRIu64 "]", index / below))
			return false;
		index %= below;
	}
	part->offset %= size;
	part->type = element;
	return true;
}

/* Returns whether a name is reserved for a library (C11, 7.1.3): parts of a lock have no names. */
static bool is_reserved(const char *name)
{
	return name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

/* Finds the last member that begins at or before the place; of a union the first. */
static bool find_member(Dwarf_Die *member, uint64_t *begin, const struct part *part)
{
	Dwarf_Die type = part->type, entry;
	bool found = false;

	if (dwarf_child(&type, &entry))
		return false;
	for (size_t i = 0; i < MEMBERS_MAX; i++) {
		int tag = dwarf_tag(&entry);
		uint64_t at = 0;

		if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
		    !dwarf_hasattr(&entry, DW_AT_declaration) &&
		    (!dwarf_hasattr(&entry, DW_AT_data_member_location) ||
		     read_number(&at, &entry, DW_AT_data_member_location)) &&
		    at <= part->offset && (!found || at > *begin)) {
			*member = entry;
			*begin = at;
			found = true;
		}
		if (dwarf_siblingof(&entry, &entry))
			break;
	}
	return found;
}

static bool part_enter_member(struct part *part)
{
	Dwarf_Die member, type;
	const char *name;
	uint64_t begin = 0;

	if (!find_member(&member, &begin, part) || !find_type(&type, &member))
		return false;
	name = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;
	if (name && (is_reserved(name) || !part_add(part, ".%s", name)))
		return false;
	part->offset -= begin;
	part->type = type;
	return true;
}

/* Returns whether the part is a condition of the GNU C library, or begins with one. */
static bool part_is_condition(const struct part *part)
{
	struct part at = *part;

	for (size_t i = 0; i < PARTS_MAX; i++) {
		const char *type = dwarf_diename(&at.type);
		uint64_t begin = 0;
		Dwarf_Die member;

		if (type && strcmp(type, "__pthread_cond_s") == 0)
			return true;
		if (!find_member(&member, &begin, &at) || !find_type(&at.type, &member))
			return false;
		at.offset -= begin;
	}
	return false;
}

static bool part_enter(struct part *part)
{
	switch (dwarf_tag(&part->type)) {
	case DW_TAG_array_type:
		return part_enter_array(part);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return part_enter_member(part);
	default:
		return false;
	}
}

/* Finds the part. False: there is no such variable, or it is smaller. */
static bool find_part(struct part *part, struct line_table *table, uint64_t variable,
		      uint64_t offset)
{
	uint64_t size;
	Dwarf_Die die;
	size_t at;

	if (!table->has_variables)
		read_variables(table);
	at = find_first(i, 0, table->variable_count, table->variables[i].address >= variable);
	*part = (struct part){.offset = offset};
	if (at == table->variable_count || table->variables[at].address != variable ||
	    !dwarf_offdie(table->dwarf, table->variables[at].entry, &die) ||
	    !find_type(&part->type, &die))
		return false;
	size = size_of(&part->type);
	if (size && offset >= size)
		return false;
	for (size_t i = 0; i < PARTS_MAX && part_enter(part); i++)
		;
	return !part->offset || part_is_condition(part) ||
	       part_add(part, "+0x%" PRIx64, part->offset);
}

/* --- Files and their answers --------------------------------------------------------------- */

struct source_file {
	char *path;
	char *why; /* the reason why it cannot be read; NULL: it can */
	struct guarded reader;
	struct map offsets; /* answered offsets, which number the answers: */
	struct known_line *known;
	size_t known_capacity;
	uint64_t *expected; /* announced offsets, and how many of them have been asked */
	size_t expected_count, capacity, asked;
	/* Only in the guarded process: */
	const char *root; /* borrowed */
	bool opened;
	struct line_table *table;
};

/* The line of an offset, which is asked only once. */
struct known_line {
	uint32_t line; /* 0: none */
	char *source;
};

/* The first number of a question. */
enum { ASK_LINES, ASK_PART };

/* The most offsets of a question, as each message to another process takes time. */
enum { AT_ONCE = 256, NAMES_BYTES = GUARDED_MESSAGE_MAX - 2 * (AT_ONCE + 1) * sizeof(uint32_t) };

/* The answer to the first `count` offsets; its size shows the end of the names. */
struct line_answer {
	uint32_t has_lines, count;
	struct {
		uint32_t line, name; /* 0: none; the beginning of its file in `names` */
	} lines[AT_ONCE];
	char names[NAMES_BYTES];
};

_Static_assert(sizeof(struct line_answer) <= GUARDED_MESSAGE_MAX, "an answer is one message");

/* The most files; a process has some dozens. */
enum { FILES_MAX = 512 };

/* The limits of a reader; the largest programs take some seconds. */
enum { CPU_S = 30, WAIT_S = 60 };

static void release_file(struct source_file *file)
{
	guarded_end(&file->reader);
	for (size_t i = 0; i < file->offsets.count; i++)
		free(file->known[i].source);
	free(file->known);
	map_release(&file->offsets);
	free(file->expected);
	free(file->why);
	free(file->path);
}

void source_lines_release(struct source_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		release_file(&lines->files[i]);
	free(lines->files);
	*lines = (struct source_lines){0};
}

/* --- The guarded process -------------------------------------------------------------------- */

/*
 * Adds a name and returns the new end of the names, or the old one if there is no room. The first
 * name is "", and the second is cut off if necessary.
 */
static size_t add_name(struct line_answer *answer, size_t used, const char *name)
{
	size_t room = sizeof(answer->names) - used, size = strlen(name) + 1;

	if (size > room && used > 1)
		return used;
	snprintf(answer->names + used, room, "%s", name);
	return used + (size < room ? size : room);
}

static size_t answer_offsets(struct line_answer *answer, const struct line_table *table,
			     const uint64_t *offsets, size_t count)
{
	const char *name = "", *last = "";
	size_t used = add_name(answer, 0, last), begin = 0;

	for (answer->count = 0; answer->count < count; answer->count++) {
		uint32_t line = table ? line_table_find(&name, table, offsets[answer->count]) : 0;

		if (name != last) {
			size_t end = add_name(answer, used, name);

			if (end == used)
				break;
			begin = used;
			used = end;
			last = name;
		}
		answer->lines[answer->count].line = line;
		answer->lines[answer->count].name = (uint32_t)begin;
	}
	return offsetof(struct line_answer, names) + used;
}

/* Stores the text of a part with its NUL, or one other byte if it is unknown. Returns the size. */
static size_t answer_part(char *answer, struct line_table *table, const uint64_t asked[2])
{
	struct part part;

	if (!table || !find_part(&part, table, asked[0], asked[1])) {
		*answer = '?';
		return 1;
	}
	memcpy(answer, part.text, part.length + 1);
	return part.length + 1;
}

static size_t answer_question(void *context, void *answer, const void *question, size_t size)
{
	struct source_file *file = context;
	uint64_t asked[1 + AT_ONCE];

	memcpy(asked, question, size);
	if (!file->opened)
		file->table = line_table_open(file->path, file->root);
	file->opened = true;
	if (asked[0] == ASK_PART)
		return answer_part(answer, file->table, &asked[1]);
	((struct line_answer *)answer)->has_lines = file->table != NULL;
	return answer_offsets(answer, file->table, &asked[1], size / sizeof(*asked) - 1);
}

/* --- Answers -------------------------------------------------------------------------------- */

/* Returns the known line of an offset; NULL: not known. */
static const struct known_line *find_known(const struct source_file *file, uint64_t offset)
{
	uint32_t number = map_find_u64(&file->offsets, offset);

	return number == MAP_NONE ? NULL : &file->known[number];
}

static void add_known(struct source_file *file, uint64_t offset, uint32_t line, const char *source)
{
	size_t count = file->offsets.count;

	if (map_add_u64(&file->offsets, offset) < count)
		return;
	array_reserve(&file->known, &file->known_capacity, count + 1);
	file->known[count] = (struct known_line){line, xstrdup(source)};
}

static bool makes_sense(const struct line_answer *answer, size_t size, size_t asked)
{
	size_t names = offsetof(struct line_answer, names);

	if (size <= names || size > sizeof(*answer) || answer->names[size - names - 1] ||
	    answer->has_lines > 1 || !answer->count || answer->count > asked)
		return false;
	for (size_t i = 0; i < answer->count; i++)
		if (answer->lines[i].line > INT32_MAX || answer->lines[i].name >= size - names)
			return false;
	return true;
}

static void give_up(struct source_file *file, const char *why)
{
	file->why = xasprintf("its debug information is damaged or too large: its reader %s", why);
	guarded_end(&file->reader);
}

/* Asks for the offsets behind question[0]. Returns the number of offsets that are answered. */
static size_t ask_for(struct source_file *file, const uint64_t *question, size_t count)
{
	const uint64_t *offsets = &question[1];
	struct err err = {.text = "gave a damaged answer"};
	struct line_answer answer;
	ssize_t size = guarded_ask(&answer, sizeof(answer), &file->reader, question,
				   (1 + count) * sizeof(*question), &err);
	if (size < 0 || !makes_sense(&answer, (size_t)size, count)) {
		give_up(file, err.text);
		return count;
	}
	for (size_t i = 0; i < answer.count; i++)
		add_known(file, offsets[i], answer.lines[i].line,
			  answer.names + answer.lines[i].name);
	if (!answer.has_lines)
		guarded_end(&file->reader);
	return answer.count;
}

/* Asks for an offset, together with the next announced ones. */
static void ask_about(struct source_file *file, uint64_t offset)
{
	uint64_t question[1 + AT_ONCE] = {ASK_LINES, offset};
	size_t count = 1;

	while (count < AT_ONCE && file->asked < file->expected_count)
		question[1 + count++] = file->expected[file->asked++];
	file->asked -= count - ask_for(file, question, count);
}

/* --- Files --------------------------------------------------------------------------------- */

static uint64_t half_of_memory(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void start_reader(struct source_file *file)
{
	const struct guarded_work work = {answer_question, file, CPU_S, WAIT_S, half_of_memory()};
	struct err err;

	if (guarded_start(&file->reader, &work, &err))
		file->why = xstrdup(err.text);
}

/* Returns the file, which is added if it is new. NULL: too many files. */
static struct source_file *find_file(struct source_lines *lines, const char *path)
{
	struct source_file *file;

	for (size_t i = 0; i < lines->count; i++)
		if (strcmp(lines->files[i].path, path) == 0)
			return &lines->files[i];
	if (lines->count == FILES_MAX)
		return NULL;
	array_reserve(&lines->files, &lines->capacity, lines->count + 1);
	file = &lines->files[lines->count++];
	*file = (struct source_file){.path = xstrdup(path), .root = lines->root};
	start_reader(file);
	return file;
}

void source_lines_expect(struct source_lines *lines, const char *path, uint64_t offset)
{
	struct source_file *file = find_file(lines, path);
	size_t count = file ? file->expected_count : 0;

	if (!file || !file->reader.pid || (count && file->expected[count - 1] == offset))
		return;
	array_reserve(&file->expected, &file->capacity, count + 1);
	file->expected[file->expected_count++] = offset;
}

bool source_lines_find(struct source_line *line, struct source_lines *lines, const char *path,
		       uint64_t offset)
{
	struct source_file *file = find_file(lines, path);
	const struct known_line *known = file ? find_known(file, offset) : NULL;

	if (file && !known && file->reader.pid) {
		file->reader.until_ns = lines->until_ns;
		ask_about(file, offset);
		known = find_known(file, offset);
	}
	if (!known || !known->line)
		return false;
	*line = (struct source_line){known->source, known->line};
	return true;
}

char *source_lines_part(struct source_lines *lines, const char *path, uint64_t variable,
			uint64_t offset)
{
	const uint64_t question[] = {ASK_PART, variable, offset};
	struct source_file *file = find_file(lines, path);
	char answer[PART_TEXT_MAX];
	struct err err;
	ssize_t size;

	if (!file || !file->reader.pid)
		return NULL;
	file->reader.until_ns = lines->until_ns;
	size = guarded_ask(answer, sizeof(answer), &file->reader, question, sizeof(question), &err);
	if (size < 0)
		give_up(file, err.text);
	return size > 0 && strnlen(answer, (size_t)size) + 1 == (size_t)size ? xstrdup(answer)
									     : NULL;
}

char *source_lines_trouble(const struct source_lines *lines)
{
	const struct source_file *first = NULL;
	size_t more = 0;

	for (size_t i = 0; i < lines->count; i++) {
		const struct source_file *file = &lines->files[i];

		if (file->why && first)
			more++;
		else if (file->why)
			first = file;
	}
	if (!first)
		return NULL;
	if (!more)
		return xasprintf("lines of %s are unknown: %s", first->path, first->why);
	return xasprintf("lines of %s and of %zu more file%s are unknown: %s", first->path, more,
			 more == 1 ? "" : "s", first->why);
}
