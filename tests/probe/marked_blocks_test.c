/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/probe.h"

#include "probe/probe_thread.h"
#include "probe/spool_ends.h"
#include "support.h"

#include <stdio.h>
#include <unistd.h>

static void a_block_is_named_before_it_begins(void **state)
{
	struct pscal_block block = {.name = "insert"};
	struct spool_listener listener;
	struct spool_arrival arrival;
	char notes[1000], want[100];

	(void)state;
	spool_ends_listen(&listener, &(struct plan_header){.marks = 1});
	assert_int_equal(recorder_link_open(&probe_settings.link, listener.path), 0);
	probe_settings.every = 1;
	probe_process->id = (uint32_t)getpid();
	probe_settings.marks = probe_settings.on = true;
	pscal_block_begin(&block, 0);
	pscal_block_end(&block, 0);
	arrival = spool_ends_take(&listener, SPOOL_OFFER_CHILD);
	assert_true(arrival.fd >= 0);
	spool_ends_notes(notes, sizeof(notes), arrival.fd);
	snprintf(want, sizeof(want), "n%lu insert\n", (unsigned long)&block);
	assert_string_equal(notes, want); /* once */
	assert_int_equal(block.known, getpid());
	close(arrival.fd);
	spool_listener_close(&listener);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_block_is_named_before_it_begins),
};

TEST_FILE(tests);
