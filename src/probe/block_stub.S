/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What runs when a function with a patched entry is entered and left, on x86-64 (System V ABI). All
 * registers that may hold arguments or results are as they were before; r11 is nobody's.
 */
#if defined(__x86_64__)

	.text

/*
 * r11: struct probe_entry. The stack: the return address of the call. Saved are the registers for
 * integer arguments, rax (how many vector registers hold some) and r10 (the static chain); those
 * for others are not touched, as what is called uses none of them.
 */
	.globl	probe_stub_enter
	.hidden	probe_stub_enter
	.type	probe_stub_enter, @function
	.balign	16
probe_stub_enter:
	.cfi_startproc
	pushq	%r11
	.cfi_adjust_cfa_offset 8
	pushq	%r10
	.cfi_adjust_cfa_offset 8
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	pushq	%r9
	.cfi_adjust_cfa_offset 8
	pushq	%r8
	.cfi_adjust_cfa_offset 8
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	movq	%r11, %rdi		/* entry */
	leaq	72(%rsp), %rsi		/* slot */
	movq	%rsp, %rdx		/* registers */
	cld
	call	probe_entered		/* the stack is aligned: 8 + 9 * 8 bytes */
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%r8
	.cfi_adjust_cfa_offset -8
	popq	%r9
	.cfi_adjust_cfa_offset -8
	popq	%rax
	.cfi_adjust_cfa_offset -8
	popq	%r10
	.cfi_adjust_cfa_offset -8
	popq	%r11
	.cfi_adjust_cfa_offset -8
	jmpq	*(%r11)			/* resume */
	.cfi_endproc
	.size	probe_stub_enter, . - probe_stub_enter

/*
 * Where watched calls return to: the place of the return address is just below the stack now.
 * Results are in rax, rdx and in vector and x87 registers.
 */
	.globl	probe_stub_leave
	.hidden	probe_stub_leave
	.type	probe_stub_leave, @function
	.balign	16
	.cfi_startproc
	.cfi_undefined rip
	nop				/* who unwinds looks up the instruction before */
probe_stub_leave:
	subq	$8, %rsp		/* the place again: it will hold the address to return to */
	pushq	%rax
	pushq	%rdx
	leaq	16(%rsp), %rdi		/* slot */
	movq	%rax, %rsi		/* result */
	/* After a return the stack is a multiple of 16, and three words below it is not. */
	subq	$8, %rsp
	call	probe_left
	addq	$8, %rsp
	movq	%rax, 16(%rsp)
	popq	%rdx
	popq	%rax
	ret
	.cfi_endproc
	.size	probe_stub_leave, . - probe_stub_leave

#endif

	.section .note.GNU-stack, "", @progbits
