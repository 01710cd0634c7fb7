/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs with damaged debug information: their lines are known, or unknown with an error, and
 * those of another program are known; without a crash, a finding of a sanitizer or a hang, even if
 * libdw has a fault.
 *
 *	damaged_lines_test		a fixed share of them
 *	damaged_lines_test COUNT	so many of each program
 */
#include "base/alloc.h"
#include "base/err.h"
#include "base/io/subprocess.h"
#include "code/object.h"
#include "code/source_lines.h"
#include "collect/collect_dir.h"
#include "damage/batch.h"
#include "damage/damage.h"
#include "seeds/elf_seed.h"
#include "support.h"

#include <elf.h>
#include <inttypes.h>
#include <unistd.h>

enum { SHARE = 150, CPU_MS = 20000, BYTES_MAX = 256 << 20, PLACES = 24 };

/* A damaged program, and a good one. */
struct trial {
	const char *name;
	struct bytes program;
	uint64_t variable; /* if it has one */
	char root[64];
	char *whole, *damaged;
};

/* --- Programs ------------------------------------------------------------------------------ */

static void write_file(const char *path, const struct bytes *bytes)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes->at, 1, bytes->count, file), bytes->count);
	assert_int_equal(fclose(file), 0);
}

static struct bytes read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	struct bytes bytes = {0};
	char some[4096];
	size_t got;

	assert_non_null(file);
	while ((got = fread(some, 1, sizeof(some), file)))
		put(&bytes, some, got);
	fclose(file);
	return bytes;
}

/* A program as compilers write it today (DWARF 5), with inlined functions and a header. */
static struct bytes compile(const char *root)
{
	static const char source[] = "#include <stddef.h>\n"
				     "static inline int half(int x)\n{\n\treturn x / 2;\n}\n"
				     "int work(int x)\n{\n\tfor (size_t i = 0; i < 9; i++)\n"
				     "\t\tx += half(x);\n\treturn x;\n}\n"
				     "int more(int x)\n{\n\treturn work(x) + half(x);\n}\n"
				     "struct queue { int items[4]; struct { char lock; }; };\n"
				     "typedef const struct queue queues[2][3];\n"
				     "struct pool { int size; queues all; } pool;\n";
	char *path = xasprintf("%s/work.c", root), *made = xasprintf("%s/made", root);
	const char *const command[] = {"cc",	"-gdwarf-5", "-O1", "-shared", "-nostdlib",
				       "-fPIC", "-o",	     made,  path,      NULL};
	struct subprocess subprocess;
	struct bytes bytes;
	struct err err;

	dir_put(root, "work.c", source);
	if (subprocess_run(&subprocess, command, NULL, 0, (struct subprocess_limits){.seconds = 60},
			   &err))
		fail_msg("%s", err.text);
	assert_int_equal(subprocess.exit_status, 0);
	subprocess_release(&subprocess);
	bytes = read_file(made);
	free(made);
	free(path);
	return bytes;
}

/* --- Damage -------------------------------------------------------------------------------- */

static Elf64_Shdr section_of(const struct bytes *program, size_t number)
{
	Elf64_Ehdr head;
	Elf64_Shdr section;

	memcpy(&head, program->at, sizeof(head));
	memcpy(&section, program->at + head.e_shoff + number * sizeof(section), sizeof(section));
	return section;
}

/* A section whose name begins with .debug_, more often .debug_line or .debug_line_str. */
static struct range draw_section(const struct bytes *program, struct random *random)
{
	const char *prefix = random_one_in(random, 3) ? ".debug_line" : ".debug_";
	Elf64_Ehdr head;
	Elf64_Shdr names, section;

	memcpy(&head, program->at, sizeof(head));
	names = section_of(program, head.e_shstrndx);
	do
		section = section_of(program, random_below(random, head.e_shnum));
	while (strncmp(program->at + names.sh_offset + section.sh_name, prefix, strlen(prefix)) !=
		       0 ||
	       !section.sh_size);
	return (struct range){section.sh_offset, section.sh_offset + section.sh_size};
}

/* Bytes change in place, so the rest stays as it is. */
static void damage(struct bytes *program, struct random *random)
{
	struct range where = draw_section(program, random), from, to;
	size_t size = where.end - where.begin, width = (size_t)1 << random_below(random, 4);
	char *at = program->at + where.begin;
	uint64_t number = damage_number(random, size);

	from = damage_range(random, size, 16);
	to = damage_range(random, size, 16);
	switch (random_below(random, 4)) {
	case 0:
		at[from.begin] ^= (char)(1 << random_below(random, 8));
		break;
	case 1:
		memcpy(at + from.begin, &number,
		       width < size - from.begin ? width : size - from.begin);
		break;
	case 2:
		for (size_t i = from.begin; i < from.end; i++)
			at[i] = (char)random_next(random);
		break;
	default:
		if (from.end - from.begin > size - to.begin)
			from.end = from.begin + size - to.begin;
		memmove(at + to.begin, at + from.begin, from.end - from.begin);
	}
}

/* --- One of them --------------------------------------------------------------------------- */

/* The good program has a line for each of its functions after the first. */
static int check_whole(struct source_lines *lines, const struct trial *trial, struct err *err)
{
	struct source_line line;

	for (uint32_t i = 0; i < 3; i++)
		if (!source_lines_find(&line, lines, trial->whole,
				       ELF_SEED_TEXT + i * ELF_SEED_FUNCTION) ||
		    line.line != i + 2 || !strstr(line.file, "work.c"))
			return err_set(err, "the lines of the whole program are missing");
	return 0;
}

/* The parts of a variable with nested parts. */
static int check_parts(struct source_lines *lines, const struct trial *trial, struct err *err)
{
	for (uint64_t i = 0; i < 2 * PLACES; i++) {
		char *part = source_lines_part(lines, trial->damaged, trial->variable, 4 * i);
		bool is_one = !part || !*part || strchr(".[+", *part);

		free(part);
		if (!is_one)
			return err_set(err, "%ju bytes behind its beginning is no part",
				       (uintmax_t)(4 * i));
	}
	return 0;
}

static int check_damaged(struct source_lines *lines, const struct trial *trial, struct err *err)
{
	struct source_line line;

	for (size_t i = 0; i < PLACES; i++)
		if (source_lines_find(&line, lines, trial->damaged,
				      i * trial->program.count / PLACES) &&
		    (!*line.file || !line.line || line.line > INT32_MAX))
			return err_set(err, "line %u of '%s' is none", line.line, line.file);
	return check_parts(lines, trial, err) ?: check_whole(lines, trial, err);
}

static int check(void *context, uint64_t number, bool *read, struct err *err)
{
	const struct trial *trial = context;
	struct random random = {number * 0x9e3779b97f4a7c15};
	struct source_lines lines = {.root = trial->root};
	struct bytes mutant = {0};
	char *trouble;
	int rc;

	put(&mutant, trial->program.at, trial->program.count);
	for (size_t times = 1 + random_below(&random, 3); times; times--)
		damage(&mutant, &random);
	write_file(trial->damaged, &mutant);
	rc = check_damaged(&lines, trial, err);
	trouble = source_lines_trouble(&lines);
	*read = !trouble;
	if (!rc && trouble && !strstr(trouble, trial->damaged))
		rc = err_set(err, "of the wrong file: %s", trouble);
	free(trouble);
	source_lines_release(&lines);
	free(mutant.at);
	return rc;
}

static void find_pool(void *context, const struct elf_function *variable)
{
	if (strcmp(variable->name, "pool") == 0)
		*(uint64_t *)context = variable->address;
}

static void find_variable(struct trial *trial)
{
	struct object object;

	trial->variable = ELF_SEED_ADDRESS;
	write_file(trial->damaged, &trial->program);
	assert_true(object_open(&object, trial->damaged));
	object_each_function(&object, &object, STT_OBJECT, find_pool, &trial->variable);
	object_close(&object);
}

static void check_all(struct batch_result *result, const char *name,
		      struct bytes (*make)(const char *root), uint64_t count)
{
	struct trial trial = {.name = name};
	struct batch batch = {name, check, &trial, CPU_MS, BYTES_MAX};
	struct bytes whole = elf_seed_make();

	dir_make(trial.root);
	trial.program = make(trial.root);
	trial.whole = xasprintf("%s/whole", trial.root);
	trial.damaged = xasprintf("%s/damaged", trial.root);
	write_file(trial.whole, &whole);
	find_variable(&trial);
	batch_run(result, &batch, 1, count + 1);
	printf("  %-16s %" PRIu64 " read to their end, %" PRIu64 " not\n", name, result->read,
	       result->refused);
	dir_remove(trial.root);
	free(trial.whole);
	free(trial.damaged);
	free(trial.program.at);
	free(whole.at);
}

static struct bytes draw_up(const char *root)
{
	(void)root;
	return elf_seed_make();
}

/* Returns the number of failed trials. */
static uint64_t check_both(uint64_t count)
{
	struct batch_result drawn = {0}, compiled = {0};

	check_all(&drawn, "made by hand", draw_up, count);
	check_all(&compiled, "compiled", compile, count);
	/* otherwise the damage was never harmless */
	assert_true(drawn.read && compiled.read);
	return drawn.failed + compiled.failed;
}

static void lines_of_damaged_programs_are_known_or_unknown(void **state)
{
	(void)state;
	assert_int_equal(check_both(SHARE), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_damaged_programs_are_known_or_unknown),
	};

	if (argc == 2)
		return check_both(strtoull(argv[1], NULL, 10)) != 0;
	return RUN_TESTS(tests);
}
