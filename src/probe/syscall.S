/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * syscall(), as what it calls may return twice, or on another stack: so nothing of it may be on the
 * stack. The system calls that may confine the process are left to confinement.c.
 */
#if defined(__x86_64__)

#include <sys/syscall.h>

	.text
	.globl	syscall
	.type	syscall, @function
	.balign	16
syscall:
	.cfi_startproc
	cmpq	$SYS_prctl, %rdi
	je	confinement_syscall
	cmpq	$SYS_seccomp, %rdi
	je	confinement_syscall
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	cmpq	$-4095, %rax
	jae	1f
	ret
1:	movq	%rax, %rdi
	jmp	confinement_failed
	.cfi_endproc
	.size	syscall, . - syscall

#endif

	.section .note.GNU-stack, "", @progbits
