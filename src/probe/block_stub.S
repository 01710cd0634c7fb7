/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code that runs when a function with a patched entry is entered and left, on x86-64 (System V
 * ABI). It saves and restores all general-purpose registers, not only those of arguments and
 * results: gcc -fipa-ra keeps values in each register that a function is known not to change.
 * Neither this code nor the functions that it calls use any other register.
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
 * address of the call that is watched. Unwinders go on from that one.
 */
	.globl	probe_stub_enter
	.hidden	probe_stub_enter
	.type	probe_stub_enter, @function
	.balign	16
probe_stub_enter:
	.cfi_startproc
	.cfi_adjust_cfa_offset 16
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
 * Watched calls return here: the place of the return address, `slot`, is just below the stack
 * now, and is filled again.
 *
 * An unwinder of the stack inside of the call (exceptions, pthread_cancel, backtrace, debuggers)
 * takes this for a frame of no bytes, and is told where the open_call is that says where it
 * returns to (open_call.h):
 *
 *	open_calls[slot >> 35][slot >> 20 & 0x7fff] + 3 * slot
 *
 * As an expression of DWARF has no other address at hand than that of where it stands, in
 * register 16, it finds open_calls from there. libgcc knows frames by their canonical address
 * alone, the one that catches an exception too: this one's is slot + 4, which no other has.
 */
	.globl	probe_stub_leave
	.hidden	probe_stub_leave
	.type	probe_stub_leave, @function
	.balign	16
	.skip	7
	.quad	open_calls - .		/* 9 bytes before the stub */
	.cfi_startproc
	.cfi_escape 0x0f, 2, 0x77, 0x7c		/* the canonical address: breg7 -4 */
	.cfi_escape 0x16, 7, 2, 0x34, 0x22	/* rsp: that lit4 plus */
	.cfi_escape 0x10, 16, 31		/* where rip is, in so many bytes: */
	.cfi_escape 0x34, 0x1c			/* that lit4 minus: slot */
	.cfi_escape 0x12, 8, 35, 0x25, 0x33, 0x24 /* dup const1u 35 shr lit3 shl */
	.cfi_escape 0x80, 0x77, 0x12, 0x06, 0x22 /* breg16 -9, dup deref plus: &open_calls */
	.cfi_escape 0x06, 0x22, 0x06		/* deref plus deref: the region */
	.cfi_escape 0x14, 0x44, 0x25		/* over lit20 shr */
	.cfi_escape 0x0a, 0xff, 0x7f, 0x1a	/* const2u 0x7fff and */
	.cfi_escape 0x33, 0x24, 0x22, 0x06	/* lit3 shl plus deref */
	.cfi_escape 0x16, 0x33, 0x1e, 0x22	/* swap lit3 mul plus */
	nop				/* unwinders look up the instruction before */
probe_stub_leave:
	subq	$8, %rsp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rsp
	.cfi_undefined rip		/* it is not known again until the end */
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
	.cfi_offset rip, -8
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
	.cfi_adjust_cfa_offset -8
	jmpq	*-8(%rsp)		/* a return would be predicted to lead elsewhere */
	.cfi_endproc
	.size	probe_stub_leave, . - probe_stub_leave

#else

/* Other machines patch no entry and call none of this: these are addresses that no code has. */
	.globl	probe_stub_enter, probe_stub_leave
	.hidden	probe_stub_enter, probe_stub_leave
	.set	probe_stub_enter, 0
	.set	probe_stub_leave, 0

#endif

	.section .note.GNU-stack, "", @progbits
