#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Another program probes the same functions by the kernel, for the whole system, while or before
# pscal records them from inside: the recorded program is not harmed.
# Runs alone: it probes the whole machine.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

cat >turns.c <<'C'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) long turn(long sum, long i)
{
	return sum * 7919 + i;
}
__attribute__((noinline)) long beside(long sum)
{
	return turn(sum, 1) - 1;
}
int main(void)
{
	long sum = 0, again = 0;

	while (access("stop", F_OK)) {
		for (long i = 0; i < 100000; i++)
			sum = turn(sum, i);
		sum = (beside(sum) - sum * 7919) + sum;
		for (long i = 0; i < 100000; i++)
			again = again * 7919 + i;
		fclose(fopen("round", "w"));
	}
	printf("%s\n", sum == again ? "right" : "wrong");
	return 5;
}
C
gcc -O0 -fno-omit-frame-pointer -w -o turns turns.c || fail 'gcc failed'

"$PSCAL" record -q --uprobe "$PWD/turns:turn" -a --duration 0.01 -o outside.data 2>said || {
	tail -n 1 said
	exit 77
}

# watch: records the program from inside; it runs on in the background.
watch()
{
	rm -f stop round
	"$PSCAL" record -q --probe turn,every=1000 -o inside.data ./turns >printed 2>said &
	inside=$!
	wait_for 60 blocks_began $inside
	wait_for 60 test -e round
}

# unharmed WHEN
unharmed()
{
	touch stop
	wait $inside
	status=$?
	[ $status -eq 5 ] || fail "$1: status $status"
	[ "$(cat printed)" = right ] || fail "$1: it printed $(cat printed)"
}

watch
for _ in 1 2 3; do
	"$PSCAL" record -q --uprobe "$PWD/turns:turn" -a --duration 0.2 -o outside.data ||
		fail "a probe of the kernel beside that of pscal: $?"
done
unharmed 'probed after it was watched'

# pscal leaves code alone that the kernel has already changed, and code on the same page, as the
# kernel expects its breakpoint in unchanged memory of the file.
begin_recording --uprobe "$PWD/turns:turn" -a -o outside.data
for function in turn beside; do
	rm -f stop round
	"$PSCAL" record --probe "$function,every=1000" -o inside.data ./turns >printed 2>said &
	inside=$!
	wait_for 60 test -e round
	unharmed 'probed before it was watched'
	case $function in
	turn) why='has other instructions in memory' ;;
	beside) why='is on a page of memory that something else changed' ;;
	esac
	grep -q "$function: $why" said || fail "no message about $function: $(cat said)"
done
# shellcheck disable=SC2154 # begin_recording sets it
kill -INT "$recorder"
expect 0 wait "$recorder"
