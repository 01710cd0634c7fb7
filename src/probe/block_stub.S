/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What runs when a function with a patched entry is entered and left, on x86-64 (System V ABI). All
 * registers that are not for whole numbers are left as they are, by what is called here too, and
 * all others are given back as they were: not only those that may hold arguments and results, as
 * compilers keep values in what they know a function not to change (gcc -fipa-ra).
 */
#if defined(__x86_64__)

	.text

	.macro	save reg
	pushq	\reg
	.cfi_adjust_cfa_offset 8
	.endm

	.macro	restore reg
	popq	\reg
	.cfi_adjust_cfa_offset -8
	.endm

/*
 * Called with the block in r11. The stack: where to go on in the thunk, what r11 was, the return
 * address of the call that is watched.
 */
	.globl	probe_stub_enter
	.hidden	probe_stub_enter
	.type	probe_stub_enter, @function
	.balign	16
probe_stub_enter:
	.cfi_startproc
	save	%r10
	save	%rax
	save	%r9
	save	%r8
	save	%rcx
	save	%rdx
	save	%rsi
	save	%rdi
	movq	%r11, %rdi		/* block */
	leaq	80(%rsp), %rsi		/* slot */
	movq	%rsp, %rdx		/* registers */
	subq	$8, %rsp		/* the stack is a multiple of 16 again */
	.cfi_adjust_cfa_offset 8
	call	probe_entered
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	restore	%rdi
	restore	%rsi
	restore	%rdx
	restore	%rcx
	restore	%r8
	restore	%r9
	restore	%rax
	restore	%r10
	ret
	.cfi_endproc
	.size	probe_stub_enter, . - probe_stub_enter

/*
 * Where watched calls return to: the place of the return address is just below the stack now, and
 * is filled again.
 */
	.globl	probe_stub_leave
	.hidden	probe_stub_leave
	.type	probe_stub_leave, @function
	.balign	16
	.cfi_startproc
	.cfi_undefined rip
	nop				/* who unwinds looks up the instruction before */
probe_stub_leave:
	subq	$8, %rsp
	save	%rax
	save	%rdx
	save	%rcx
	save	%rsi
	save	%rdi
	save	%r8
	save	%r9
	save	%r10
	save	%r11
	leaq	72(%rsp), %rdi		/* slot */
	movq	%rax, %rsi		/* result */
	call	probe_left		/* the stack is a multiple of 16 */
	movq	%rax, 72(%rsp)
	restore	%r11
	restore	%r10
	restore	%r9
	restore	%r8
	restore	%rdi
	restore	%rsi
	restore	%rcx
	restore	%rdx
	restore	%rax
	leaq	8(%rsp), %rsp
	jmpq	*-8(%rsp)		/* a return would be predicted to lead elsewhere */
	.cfi_endproc
	.size	probe_stub_leave, . - probe_stub_leave

#endif

	.section .note.GNU-stack, "", @progbits
