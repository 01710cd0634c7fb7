/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mock/server_state.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* --- Distributions --------------------------------------------------------------------------- */

/* The share of the shorter one of two exponential times with balanced means, of cv2 4. */
static const double hyper_share = .8872983346;

/* By bisection, as it has no closed form. */
static double hyper_quantile(double mean_s, double part)
{
	const double p = hyper_share, fast = 2 * p / mean_s, slow = 2 * (1 - p) / mean_s;
	double lo = 0, hi = -log1p(-part) / slow;

	for (int i = 0; i < 60; i++) {
		double middle = (lo + hi) / 2;

		if (p * exp(-fast * middle) + (1 - p) * exp(-slow * middle) > 1 - part)
			lo = middle;
		else
			hi = middle;
	}
	return hi;
}

/* Of 4 phases: P(T > t) = e^-x (1 + x + x^2/2 + x^3/6), x = 4 t / mean; by bisection, too. */
static double erlang_quantile(double mean_s, double part)
{
	double lo = 0, hi = 80;

	for (int i = 0; i < 60; i++) {
		double x = (lo + hi) / 2;

		if (exp(-x) * (1 + x * (1 + x / 2 * (1 + x / 3))) > 1 - part)
			lo = x;
		else
			hi = x;
	}
	return hi * mean_s / 4;
}

double server_time_quantile(const struct server_time *time, double part)
{
	switch (time->shape) {
	case SERVER_EXPONENTIAL:
		return -time->mean_s * log1p(-part);
	case SERVER_ERLANG:
		return erlang_quantile(time->mean_s, part);
	case SERVER_HYPER:
		return hyper_quantile(time->mean_s, part);
	case SERVER_LOGNORMAL: /* log(1 + cv2) is the square of its sigma */
		return time->mean_s * exp(gsl_cdf_ugaussian_Pinv(part) * sqrt(M_LN2) - M_LN2 / 2);
	default:
		return time->mean_s;
	}
}

static double part_of(struct random *random)
{
	return ((double)(random_next(random) >> 11) + .5) / 9007199254740992.;
}

double server_time_draw(const struct server_time *time, struct random *random)
{
	double part = part_of(random);

	switch (time->shape) {
	case SERVER_HYPER:
		return -time->mean_s * log(part_of(random)) / 2 /
		       (part < hyper_share ? hyper_share : 1 - hyper_share);
	case SERVER_ERLANG:
		for (int i = 1; i < 4; i++)
			part *= part_of(random);
		return -time->mean_s * log(part) / 4;
	default:
		return server_time_quantile(time, part);
	}
}

/* --- Servers at random ----------------------------------------------------------------------- */

static double between(struct random *random, double lo, double hi)
{
	return lo + (hi - lo) * (double)(random_next(random) >> 11) / 9007199254740992.;
}

static struct server_time draw_time(struct random *random, double lo_s, double hi_s)
{
	double mean_s = lo_s * pow(hi_s / lo_s, between(random, 0, 1));

	return (struct server_time){(enum server_shape)random_below(random, SERVER_SHAPES), mean_s};
}

static void add_step(struct server_pool *pool, enum server_act act, size_t object,
		     struct server_time time)
{
	pool->steps[pool->step_count++] = (struct server_step){act, (unsigned)object, time};
}

/* Some of these steps: CPU time, a nap, a lock with CPU time or a nap under it, CPU time. */
static void draw_pool(struct server_pool *pool, struct random *random, size_t number)
{
	const struct server_time none = {SERVER_FIXED, 0};

	pool->threads = 2 + (unsigned)random_below(random, 9);
	add_step(pool, SERVER_CPU, 0, draw_time(random, 50e-6, 1e-3));
	if (!random_one_in(random, 4))
		add_step(pool, SERVER_NAP, 0, draw_time(random, 500e-6, 10e-3));
	if (random_one_in(random, 2)) {
		size_t lock = random_below(random, 2);
		bool naps = random_one_in(random, 4);

		add_step(pool, SERVER_LOCK, lock, none);
		add_step(pool, naps ? SERVER_NAP : SERVER_CPU, 0, draw_time(random, 20e-6, 300e-6));
		add_step(pool, SERVER_UNLOCK, lock, none);
	}
	if (random_one_in(random, 2))
		add_step(pool, SERVER_CPU, 0, draw_time(random, 20e-6, 200e-6));
	(void)number;
}

/* One of so many drawn servers has a disk. */
enum { DISK_EVERY = 5 };

/*
 * The disk serves fewer requests at a time than the pool has threads, and has the highest
 * utilisation, so that threads wait for it. Some requests find the cache.
 */
static void draw_disk(struct server *server, struct random *random)
{
	struct server_pool *pool = &server->pools[0];
	double capacity = server_capacity(server), hits;
	struct server_step *step = &pool->steps[pool->step_count++];

	if (server->pool_count > 1) {
		*step = step[-1]; /* it hands over at the end */
		step--;
	}
	server->disk_servers = 1 + (unsigned)random_below(random, 4);
	if (pool->threads < 2 * server->disk_servers + 2)
		pool->threads = 2 * server->disk_servers + 2;
	step->act = SERVER_DISK;
	step->object = (unsigned)(random_below(random, 2) * random_below(random, 500));
	hits = step->object / 1e3;
	step->time.shape = (enum server_shape)random_below(random, SERVER_SHAPES);
	step->time.mean_s = server->disk_servers / (1 - hits) / capacity / between(random, .4, .8);
}

static void draw_load(struct server *server, struct random *random, double utilisation)
{
	double capacity = server_capacity(server), visits_s = 0;

	server->gaps = random_one_in(random, 3)
			       ? (enum server_shape)random_below(random, SERVER_SHAPES)
			       : SERVER_EXPONENTIAL;
	if (server->gaps == SERVER_FIXED)
		server->gaps = SERVER_ERLANG;
	server->rate_per_s = utilisation * capacity;
	if (!random_one_in(random, 3))
		return;
	for (size_t i = 0; i < server->pool_count; i++)
		for (size_t k = 0; k < server->pools[i].step_count; k++)
			visits_s += server->pools[i].steps[k].time.mean_s;
	server->think = draw_time(random, 5 * visits_s, 20 * visits_s);
	server->clients =
		(unsigned)ceil(utilisation * capacity * (server->think.mean_s + visits_s));
}

/* Utilisation of each asked configuration: the last one is overloaded. */
static const double utilisations[] = {.3, .5, .65, .78, 2};

static void ask_for(struct server_case *drawn, struct random *random, double utilisation)
{
	struct server *asked = &drawn->asked[drawn->asked_count];
	unsigned recorded = drawn->recorded.pools[drawn->pool].threads;
	double capacity;

	*asked = drawn->recorded;
	asked->pools[drawn->pool].threads =
		recorded / 2 + 1 + (unsigned)random_below(random, 2 * recorded);
	if (random_one_in(random, 3))
		asked->cores = 1U << random_below(random, 4);
	capacity = server_capacity(asked);
	if (asked->clients)
		asked->clients = (unsigned)ceil(utilisation * capacity * drawn->recorded.clients /
						drawn->recorded.rate_per_s);
	asked->rate_per_s = utilisation * capacity;
	drawn->utilisation[drawn->asked_count++] = utilisation;
}

void server_draw_case(struct server_case *drawn, uint64_t seed)
{
	struct random random = {.state = seed * 77 + 5};
	struct server *server = &drawn->recorded;

	*drawn = (struct server_case){.pool = 0};
	server->pool_count = random_one_in(&random, 3) ? 2 : 1;
	for (size_t i = 0; i < server->pool_count; i++)
		draw_pool(&server->pools[i], &random, i);
	if (server->pool_count > 1)
		add_step(&server->pools[0], SERVER_HAND, 1, (struct server_time){SERVER_FIXED, 0});
	server->cores = 1U << random_below(&random, 4);
	server->slice_s = 3e-3;
	server->call_s = 200e-9;
	server->wake_s = 500e-9;
	server->switch_s = 500e-9;
	if (seed % DISK_EVERY == 0)
		draw_disk(server, &random);
	/* Only with waits for the disk the recording shows how many requests it serves. */
	draw_load(server, &random, between(&random, server->disk_servers ? .6 : .3, .75));
	drawn->pool = (unsigned)random_below(&random, server->pool_count);
	for (size_t i = 0; i < sizeof(utilisations) / sizeof(*utilisations); i++)
		ask_for(drawn, &random, utilisations[i]);
}
