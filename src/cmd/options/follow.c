/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/follow.h"

#include "base/io/input.h"
#include "base/monotonic.h"

static const uint64_t every_ns = 1000000000;
enum { IDLE_MS = 100 };

static void answer_signals(struct follow *follow, uint64_t now)
{
	int number;

	while ((number = stop_signals_next(&follow->signals)))
		follow->stops += stop_signals_ask(number);
	if (follow->stops > 1 || (follow->stops && now - follow->news_ns >= every_ns))
		input_stop(follow->input);
}

/* Shows new data each second. The input up to `read` has been handled, `done` may be further. */
static void watch(void *context, uint64_t done, uint64_t size)
{
	struct follow *follow = context;
	uint64_t now = monotonic_ns();

	(void)size;
	if (!follow->failed && now >= follow->next_ns && follow->read != follow->shown) {
		follow->failed = follow->show(follow->context, &follow->err) != 0;
		follow->shown = follow->read;
		follow->next_ns = now + every_ns;
	}
	if (done != follow->read)
		follow->news_ns = now;
	follow->read = done;
	answer_signals(follow, now);
	if (follow->failed)
		input_stop(follow->input);
}

int follow_begin(struct follow *follow, struct input *input,
		 int (*show)(void *context, struct err *err), void *context, struct err *err)
{
	uint64_t now = monotonic_ns();

	*follow = (struct follow){
		.input = input,
		.show = show,
		.context = context,
		.next_ns = now + every_ns,
		.news_ns = now,
	};
	if (input->is_file)
		return err_set(err, "%s: is a complete file: --follow is for piped input",
			       input->name);
	if (stop_signals_block(&follow->signals, err))
		return -1;
	input_watch(input, IDLE_MS, watch, follow);
	return 0;
}

int follow_end(struct follow *follow, struct err *err)
{
	stop_signals_restore(&follow->signals);
	input_watch(follow->input, 0, NULL, NULL);
	if (follow->failed)
		*err = follow->err;
	return follow->failed ? -1 : 0;
}
