/* SPDX-License-Identifier: GPL-3.0-or-later */
/* If the system does not allow changes of code, no code is changed. */
#include "probe/watched_run.h"
#include "support.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)

#ifndef PR_SET_MDWE
#define PR_SET_MDWE		 65 /* Linux 6.3 */
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

static const char *const watched[] = {"watch_*", NULL};
static const char *const words[] = {"calls", "recursion", NULL};

/* --- Limits of a system --------------------------------------------------------------------- */

/* Refuses calls of `number` with all bits of `forbidden` in the third argument, as security modules
 * do.
 */
static void forbid(unsigned number, unsigned forbidden)
{
	const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, forbidden),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {sizeof(code) / sizeof(code[0]),
					  (struct sock_filter *)(uintptr_t)code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		_exit(96);
}

/* As SELinux without execmem. */
static void no_new_code(void)
{
	forbid(SYS_mprotect, PROT_EXEC);
}

/* As a kernel on which memory is either writable or executable. */
static void no_code_to_write(void)
{
	forbid(SYS_mprotect, PROT_WRITE | PROT_EXEC);
}

static void write_or_execute(void)
{
	if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0))
		_exit(96);
}

/* --- Refused changes ------------------------------------------------------------------------ */

static void code_that_must_not_be_changed_is_left_alone(void **state)
{
	struct watched_run run = {
		.words = words, .names = watched, .every = 1, .prepare = no_new_code};

	(void)state;
	watched_run_both(&run);
	assert_true(run.patches > 3);
	assert_int_equal(run.status, 0);
	assert_int_equal(run.events, 0);
	assert_non_null(strstr(run.trouble, "its code cannot be changed here"));
	watched_run_release(&run);
}

static void code_is_changed_without_being_writable(void **state)
{
	struct watched_run run = {
		.words = words, .names = watched, .every = 1, .prepare = no_code_to_write};

	(void)state;
	watched_run_both(&run);
	assert_true(run.patches > 3);
	assert_int_equal(run.status, 0);
	assert_true(run.events > 3);
	assert_string_equal(run.trouble, "");
	watched_run_release(&run);
}

static void a_process_that_refuses_new_code_is_left_alone(void **state)
{
	struct watched_run run = {
		.words = words, .names = watched, .every = 1, .prepare = write_or_execute};

	(void)state;
	if (prctl(PR_SET_MDWE, 0, 0, 0, 0) && errno == EINVAL)
		return; /* the kernel is older */
	watched_run_both(&run);
	assert_int_equal(run.status, 0);
	assert_int_equal(run.events, 0);
	assert_non_null(strstr(run.trouble, "its code cannot be changed here"));
	watched_run_release(&run);
}

#endif

static const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
	cmocka_unit_test(code_that_must_not_be_changed_is_left_alone),
	cmocka_unit_test(code_is_changed_without_being_writable),
	cmocka_unit_test(a_process_that_refuses_new_code_is_left_alone),
#endif
};

TEST_FILE(tests);
