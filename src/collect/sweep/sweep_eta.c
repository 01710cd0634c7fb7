/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/sweep_eta.h"

#include "base/alloc.h"

#include <stdlib.h>

void sweep_eta_init(struct sweep_eta *eta, const struct sweep_levels *levels)
{
	*eta = (struct sweep_eta){levels, xcalloc(levels->count, sizeof(*eta->at))};
}

void sweep_eta_release(struct sweep_eta *eta)
{
	free(eta->at);
}

static struct sweep_eta_level *find(const struct sweep_eta *eta, uint64_t n)
{
	size_t i = 0;

	while (i + 1 < eta->levels->count && eta->levels->n[i] != n)
		i++;
	return &eta->at[i];
}

void sweep_eta_expect(struct sweep_eta *eta, uint64_t n)
{
	find(eta, n)->left++;
}

void sweep_eta_took(struct sweep_eta *eta, uint64_t n, uint64_t wall_ns)
{
	struct sweep_eta_level *level = find(eta, n);

	level->left--;
	level->done++;
	level->took_ns += wall_ns;
}

static uint64_t mean_ns(const struct sweep_eta_level *level, uint64_t otherwise_ns)
{
	return level->done ? level->took_ns / level->done : otherwise_ns;
}

uint64_t sweep_eta_total(const struct sweep_eta *eta, uint64_t *done_ns, uint64_t n,
			 uint64_t elapsed_ns)
{
	uint64_t took_ns = 0, means_ns = 0, total_ns, expected_ns;
	size_t known = 0;

	for (size_t i = 0; i < eta->levels->count; i++) {
		took_ns += eta->at[i].took_ns;
		known += eta->at[i].done > 0;
		means_ns += mean_ns(&eta->at[i], 0);
	}
	if (!known)
		return 0;
	means_ns /= known;
	total_ns = took_ns;
	for (size_t i = 0; i < eta->levels->count; i++)
		total_ns += eta->at[i].left * mean_ns(&eta->at[i], means_ns);
	/* A run that takes longer than expected is nearly done. */
	expected_ns = mean_ns(find(eta, n), means_ns);
	*done_ns = took_ns + (elapsed_ns < expected_ns ? elapsed_ns : expected_ns);
	return total_ns;
}
