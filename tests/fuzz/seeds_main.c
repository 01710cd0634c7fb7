/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the first inputs of each fuzzer into DIR/FUZZER/: one of each kind.
 *
 *	seeds_main DIR
 */
#include "draw/drawing.h"
#include "draw/random_tasks.h"
#include "probe/spool.h"
#include "seeds/elf_seed.h"
#include "seeds/seeds.h"

#include <stdio.h>
#include <sys/stat.h>

static void write_to(const char *directory, const char *fuzzer, const char *name,
		     const struct bytes *bytes)
{
	char *folder = xasprintf("%s/%s", directory, fuzzer);
	char *path = xasprintf("%s/%s", folder, name);
	FILE *file;

	mkdir(folder, 0777); /* an existing one is no error */
	file = fopen(path, "we");
	if (!file || fwrite(bytes->at, 1, bytes->count, file) != bytes->count || fclose(file)) {
		perror(path);
		exit(1);
	}
	free(folder);
	free(path);
}

static void write_seeds(const char *directory)
{
	static const char *const fuzzers[] = {
		[SEED_PERFDATA] = "perfdata_fuzz",
		[SEED_TEXT] = "script_fuzz",
		[SEED_CSV] = "csv_fuzz",
	};
	const struct seed *seed;

	for (size_t i = 0; (seed = seed_get(i)); i++) {
		struct bytes bytes = seed_make(seed);

		if (seed->kind == SEED_PERFDATA)
			write_to(directory, "packed_fuzz", seed->name, &bytes);
		if (seed->wrap)
			seed->wrap(&bytes);
		if (seed->kind != SEED_CSV && !seed->wrap)
			write_to(directory, "forecast_fuzz", seed->name, &bytes);
		if (strstr(seed->name, "block") || strstr(seed->name, "enter_leave") ||
		    strstr(seed->name, "paje"))
			write_to(directory, "rdam_fuzz", seed->name, &bytes);
		if (seed->wrap == wrap_gzip || seed->wrap == wrap_zstd)
			write_to(directory, "input_fuzz", seed->name, &bytes);
		write_to(directory, fuzzers[seed->kind], seed->name, &bytes);
		free(bytes.at);
	}
}

/* For formats_fuzz.c: u16 size, description, payload. */
static void write_formats(const char *directory)
{
	static const char *const formats[] = {FORMAT_SWITCH,	 FORMAT_SWITCH_32, FORMAT_WAKING,
					      FORMAT_WAKEUP_OLD, FORMAT_FORK,	   FORMAT_FORK_OLD,
					      FORMAT_EXIT};
	enum { COUNT = sizeof(formats) / sizeof(formats[0]) };
	static const char payload[62] = "\1\0\0\5\0\0\0task";

	for (size_t i = 0; i <= COUNT; i++) {
		struct bytes bytes = {0}, whole = {0};
		char name[32];
		uint16_t size;

		if (i < COUNT) {
			put(&bytes, formats[i], strlen(formats[i]));
		} else {
			put_tracing_data(&bytes, "sched", formats, COUNT);
			put_tracing_data_end(&bytes);
		}
		size = (uint16_t)bytes.count;
		put(&whole, &size, sizeof(size));
		put(&whole, bytes.at, bytes.count);
		put(&whole, payload, sizeof(payload));
		snprintf(name, sizeof(name), "formats_%zu", i);
		write_to(directory, "formats_fuzz", name, &whole);
		free(bytes.at);
		free(whole.at);
	}
}

static void write_sweep(const char *directory)
{
	static const char text[] = "# sweep of pscal 0.1.0\n# command: ./bench -T{n}\n"
				   "n,throughput,wall_s,cpu_s,repeat,load,others\n"
				   "1,10,0.1,0.1,1,0.25,0\n# failed: N = 2, run 1: it broke\r\n"
				   "2,19.5,0.05,,1,,\n8,40";
	struct bytes bytes = {0};

	put(&bytes, text, strlen(text));
	write_to(directory, "sweep_fuzz", "sweep", &bytes);
	free(bytes.at);
}

/* For spool_fuzz.c: a process that enters and leaves a block, and has a block without a file. */
static void write_spool(const char *directory)
{
	enum { FIRST_PARTS = 3 }; /* parts of the rest of an input, by windows */
	static const uint64_t head[] = {0x000201000000, 3, 0, 1};
	static const char notes[] =
		"m00400000-00500000 r-xp 00000000 00:00 1 /bin/true\nn4259840 work\n"
		"tsome trouble\nc\nu\n";
	struct bytes bytes = {0}, events = {0};

	put(&bytes, head, sizeof(head));
	for (uint64_t i = 0; i < 12; i++) {
		struct spool_record record = {i, spool_word(i % 2 ? SPOOL_LEAVE : SPOOL_ENTER,
							    0x410000 + i / 6, (unsigned)(i % 3))};

		put(&events, &record, sizeof(record));
		if (i % 3)
			put(&events, &record, sizeof(record));
	}
	for (int i = 0; i < FIRST_PARTS; i++)
		put(&bytes, events.at, events.count);
	put(&bytes, notes, sizeof(notes));
	write_to(directory, "spool_fuzz", "spool", &bytes);
	free(events.at);
	free(bytes.at);
}

/* For tasks_fuzz.c: a byte with the request, and four bytes for each step. */
static void write_tasks(const char *directory)
{
	for (unsigned seed = 0; seed < 8; seed++) {
		struct random random = {seed};
		struct random_tasks tasks;
		struct bytes bytes = {0};
		uint64_t now_ns = DRAWING_BEGIN_NS;
		char name[32];

		random_tasks_make(&tasks, &random, 12, 4);
		put(&bytes, &(uint8_t){(uint8_t)seed}, 1);
		for (size_t i = 0; i < tasks.count; i++) {
			const struct event *step = &tasks.steps[i];
			const uint8_t four[] = {
				(uint8_t)(step->tid - DRAWING_TID + 4 * (int)step->step),
				(uint8_t)(step->object % 32 + 32 * ((unsigned)step->count % 8)),
				(uint8_t)((step->time_ns - now_ns) / 100),
				(uint8_t)(step->object2 % 32),
			};

			put(&bytes, four, sizeof(four));
			now_ns = step->time_ns;
		}
		snprintf(name, sizeof(name), "tasks_%u", seed);
		write_to(directory, "tasks_fuzz", name, &bytes);
		free(bytes.at);
		random_tasks_release(&tasks);
	}
}

static void write_model(const char *directory)
{
	static const char text[] =
		"{\"schema\": 1, \"machine\": {\"cores\": 2, \"switch_s\": 2e-6},\n"
		"\"arrivals\": [{\"name\": \"main\", \"kind\": \"open\", \"rate\": 600, "
		"\"to\": \"A\"}],\n\"stations\": [{\"name\": \"A\", \"kind\": \"queue\"}],\n"
		"\"pools\": [{\"name\": \"worker\", \"threads\": 4, \"takes\": \"A\", "
		"\"graph\": [{\"kind\": \"cpu\", \"time\": 0.0002}]}]}\n";
	struct bytes bytes = {0};

	put(&bytes, text, strlen(text));
	write_to(directory, "model_fuzz", "model", &bytes);
	free(bytes.at);
}

static void write_program(const char *directory)
{
	struct bytes bytes = elf_seed_make(), apart = {0};
	uint32_t length = (uint32_t)bytes.count;

	write_to(directory, "elf_fuzz", "program", &bytes);
	put(&apart, &length, sizeof(length));
	put(&apart, bytes.at, bytes.count);
	write_to(directory, "symfs_fuzz", "program", &apart);
	put(&apart, bytes.at, bytes.count);
	write_to(directory, "symfs_fuzz", "apart", &apart);
	free(bytes.at);
	free(apart.at);
}

/* The first byte of each chooses _ZN, _RN, _Z or _R: see names_fuzz.c. */
static void write_names(const char *directory)
{
	static const char *const names[] = {
		"DNSt6vectorISt4pairIiS0_IdEESaIS1_EE9push_backERKS1_",
		"B1A1fIJiPKcEEEDTcl1gspfp_EEDpT_",
		"D1fIXadL_Z1gvEEXsrSt1aIiE1bEEvPFivE",
		"B47_$LT$a..Pool$LT$T$GT$$u20$as$u20$a..S$GT$4call17h59f1b68f2e6fd12fE.llvm.6",
		"CvXCs6xxl1lAjzDf_1aINtB2_4PoolTmB5_EKj2a_ENtB2_7Service4callC1b",
		"EINvC1au9gre_6ka8iFG_UKCRL0_tEuDG_NtC1a1TEL_EC1b",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct bytes bytes = {0};
		char name[32];

		put(&bytes, names[i], strlen(names[i]));
		snprintf(name, sizeof(name), "name_%zu", i);
		write_to(directory, "names_fuzz", name, &bytes);
		free(bytes.at);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: seeds_main DIR\n", stderr);
		return 2;
	}
	mkdir(argv[1], 0777);
	write_seeds(argv[1]);
	write_formats(argv[1]);
	write_sweep(argv[1]);
	write_spool(argv[1]);
	write_tasks(argv[1]);
	write_model(argv[1]);
	write_program(argv[1]);
	write_names(argv[1]);
	return 0;
}
