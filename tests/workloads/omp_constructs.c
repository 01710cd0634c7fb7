/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Usage: omp_constructs [NAME]
 *
 * All constructs of OpenMP for tasks and regions, a case each, on 2 threads: prints the results,
 * which do not depend on the order in which tasks run. tests/live/omp_steps.sh has the number of
 * tasks of each. Without a NAME, prints all names.
 */
#include <omp.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* In code that clang generates for loops. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wsign-conversion"
#pragma clang diagnostic ignored "-Wsign-compare"
#pragma clang diagnostic ignored "-Wshorten-64-to-32"
#endif

static long sum;

static void add(long value)
{
#pragma omp atomic
	sum += value;
}

#define ON_TWO_THREADS _Pragma("omp parallel num_threads(2)") _Pragma("omp single")

/* --- Regions -------------------------------------------------------------------------------- */

static void regions(void)
{
	for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
		add(i + omp_get_thread_num());
	}
#pragma omp parallel num_threads(2) if (sum < 0)
	add(100 * omp_get_num_threads());
}

static void nested(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		add(1);
#pragma omp parallel num_threads(2)
		add(10 + omp_get_thread_num());
		add(1);
	}
}

static void sections(void)
{
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		add(1);
#pragma omp section
		add(2);
#pragma omp section
		add(3);
	}
#pragma omp parallel num_threads(2)
	{
#pragma omp sections
		{
#pragma omp section
			add(10);
#pragma omp section
			add(20);
		}
		add(100);
	}
}

static void loops(void)
{
#pragma omp parallel for num_threads(2) schedule(static, 3)
	for (long i = 0; i < 100; i++)
		add(i);
#pragma omp parallel for num_threads(2) schedule(dynamic)
	for (int i = 0; i < 100; i++)
		add(i);
#pragma omp parallel for num_threads(2) schedule(guided, 2)
	for (int i = 0; i < 100; i++)
		add(i);
#pragma omp parallel for num_threads(2) schedule(runtime)
	for (int i = 0; i < 100; i++)
		add(i);
#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 10; i++)
			add(i);
#pragma omp for schedule(static)
		for (int i = 0; i < 10; i++)
			add(i);
	}
}

static void barriers(void)
{
	int seen[2] = {0, 0}, other[2];

#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num();

		seen[me] = me + 5;
#pragma omp barrier
		other[me] = seen[1 - me];
#pragma omp barrier
#pragma omp task
		add(other[me]);
#pragma omp barrier
#pragma omp single
		add(1000 * sum);
	}
}

static void reductions(void)
{
	long total = 0;

#pragma omp parallel num_threads(2) reduction(task, + : total)
	{
#pragma omp single
		for (int i = 0; i < 5; i++) {
#pragma omp task in_reduction(+ : total)
			total += i;
		}
	}
	add(total);
}

/* --- Tasks ---------------------------------------------------------------------------------- */

static void in_place(void)
{
	ON_TWO_THREADS
	{
#pragma omp task if (sum > 0)
		add(1);
#pragma omp task final(sum >= 0)
		{
#pragma omp task
			add(omp_in_final());
		}
#pragma omp task mergeable priority(3)
		add(100);
	}
}

/* Without a team each task runs at once. */
static void alone(void)
{
#pragma omp task
	{
#pragma omp task
		add(1);
#pragma omp taskwait
		add(sum);
	}
#pragma omp taskgroup
	{
#pragma omp task
		add(10);
	}
}

static void untied(void)
{
	ON_TWO_THREADS
	for (int i = 0; i < 4; i++) {
#pragma omp task untied
		{
			add(1);
#pragma omp taskyield
#pragma omp task
			add(10);
#pragma omp taskwait
			add(100);
		}
	}
}

static void dependences(void)
{
	long chain[3] = {1, 0, 0};

	ON_TWO_THREADS
	{
#pragma omp task depend(out : chain[1])
		chain[1] = chain[0] + 1;
#pragma omp task depend(in : chain[1]) depend(out : chain[2]) priority(1)
		chain[2] = 10 * chain[1];
#pragma omp task depend(in : chain[2])
		add(chain[2]);
#pragma omp taskwait depend(in : chain[1])
		add(100 * chain[1]);
	}
}

/* The group need not wait for an earlier task. */
static void taskgroups(void)
{
	ON_TWO_THREADS
	{
#pragma omp task
		add(1);
#pragma omp taskgroup
		{
#pragma omp task
			{
#pragma omp task
				add(10);
			}
#pragma omp taskgroup
			{
#pragma omp task
				add(100);
			}
#pragma omp task
			add(1000);
		}
#pragma omp taskwait
	}
}

static void taskloops(void)
{
	unsigned long long far = UINT64_MAX - 1;
	long total = 0;

	ON_TWO_THREADS
	{
#pragma omp taskloop num_tasks(4)
		for (int i = 0; i < 10; i++)
			add(i);
#pragma omp taskloop grainsize(5) nogroup
		for (long i = 10; i > 0; i -= 2)
			add(i);
#pragma omp taskwait
#pragma omp taskloop num_tasks(3)
		for (unsigned long long i = far - 30; i < far; i += 10)
			add((long)(far - i));
#pragma omp taskloop num_tasks(2) reduction(+ : total)
		for (int i = 0; i < 10; i++)
			total += i;
#pragma omp taskloop num_tasks(2)
		for (int i = 0; i < (int)(total - 45); i++)
			add(i);
	}
	add(1000 * total);
}

static void events(void)
{
	omp_event_handle_t event = (omp_event_handle_t)0;

	ON_TWO_THREADS
	{
#pragma omp task detach(event)
		add(1);
#pragma omp task firstprivate(event)
		{
			add(10);
			omp_fulfill_event(event);
		}
#pragma omp taskwait
		add(100 * sum);
	}
}

/* --- Data ----------------------------------------------------------------------------------- */

struct aligned {
	alignas(256) unsigned char bytes[256];
};

static long add_up(const unsigned char *bytes, size_t count)
{
	long total = 0;

	for (size_t i = 0; i < count; i++)
		total += bytes[i];
	return total;
}

static void aligned(void)
{
	struct aligned data;

	memset(&data, 1, sizeof(data));
	ON_TWO_THREADS
	for (int i = 0; i < 8; i++) {
		data.bytes[0] = (unsigned char)i;
#pragma omp task firstprivate(data) if (i % 2)
		add(add_up(data.bytes, sizeof(data)) + ((uintptr_t)&data % 256 ? 100000 : 0));
	}
}

static void large(void)
{
	unsigned char bytes[10000];

	memset(bytes, 1, sizeof(bytes));
	ON_TWO_THREADS
	for (int i = 0; i < 8; i++) {
		bytes[0] = (unsigned char)i;
#pragma omp task firstprivate(bytes) if (i % 2)
		add(add_up(bytes, sizeof(bytes)));
	}
}

/* gcc copies data whose size is known only at run time by a function; clang refuses it. */
#ifdef __clang__
#define SIZE(hundreds) 800
#else
#define SIZE(hundreds) (size_t)(100 * (hundreds))
#endif

static void sized(void)
{
	ON_TWO_THREADS
	for (int i = 1; i <= 8; i++) {
		unsigned char bytes[SIZE(i)];

		memset(bytes, i, sizeof(bytes));
#pragma omp task firstprivate(bytes) if (i % 2)
		add(add_up(bytes, (size_t)(100 * i)));
	}
}

/* More tasks than a runtime library defers. */
static void many(void)
{
	ON_TWO_THREADS
	for (int i = 0; i < 1000; i++) {
#pragma omp task
		add(i);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"regions", regions},
	{"nested", nested},
	{"sections", sections},
	{"loops", loops},
	{"barriers", barriers},
	{"reductions", reductions},
	{"in_place", in_place},
	{"alone", alone},
	{"untied", untied},
	{"dependences", dependences},
	{"taskgroups", taskgroups},
	{"taskloops", taskloops},
	{"events", events},
	{"aligned", aligned},
	{"large", large},
	{"sized", sized},
	{"many", many},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc < 2)
			puts(cases[i].name);
		else if (strcmp(argv[1], cases[i].name) == 0)
			cases[i].run();
	}
	if (argc > 1)
		printf("%s %ld\n", argv[1], sum);
	return 0;
}
