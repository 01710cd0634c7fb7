/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/sorted.h"
#include "decode/event/event_source.h"
#include "decode/event/samples.h"
#include "decode/timeline/timeline.h"
#include "stats/profile/profile.h"
#include "stats/stretch/stretch_private.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- Runs of waiting ----------------------------------------------------------------------- */

static const double BY_CHANCE = 1e-6;
enum { NEIGHBOURS = 16 };

/* Samples of one thread in a row, all of work or none. */
struct span {
	size_t first, count; /* `first` counts ignored samples, too, `count` does not */
	bool works;
};

struct spans {
	struct span *items;
	size_t count, capacity;
};

static int by_thread_and_time(const void *a, const void *b)
{
	const struct stretch_sample *one = a, *other = b;

	return compare_values(one->thread, other->thread)
		       ?: compare_values(one->time_ns, other->time_ns);
}

static void add_to_spans(struct spans *spans, size_t first, size_t count, bool works)
{
	struct span *last = spans->count ? &spans->items[spans->count - 1] : NULL;

	if (last && last->works == works) {
		last->count += count;
		return;
	}
	array_reserve(&spans->items, &spans->capacity, spans->count + 1);
	spans->items[spans->count++] = (struct span){first, count, works};
}

/* Samples of work near a run, and how many of them are followed by no work. */
struct mixture {
	size_t works, left;
};

static void add_neighbours(struct mixture *mixture, size_t works, size_t *wanted, bool is_followed)
{
	size_t taken = works < *wanted ? works : *wanted;

	/* The time behind the last sample of a thread is not known. */
	mixture->works += taken;
	mixture->left += is_followed && taken;
	*wanted -= taken;
}

static double share_of(const struct mixture *mixture)
{
	return (double)(mixture->left + 1) / (double)(mixture->works + 2);
}

static double chance_of(const struct spans *spans, size_t run)
{
	struct mixture before = {0, 0}, behind = {0, 0};
	size_t wanted = NEIGHBOURS;

	for (size_t i = run; i-- > 0 && wanted;)
		if (spans->items[i].works)
			add_neighbours(&before, spans->items[i].count, &wanted, true);
	wanted = NEIGHBOURS;
	for (size_t i = run + 1; i < spans->count && wanted; i++)
		if (spans->items[i].works)
			add_neighbours(&behind, spans->items[i].count, &wanted,
				       i + 1 < spans->count && spans->items[i].count <= wanted);
	if (!before.works)
		before = behind;
	if (!behind.works)
		behind = before;
	return pow(fmax(share_of(&before), share_of(&behind)), (double)spans->items[run].count);
}

static void mark(struct stretch_sample *samples, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (samples[i].block == STRETCH_OVERHEAD)
			samples[i].block = STRETCH_WAITING;
}

/* Marks the waiting runs of one thread, from `first` up to, but not including, `end`. */
static void mark_thread(struct stretch_sample *samples, size_t first, size_t end, double tick_s,
			uint32_t unknown, struct spans *spans)
{
	spans->count = 0;
	for (size_t i = first; i < end; i++)
		if (samples[i].block != unknown)
			add_to_spans(spans, i, samples[i].count,
				     samples[i].block < STRETCH_OVERHEAD);
	for (size_t i = 0; i < spans->count; i++) {
		const struct span *span = &spans->items[i];

		if (!span->works && (double)span->count * tick_s >= TIME_LOSS_LOOKING_NS / 1e9 &&
		    chance_of(spans, i) < BY_CHANCE)
			mark(samples, span->first,
			     i + 1 < spans->count ? spans->items[i + 1].first : end);
	}
}

void waiting_runs_mark(struct stretch_sample *samples, size_t count, const double *tick_s,
		       uint32_t unknown)
{
	struct spans spans = {.count = 0};
	size_t end;

	sort_items(samples, count, by_thread_and_time);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && samples[end].thread == samples[i].thread;)
			end++;
		mark_thread(samples, i, end, tick_s[samples[i].thread], unknown, &spans);
	}
	free(spans.items);
}

/* Returns the first sample of the thread behind the edge, or of the next thread. */
static size_t find_behind(const struct stretch_sample *samples, size_t count,
			  const struct cpu_edge *edge)
{
	const struct stretch_sample wanted = {.thread = edge->thread, .time_ns = edge->time_ns};

	return find_first(i, 0, count, by_thread_and_time(&samples[i], &wanted) > 0);
}

static bool waits(const struct stretch_sample *sample, uint32_t thread)
{
	return sample->thread == thread && sample->block == STRETCH_WAITING;
}

void waiting_runs_leave(struct cpu_edges *edges, const struct stretch_sample *samples, size_t count)
{
	for (size_t i = 0; i < edges->count; i++) {
		struct cpu_edge *edge = &edges->items[i];
		size_t next;

		if (edge->state != STATE_RUNNABLE)
			continue;
		next = find_behind(samples, count, edge);
		if (next && next < count && waits(&samples[next - 1], edge->thread) &&
		    waits(&samples[next], edge->thread))
			edge->state = STATE_NONE;
	}
}

/* Threads with fewer samples are joined. */
enum { STRETCH_THREAD_SAMPLES_MIN = 10 };

static void take_change(void *context, const struct change *change)
{
	cpu_edges_add(context, change);
}

/* --- The time that counts ------------------------------------------------------------------ */

struct window {
	uint64_t begin_ns, end_ns; /* the times of steps of tasks; end before begin: none */
};

static void take_step(void *context, const struct mark *mark)
{
	struct window *window = context;

	if (mark->event->kind != EVENT_STEP)
		return;
	if (mark->time_ns < window->begin_ns)
		window->begin_ns = mark->time_ns;
	if (mark->time_ns > window->end_ns)
		window->end_ns = mark->time_ns;
}

static int check_window(const struct window *window, const struct event_source *source,
			struct err *err)
{
	if (window->end_ns < window->begin_ns)
		return err_set(
			err,
			"has no tasks; record with 'pscal record --tasks' (OpenMP: --tasks=omp), "
			"or leave out --during");
	if (!source->samples.timed)
		return err_set(err, "has too many samples for --during; leave it out, or record "
				    "fewer with -F");
	return 0;
}

/* Drops all samples outside of the window, before sums are made. */
static void keep_window(struct stretch_run *run, const struct window *window)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->part_count; i++)
		if (run->parts[i].time_ns >= window->begin_ns &&
		    run->parts[i].time_ns < window->end_ns)
			run->parts[kept++] = run->parts[i];
	run->part_count = kept;
	run->edges.begin_ns = window->begin_ns;
	run->edges.end_ns = window->end_ns;
	run->wall_s = (double)(window->end_ns - window->begin_ns) / 1e9;
}

/* --- The time of a sample ------------------------------------------------------------------ */

static double state_s(const struct profile *profile, size_t thread, enum thread_state state)
{
	return (double)profile->threads[thread].state_ns[state] / 1e9;
}

static double uncertain_s(const struct profile *profile, size_t thread)
{
	return state_s(profile, thread, STATE_ACTIVE) + state_s(profile, thread, STATE_UNKNOWN);
}

static double running_s(const struct stretch_run *run, const struct profile *profile, size_t thread)
{
	return state_s(profile, thread, STATE_RUNNING) +
	       run->ran[thread] * uncertain_s(profile, thread);
}

/* Finds the share of unknown time in which threads ran, by their samples. */
static void find_ran(struct stretch_run *run, const struct profile *profile,
		     const uint64_t *samples, double tick_s)
{
	for (size_t i = 0; i < profile->thread_count; i++) {
		double sampled = (double)samples[i] * tick_s, uncertain = uncertain_s(profile, i);
		double more = sampled - state_s(profile, i, STATE_RUNNING);

		if (uncertain > 0)
			run->ran[i] = fmin(1, fmax(0, more / uncertain));
		run->unknown_s += (1 - run->ran[i]) * uncertain;
	}
}

static void count_samples(uint64_t *samples, const struct spin_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		samples[rows[i].thread] += rows[i].row->count;
}

/* Sets the time for each sample. Returns the CPU time without samples. */
static double set_ticks(struct stretch_run *run, const struct profile *profile,
			const uint64_t *samples)
{
	double few_s = 0, few = 0;

	for (size_t i = 0; i < profile->thread_count; i++) {
		if (samples[i] >= STRETCH_THREAD_SAMPLES_MIN)
			continue;
		few_s += running_s(run, profile, i);
		few += (double)samples[i];
	}
	for (size_t i = 0; i < profile->thread_count; i++)
		run->tick_of_thread[i] = samples[i] >= STRETCH_THREAD_SAMPLES_MIN
						 ? running_s(run, profile, i) / (double)samples[i]
					 : few > 0 ? few_s / few
						   : 0;
	return few > 0 ? 0 : few_s;
}

static void set_all_ticks(struct stretch_run *run, size_t thread_count, double tick_s)
{
	for (size_t i = 0; i < thread_count; i++)
		run->tick_of_thread[i] = tick_s;
}

/* --- Work ---------------------------------------------------------------------------------- */

static void add_sample(struct stretch_run *run, const struct stretch_sample *sample)
{
	double seconds = (double)sample->count * run->tick_of_thread[sample->thread];

	run->all_s += seconds;
	run->samples += sample->count;
	if (sample->block == STRETCH_OVERHEAD) {
		run->overhead_s += seconds;
	} else if (sample->block == STRETCH_WAITING) {
		run->waiting_s += seconds;
	} else {
		run->work[sample->block].seconds += seconds;
		run->work[sample->block].samples += sample->count;
		run->work_s += seconds;
		run->named_s += run->work[sample->block].block.function ? seconds : 0;
	}
}

static bool is_like(const struct spin_row *row, const struct spin_row *before)
{
	return row->row->ip == before->row->ip && row->row->pid == before->row->pid &&
	       row->row->mode == before->row->mode && row->row->chain == before->row->chain &&
	       row->use == before->use;
}

/* Rows of one place come one after the other. */
static void place_samples(struct stretch_run *run, struct stretch_places *places,
			  const struct spin_row *rows, size_t count)
{
	run->parts = xcalloc(count, sizeof(*run->parts));
	run->part_count = count;
	for (size_t i = 0; i < count; i++)
		if (!i || !is_like(&rows[i], &rows[i - 1]))
			stretch_places_expect(places, &rows[i]);
	for (size_t i = 0; i < count; i++)
		run->parts[i] = (struct stretch_sample){
			.time_ns = rows[i].row->time_ns,
			.thread = (uint32_t)rows[i].thread,
			.count = rows[i].row->count,
			.block = i && is_like(&rows[i], &rows[i - 1])
					 ? run->parts[i - 1].block
					 : stretch_places_find(places, &rows[i]),
		};
}

static void add_work(struct stretch_run *run, struct stretch_places *places, double unsampled_s)
{
	run->work = xcalloc(places->count + 1, sizeof(*run->work));
	run->work_count = places->count;
	for (size_t i = 0; i < places->count; i++) {
		run->work[i].block = places->blocks[i];
		places->blocks[i] = (struct stretch_region){0};
	}
	for (size_t i = 0; i < run->part_count; i++)
		add_sample(run, &run->parts[i]);
	if (unsampled_s > 0) {
		run->work[run->work_count++] = (struct stretch_work){
			.block = {.object = xstrdup("[not sampled]"), .level = -1},
			.seconds = unsampled_s};
		run->work_s += unsampled_s;
		run->all_s += unsampled_s;
	}
}

/* Returns the number of workers, without threads that only start and end others, or log. */
static size_t count_threads(const struct stretch_run *run, size_t thread_count)
{
	double *seconds = xcalloc(thread_count + 1, sizeof(*seconds)), most = 0;
	size_t count = 0;

	for (size_t i = 0; i < run->part_count; i++) {
		size_t thread = run->parts[i].thread;

		seconds[thread] += run->parts[i].count * run->tick_of_thread[thread];
		most = fmax(most, seconds[thread]);
	}
	for (size_t i = 0; i < thread_count; i++)
		count += seconds[i] >= .1 * most && seconds[i] > 0;
	free(seconds);
	return count;
}

/* --- The whole run ----------------------------------------------------------------------- */

/* Returns the name of the main thread of the process with most CPU time, or most samples. */
static char *program_of(const struct stretch_run *run, const struct profile *profile,
			const uint64_t *samples)
{
	const struct thread_profile *most = NULL;
	uint64_t most_weight = 0;

	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct thread_profile *thread = &profile->threads[i];
		uint64_t weight = run->has_states ? thread->state_ns[STATE_RUNNING] : samples[i];

		if (!most || weight > most_weight) {
			most = thread;
			most_weight = weight;
		}
	}
	for (size_t i = 0; i < profile->thread_count; i++)
		if (profile->threads[i].tid == most->pid &&
		    *thread_name_text(&profile->threads[i].name))
			return xstrdup(thread_name_text(&profile->threads[i].name));
	return run->has_states && most && *thread_name_text(&most->name)
		       ? xstrdup(thread_name_text(&most->name))
		       : NULL;
}

/* Completes the program's name, as names of threads are cut, from the file with most work. */
static void complete_program(struct stretch_run *run)
{
	size_t length = run->program ? strlen(run->program) : 0;
	const struct stretch_work *most = NULL;

	for (size_t i = 0; i < run->work_count && (!length || length == COMM_SIZE - 1); i++) {
		const struct stretch_work *work = &run->work[i];
		const char *object = work->block.object;

		if (object && *object != '[' && !strstr(object, ".so") &&
		    strncmp(object, run->program ? run->program : "", length) == 0 &&
		    (!most || work->seconds > most->seconds))
			most = work;
	}
	if (!most)
		return;
	free(run->program);
	run->program = xstrdup(most->block.object);
}

static void set_facts(struct stretch_run *run, struct profile *profile,
		      const struct stretch_options *options)
{
	run->has_states = run->edges.running_ns > 0;
	run->wall_s = (double)profile->levels.total_ns / 1e9;
	run->cores = options->cores > 0 ? options->cores : profile->cores;
	for (size_t i = 0; i < profile->thread_count; i++)
		run->switches += profile->threads[i].switches;
	run->counters = profile->counters;
	profile->counters = (struct counter_table){0};
	run->quality = profile->quality;
}

static int check_run(const struct stretch_run *run, const struct event_source *source, size_t count,
		     struct err *err)
{
	if (!count)
		return err_set(err,
			       "has no samples of the code that ran; %srecord with "
			       "'pscal record -F 997' and name its file, not a text made from it",
			       source->blocks.count
				       ? "compare its tasks --by task if it has any, or "
				       : "");
	if (!run->has_states && !source->samples.tick_ns)
		return err_set(err, "has samples by cycles, and no CPU times to scale them; record "
				    "with 'pscal record -F 997'");
	return 0;
}

static void read_places(struct stretch_run *run, const struct event_source *source,
			const struct spin_row *rows, size_t count,
			const struct stretch_options *options, const struct window *window,
			double unsampled_s)
{
	struct stretch_places places;

	stretch_places_init(&places, &source->samples, &source->chains, options->by);
	place_samples(run, &places, rows, count);
	if (source->samples.timed) {
		waiting_runs_mark(run->parts, run->part_count, run->tick_of_thread,
				  stretch_places_kernel(&places));
		waiting_runs_leave(&run->edges, run->parts, run->part_count);
	}
	if (options->during_tasks)
		keep_window(run, window);
	add_work(run, &places, unsampled_s);
	complete_program(run);
	stretch_files_init(&run->files, &places.symbols);
	run->unread_lines = source_lines_trouble(&places.lines);
	run->tick_s = run->all_s / (double)run->samples;
	stretch_places_release(&places);
}

static int read_samples(struct stretch_run *run, struct event_source *source,
			const struct profile *profile, const struct stretch_options *options,
			const struct window *window, struct err *err)
{
	size_t count, thread_count = profile->thread_count;
	struct spin_row *rows;
	uint64_t *samples;
	double unsampled_s = 0;
	int rc;

	rows = spin_rows(&count, &source->samples, profile->counted, thread_count);
	samples = xcalloc(thread_count + 1, sizeof(*samples));
	run->tick_of_thread = xcalloc(thread_count + 1, sizeof(*run->tick_of_thread));
	run->ran = xcalloc(thread_count + 1, sizeof(*run->ran));
	count_samples(samples, rows, count);
	run->program = program_of(run, profile, samples);
	if (run->has_states)
		find_ran(run, profile, samples, (double)source->samples.tick_ns / 1e9);
	if (run->has_states)
		unsampled_s = set_ticks(run, profile, samples);
	else
		set_all_ticks(run, thread_count, (double)source->samples.tick_ns / 1e9);
	rc = check_run(run, source, count, err);
	if (!rc && options->during_tasks)
		rc = check_window(window, source, err);
	if (!rc) {
		read_places(run, source, rows, count, options, window, unsampled_s);
		run->threads = count_threads(run, thread_count);
	}
	free(samples);
	free(rows);
	return rc;
}

int stretch_run_read(struct stretch_run *run, struct event_source *source,
		     const struct stretch_options *options, struct err *err)
{
	struct profiler *profiler = profiler_new(source, &options->target, 0);
	struct window window = {UINT64_MAX, 0};
	struct profile profile;
	int rc;

	*run = (struct stretch_run){0};
	if (stretch_by_tasks(options->by)) {
		profiler_free(profiler);
		return stretch_tasks_read(run, source, options, err);
	}
	source->samples.suffice = true;
	source->samples.timed = true;
	source->samples.may_merge = !options->timed;
	source->samples.chains = &source->chains;
	source->samples.chain_frames = options->by == STRETCH_BY_PATH ? CHAIN_FRAMES_MAX : 2;
	profiler_watch(profiler, take_change, &run->edges);
	timeline_want_marks(profiler_timeline(profiler), take_step, &window);
	rc = profiler_run(profiler, err);
	if (!rc) {
		if (options->root)
			samples_set_root(&source->samples, options->root);
		profiler_profile(&profile, profiler);
		cpu_edges_finish(&run->edges, timeline_begin_ns(profiler_timeline(profiler)),
				 profile.thread_count);
		set_facts(run, &profile, options);
		rc = read_samples(run, source, &profile, options, &window, err);
		profile_release(&profile);
	}
	profiler_free(profiler);
	return rc;
}

void stretch_run_release(struct stretch_run *run)
{
	for (size_t i = 0; i < run->work_count; i++)
		stretch_region_release(&run->work[i].block);
	counter_table_release(&run->counters);
	cpu_edges_release(&run->edges);
	stretch_files_release(&run->files);
	stretch_tasks_release(run);
	free(run->work);
	free(run->parts);
	free(run->tick_of_thread);
	free(run->ran);
	free(run->program);
	free(run->unread_lines);
	*run = (struct stretch_run){0};
}

/* --- Shares -------------------------------------------------------------------------------- */

/* Adds a sample to the shares of work, runtime and waiting. */

static void add_to_shares(struct cpu_shares *shares, const struct stretch_sample *sample,
			  const double *serial)
{
	double count = (double)sample->count;

	if (sample->block == STRETCH_OVERHEAD)
		shares->overhead += count;
	else if (sample->block == STRETCH_WAITING)
		shares->waiting += count;
	else
		shares->work += count;
	if (serial && sample->block < STRETCH_OVERHEAD)
		shares->serial += count * serial[sample->block];
}

static double samples_of(const struct cpu_shares *shares)
{
	return shares->work + shares->overhead + shares->waiting;
}

static struct cpu_shares divided(const struct cpu_shares *shares)
{
	double all = samples_of(shares);

	return (struct cpu_shares){.work = shares->work / all,
				   .overhead = shares->overhead / all,
				   .waiting = shares->waiting / all,
				   .serial = shares->serial / all};
}

static size_t part_at(const struct stretch_run *run, size_t count, uint64_t time_ns)
{
	const struct cpu_edges *edges = &run->edges;
	uint64_t length_ns = edges->end_ns - edges->begin_ns;
	size_t part;

	if (time_ns <= edges->begin_ns || !length_ns)
		return 0;
	part = (size_t)((unsigned __int128)(time_ns - edges->begin_ns) * count / length_ns);
	return part < count ? part : count - 1;
}

/* Returns the shares of each thread; threads with few samples are joined, as with their ticks. */
static struct cpu_shares *sum_shares(const struct stretch_run *run, const double *serial)
{
	size_t threads = run->edges.thread_count;
	struct cpu_shares *each = xcalloc(threads + 1, sizeof(*each)), *few = &each[threads];

	for (size_t i = 0; i < run->part_count; i++)
		add_to_shares(&each[run->parts[i].thread], &run->parts[i], serial);
	for (size_t i = 0; i < threads; i++)
		if (samples_of(&each[i]) < STRETCH_THREAD_SAMPLES_MIN) {
			few->work += each[i].work;
			few->overhead += each[i].overhead;
			few->waiting += each[i].waiting;
			few->serial += each[i].serial;
		}
	if (!(samples_of(few) > 0))
		*few = (struct cpu_shares){.work = 1,
					   .serial = serial ? serial[run->work_count - 1] : 0};
	for (size_t i = 0; i < threads; i++)
		if (samples_of(&each[i]) < STRETCH_THREAD_SAMPLES_MIN)
			each[i] = *few;
	return each;
}

/* A thread without samples in a part has its shares of the whole time. */
static struct cpu_shares *shares_new(size_t count, const struct stretch_run *run,
				     const double *serial)
{
	size_t threads = run->edges.thread_count;
	struct cpu_shares *shares = xcalloc(count * threads + 1, sizeof(*shares));
	struct cpu_shares *each = sum_shares(run, serial);

	for (size_t i = 0; count > 1 && i < run->part_count; i++) {
		const struct stretch_sample *sample = &run->parts[i];
		size_t part = part_at(run, count, sample->time_ns);

		add_to_shares(&shares[part * threads + sample->thread], sample, serial);
	}
	for (size_t i = 0; i < count * threads; i++) {
		shares[i] = divided(samples_of(&shares[i]) > 0 ? &shares[i] : &each[i % threads]);
		shares[i].ran = run->ran[i % threads];
	}
	free(each);
	return shares;
}

/* --- The loss ------------------------------------------------------------------------------ */

void stretch_run_loss(struct sampled_loss *parts, size_t count, const struct stretch_run *run,
		      const double *serial)
{
	struct cpu_shares *shares;

	if (run->tree) {
		stretch_tasks_loss(parts, count, run, serial);
		return;
	}
	shares = shares_new(count, run, serial);
	sampled_loss(parts, count, &run->edges, shares, run->cores);
	free(shares);
}
