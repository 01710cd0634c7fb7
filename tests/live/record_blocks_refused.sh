#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# If functions cannot be recorded, one sentence gives the reason, and no program is started; if that
# is known only later, the command goes on as without --probe.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
[ "$(uname -m)" = x86_64 ] || {
	echo 'functions are recorded on x86-64 only'
	exit 77
}
here=${0%/*}
cp "$WORKLOADS/blocks" blocks

# refused WORDS ARGUMENT...: status 1, a sentence with these words, and no recording.
refused()
{
	words=$1
	shift
	expect 1 "$PSCAL" record -o no.data "$@" >printed 2>said
	[ "$(wc -l <said)" -eq 1 ] || fail "$*: not one line: $(cat said)"
	grep -q "^pscal record: --probe.*$words" said || fail "$*: said: $(cat said)"
	[ ! -s printed ] || fail "$*: it has run: $(cat printed)"
	[ ! -e no.data ] || fail "$*: left no.data"
}

# goes_on CASE: the command has its normal output and status.
goes_on()
{
	[ "$status" -eq 7 ] || fail "$1: status $status: $(cat said)"
	[ "$(cat printed)" = "done" ] || fail "$1: printed: $(cat printed)"
}

# --- Before it starts ------------------------------------------------------------------------------

refused "none of the [0-9]* functions of .*blocks is called 'nobody'" --probe nobody ./blocks 1 9 1
refused 'there is no such program' --probe outer ./nowhere
echo text >text && chmod +x text
refused 'is not a program for this machine' --probe outer ./text
cp blocks stripped && strip stripped
refused 'it is stripped' --probe outer ./stripped 1 9 1

# The set-user-id bit of another user, for which the loader ignores LD_PRELOAD.
if [ "$(id -u)" -eq 0 ]; then
	cp blocks other && chown 65534 other && chmod 4755 other
	refused 'rights of another user (setuid)' --probe outer ./other 1 9 1
	# ... and if the command starts such a program, only that one is not recorded.
	expect 7 "$PSCAL" record -o other.data --probe marks sh -c './other 1 9 1; exit $?' \
		>printed 2>said
	status=$?
	grep -q 'nothing was recorded' said || fail "of a set-user-id program: $(cat said)"
fi

cat >short.c <<'C'
__attribute__((noinline)) int five(void) { __asm__ volatile(""); return 5; }
__asm__(".text\n.globl tiny\n.type tiny, @function\ntiny: .cfi_startproc\nxor %eax, %eax\nret\n.cfi_endproc\n.size tiny, .-tiny\n");
int tiny(void);
int main(void) { return five() + tiny(); }
C
if cc -O1 -fcf-protection=none -o short short.c 2>refusal; then
	refused 'the function cannot be probed: tiny is too short for a jump' \
		--probe tiny ./short
	expect 5 "$PSCAL" record -o short.data --probe tiny --probe five ./short 2>said
	grep -q '1 of 2 functions is not probed: tiny is too short' said ||
		fail "a short function beside a longer one: $(cat said)"
	grep -q 'functions: 2 events of 1 thread, 0 lost' said || fail "the longer one: $(cat said)"
fi
if cc -O2 -static -o static "$here/../workloads/blocks.c" -lpthread 2>refusal; then
	refused 'is linked statically' --probe outer ./static 1 9 1
fi

# More functions than the plan can have.
awk 'BEGIN {
	for (i = 0; i < 66000; i++)
		printf ".type many_%d, @function\nmany_%d: .cfi_startproc\nmovl $5, %%eax\nret\n" \
			".cfi_endproc\n.size many_%d, .-many_%d\n", i, i, i, i
	print ".globl main\n.type main, @function\nmain: .cfi_startproc\nmovl $5, %eax\nret\n" \
		".cfi_endproc\n.size main, .-main\n.section .note.GNU-stack, \"\", @progbits"
}' >many.s
if cc -o many many.s 2>refusal; then
	refused 'the patterns match 66000 functions, and at most 65536' --probe 'many_*' ./many
	expect 5 "$PSCAL" record -q -o many.data --probe 'many_[0-5]*' ./many
fi

# --- A library of another version ------------------------------------------------------------------

mkdir installed other_probe
cp "$PSCAL" installed/pscal
cp -r "$here/../../src/probe" other_probe/probe
sed -i 's/SPOOL_VERSION = [0-9]*/SPOOL_VERSION = 99/' other_probe/probe/spool.h
expect 1 installed/pscal record -o no.data --probe outer ./blocks 1 9 1 >printed 2>said
grep -q 'libpscal-probe.so is neither in ' said || fail "no library: $(cat said)"
if cc -shared -fPIC -O2 -std=gnu11 -D_GNU_SOURCE -Iother_probe -fvisibility=hidden \
	-ftls-model=initial-exec -mgeneral-regs-only -fcf-protection=none -fno-stack-protector \
	-Wl,-z,now,-z,initfirst -o installed/libpscal-probe.so other_probe/probe/*.[cS] \
	2>refusal; then
	installed/pscal record -o version.data --probe outer ./blocks 1 9 1 >printed 2>said
	status=$?
	goes_on 'another version'
	grep -q 'the probe library in it is of another version of pscal' said ||
		fail "another version: $(cat said)"
	[ "$(wc -l <said)" -eq 4 ] || fail "another version: not said once: $(cat said)"
else
	fail "the library is not built: $(cat refusal)"
fi

# --- Limits ----------------------------------------------------------------------------------------

# limited BLOCKS WORDS: files of the command may have at most this many blocks of 512 bytes.
limited()
{
	(
		ulimit -f "$1"
		exec "$PSCAL" record -o /dev/null --probe outer ./blocks 2 300000 1
	) >printed 2>said
	status=$?
	goes_on "ulimit -f $1"
	grep -q "$2" said || fail "ulimit -f $1: $(cat said)"
	! grep -q 'nothing was recorded' said || fail "ulimit -f $1: another reason: $(cat said)"
}
limited 100 'a thread is not recorded: memory or files are limited'
limited 1000 "memory, 'ulimit -v' or 'ulimit -f' was too small"
