/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * simulated CLASS --seed S --cores K [--run-seed R] [--calls none|futex|all]
 *                 [--layout perf|trace-cmd]
 * simulated CLASS --seed S --truth FIRST-LAST [--run-seed R]
 * simulated --list
 *
 * Prints the events that perf would have recorded of a program of this class (tests/mock/program.h)
 * on K cores, or its wall time on each number of cores. S is the seed of the program, R that of the
 * noise of the scheduler.
 */
#include "mock/machine.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int choose(const char *option, const char *word, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(word, words[i]))
			return i;
	fprintf(stderr, "simulated: --%s %s: is none of", option, word);
	for (int i = 0; words[i]; i++)
		fprintf(stderr, " %s", words[i]);
	fputc('\n', stderr);
	exit(2);
}

static unsigned cores_of(const char *text)
{
	unsigned long cores = strtoul(text, NULL, 10);

	if (cores < 1 || cores > MOCK_CORES_MAX) {
		fprintf(stderr, "simulated: %s: is no number of cores from 1 to %d\n", text,
			MOCK_CORES_MAX);
		exit(2);
	}
	return (unsigned)cores;
}

static int list(void)
{
	for (size_t i = 0; mock_class_name(i); i++)
		puts(mock_class_name(i));
	return 0;
}

static int print_truth(const struct mock_program *program, struct mock_run *run, const char *range)
{
	const char *last = strchr(range, '-');
	unsigned to = cores_of(last ? last + 1 : range);

	puts("cores,wall_s");
	for (run->cores = cores_of(range); run->cores <= to; run->cores++)
		printf("%u,%.9f\n", run->cores, (double)mock_run(program, run) / 1e9);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"seed", 1, NULL, 's'},	 {"cores", 1, NULL, 'k'},  {"run-seed", 1, NULL, 'r'},
		{"calls", 1, NULL, 'c'}, {"layout", 1, NULL, 'p'}, {"truth", 1, NULL, 't'},
		{"list", 0, NULL, 'L'},	 {NULL, 0, NULL, 0},
	};
	static const char *const calls[] = {"none", "futex", "all", NULL};
	static const char *const layouts[] = {"perf", "trace-cmd", NULL};
	struct mock_run run = {.cores = 1};
	struct mock_program *program;
	const char *truth = NULL;
	uint64_t seed = 1;
	int option, rc = 0;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			seed = strtoull(optarg, NULL, 10);
			break;
		case 'r':
			run.seed = strtoull(optarg, NULL, 10);
			break;
		case 'k':
			run.cores = cores_of(optarg);
			break;
		case 'c':
			run.calls = (enum mock_calls)choose("calls", optarg, calls);
			break;
		case 'p':
			run.layout = (enum mock_layout)choose("layout", optarg, layouts);
			break;
		case 't':
			truth = optarg;
			break;
		case 'L':
			return list();
		default:
			return 2;
		}
	}
	program = optind + 1 == argc ? mock_program_new(argv[optind], seed) : NULL;
	if (!program) {
		fprintf(stderr, "simulated: which class of program? --list shows them\n");
		return 2;
	}
	run.trace = truth ? NULL : stdout;
	if (truth)
		rc = print_truth(program, &run, truth);
	else if (!mock_run(program, &run))
		rc = 1;
	mock_program_free(program);
	return rc;
}
