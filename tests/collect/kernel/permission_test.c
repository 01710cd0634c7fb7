/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "collect/collect_dir.h"
#include "collect/kernel/permission.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct perf_event_attr in_user_mode(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(struct perf_event_attr),
		.exclude_kernel = 1,
	};
}

static void a_refusal_without_a_matter_of_rights_has_the_name_of_its_error(void **state)
{
	static const struct {
		int code;
		const char *said;
	} cases[] = {
		{ENOSYS, "this kernel has no perf events"},
		{ENOMEM, "no memory for the ring buffers"},
		{EINVAL, "dummy: the kernel refuses the event on thread 7: Invalid argument"},
	};
	const struct perf_event_attr attr = in_user_mode();
	struct err err = {.text = ""};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		errno = cases[i].code;
		assert_int_equal(permission_task_event(&err, "dummy", &attr, 7), -1);
		if (strncmp(err.text, cases[i].said, strlen(cases[i].said)) != 0)
			fail_msg("%s", err.text);
	}
}

/* As a container does. In a process of its own, as a filter cannot be removed. */
static void forbid_events(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(77);
}

static void a_filter_of_system_calls_is_named(void **state)
{
	const struct perf_event_attr attr = in_user_mode();
	struct err err = {.text = ""};
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		forbid_events();
		errno = EPERM;
		permission_task_event(&err, "dummy", &attr, 0);
		_exit(strncmp(err.text, "a seccomp filter", 16) != 0 ||
		      !strstr(permission_reduced_view("/sys/kernel/tracing"), "setcap"));
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void without_tracefs_the_right_to_read_it_is_missing(void **state)
{
	char root[64];
	char *view = permission_reduced_view(NULL);

	(void)state;
	assert_non_null(strstr(view, "Wakeups were not recorded"));
	assert_non_null(strstr(view, "'sudo setcap cap_perfmon,cap_bpf,cap_dac_read_search+ep /"));
	assert_non_null(strstr(view, "'sudo mount -o remount"));
	free(view);
	dir_make(root);
	view = permission_reduced_view(root);
	assert_non_null(strstr(view, "'sudo setcap"));
	assert_null(strstr(view, "'sudo mount"));
	free(view);
	dir_remove(root);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_refusal_without_a_matter_of_rights_has_the_name_of_its_error),
	cmocka_unit_test(a_filter_of_system_calls_is_named),
	cmocka_unit_test(without_tracefs_the_right_to_read_it_is_missing),
};

TEST_FILE(tests);
