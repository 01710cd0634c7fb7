/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/err.h"
#include "collect/recorder_private.h"

#include <fcntl.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct fifos {
	char root[64], ctl[96], ack[96], text[256];
	struct control control;
};

static void open_fifos(struct fifos *fifos)
{
	struct err err = {.text = ""};

	dir_make(fifos->root);
	snprintf(fifos->ctl, sizeof(fifos->ctl), "%s/ctl", fifos->root);
	snprintf(fifos->ack, sizeof(fifos->ack), "%s/ack", fifos->root);
	assert_int_equal(mkfifo(fifos->ctl, 0600), 0);
	assert_int_equal(mkfifo(fifos->ack, 0600), 0);
	snprintf(fifos->text, sizeof(fifos->text), "fifo:%s,%s", fifos->ctl, fifos->ack);
	if (control_open(&fifos->control, fifos->text, &err))
		fail_msg("%s", err.text);
}

static void close_fifos(struct fifos *fifos)
{
	control_close(&fifos->control);
	dir_remove(fifos->root);
}

/* Opens the control file, writes, and closes it. */
static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* All commands that have arrived, a letter each: E D S P, and ? for an unknown one. */
static const char *commands_of(struct control *control, char out[128])
{
	size_t count = 0;
	enum control_command command;

	while (count < 127 && ((command = control_next(control)) || control_has_more(control)))
		if (command)
			out[count++] = " EDSP?"[command];
	out[count] = '\0';
	return out;
}

static void each_line_is_a_command(void **state)
{
	static const struct {
		const char *written, *commands;
	} cases[] = {
		{"enable\n", "E"},
		{"disable\nenable\nping\nstop\n", "DEPS"},
		{"ena", ""},
		{"ble\ndis", "E"},
		{"able\n", "D"},
		{"\n\nping\n\n", "P"},
		{"Enable\nenable \nsnapshot\n", "???"},
		{"enableenableenableenableenableenableenableenableenableenableenableenable\nping\n",
		 "?P"},
		{"", ""},
	};
	struct fifos fifos;
	char out[128];

	(void)state;
	open_fifos(&fifos);
	for (size_t i = 0; i < COUNT(cases); i++) {
		write_to(fifos.ctl, cases[i].written);
		assert_string_equal(commands_of(&fifos.control, out), cases[i].commands);
	}
	close_fifos(&fifos);
}

static void commands_end_with_a_nul_too(void **state)
{
	struct fifos fifos;
	char out[128];
	int fd;

	(void)state;
	open_fifos(&fifos);
	fd = open(fifos.ctl, O_WRONLY);
	assert_int_equal(write(fd, "enable\0disable", 15), 15);
	close(fd);
	assert_string_equal(commands_of(&fifos.control, out), "ED");
	close_fifos(&fifos);
}

static void an_unknown_line_can_be_named(void **state)
{
	struct fifos fifos;

	(void)state;
	open_fifos(&fifos);
	write_to(fifos.ctl, "dance\n");
	assert_int_equal(control_next(&fifos.control), CONTROL_UNKNOWN);
	assert_string_equal(fifos.control.line, "dance");
	close_fifos(&fifos);
}

static void an_answer_waits_for_its_reader(void **state)
{
	struct fifos fifos;
	char got[8] = "";
	int fd;

	(void)state;
	open_fifos(&fifos);
	fd = open(fifos.ack, O_RDONLY | O_NONBLOCK);
	control_ack(&fifos.control);
	assert_int_equal(read(fd, got, sizeof(got)), 4);
	assert_string_equal(got, "ack\n");
	close(fd);
	for (int i = 0; i < 100000; i++) /* there is no reader, and the writer must not wait */
		control_ack(&fifos.control);
	close_fifos(&fifos);
}

static void an_endless_writer_is_read_in_pieces(void **state)
{
	struct fifos fifos;
	int fd, commands = 0;
	static char flood[60000];

	(void)state;
	open_fifos(&fifos);
	for (size_t i = 0; i < sizeof(flood); i++)
		flood[i] = "ping\n"[i % 5];
	fd = open(fifos.ctl, O_WRONLY | O_NONBLOCK);
	assert_int_equal(write(fd, flood, sizeof(flood)), sizeof(flood));
	while (control_next(&fifos.control) == CONTROL_PING && commands < CONTROL_AT_ONCE)
		commands++;
	assert_int_equal(commands, CONTROL_AT_ONCE);
	assert_true(control_has_more(&fifos.control));
	for (int reads = 0; reads < 100; reads++) /* one read for each that poll() announces */
		while (control_next(&fifos.control))
			commands++;
	assert_int_equal(commands, sizeof(flood) / 5 - 1); /* one ended the first loop */
	close(fd);
	close_fifos(&fifos);
}

static void descriptors_of_the_caller_stay_open(void **state)
{
	struct control control;
	struct err err;
	int ends[2];
	char text[64], out[128];

	(void)state;
	assert_int_equal(pipe(ends), 0); /* this end blocks */
	snprintf(text, sizeof(text), "fd:%d,%d", ends[0], ends[1]);
	assert_int_equal(control_open(&control, text, &err), 0);
	assert_string_equal(commands_of(&control, out), "");
	assert_int_equal(write(ends[1], "stop\n", 5), 5);
	assert_string_equal(commands_of(&control, out), "S");
	close(ends[1]);
	assert_string_equal(commands_of(&control, out), "");
	assert_int_equal(control.fd, -1); /* there is no writer any more */
	assert_string_equal(commands_of(&control, out), "");
	control_close(&control);
	assert_int_equal(fcntl(ends[0], F_GETFD), 0);
	close(ends[0]);
}

static void a_file_that_cannot_be_a_control_file_is_refused(void **state)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{"fifo:/no/such/fifo", "/no/such/fifo: cannot be opened"},
		{"/no/such/fifo", "/no/such/fifo: cannot be opened"},
		{"/dev/null", "/dev/null: is not a FIFO"},
		{"fd:", "'' is not the number of a file descriptor"},
		{"fd:x", "'x' is not the number of a file descriptor"},
		{"fd:0,-1", "'-1' is not the number of a file descriptor"},
		{"fd:999999", "there is no file descriptor 999999"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct control control;
		struct err err = {.text = ""};

		assert_int_equal(control_open(&control, cases[i].text, &err), -1);
		if (!strstr(err.text, cases[i].sentence))
			fail_msg("'%s' is not '%s'", err.text, cases[i].sentence);
		assert_int_equal(control.fd, -1);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_line_is_a_command),
	cmocka_unit_test(commands_end_with_a_nul_too),
	cmocka_unit_test(an_unknown_line_can_be_named),
	cmocka_unit_test(an_answer_waits_for_its_reader),
	cmocka_unit_test(an_endless_writer_is_read_in_pieces),
	cmocka_unit_test(descriptors_of_the_caller_stay_open),
	cmocka_unit_test(a_file_that_cannot_be_a_control_file_is_refused),
};

TEST_FILE(tests);
