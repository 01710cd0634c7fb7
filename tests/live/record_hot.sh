#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --probe can take the functions that samples have found hot.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

cat >work.c <<'C'
#include <stdio.h>
#include <stdlib.h>
volatile unsigned sum;
__attribute__((noinline)) void much(void) { for (int i = 0; i < 30000; i++) sum += sum * 3 + 1; }
__attribute__((noinline)) void little(void) { for (int i = 0; i < 30; i++) sum += sum * 3 + 1; }
int main(int count, char **words) { for (int i = count > 1 ? atoi(words[1]) : 9; i--;) { much(); little(); } return 0; }
C
cc -O1 -o work work.c || exit 77
expect 0 "$PSCAL" record -q -F 997 -o samples.data ./work 9000
expect 0 "$PSCAL" record -q -o hot.data --probe hot:20%,from=samples.data ./work 50
perf script -i hot.data >events 2>/dev/null
[ "$(grep -c 'pscal:enter:.*block=much' events)" = 50 ] || fail "$(head -n 5 events)"
grep -q little events && fail 'little is recorded, which is not hot'

# The kernel's code in the process is hot, but no function of a file.
cat >clock.c <<'C'
#include <time.h>
__attribute__((noinline)) long wait_until(double end) {
	long n = 0;
	for (struct timespec t = {0}; t.tv_sec + t.tv_nsec * 1e-9 < end; n++) clock_gettime(CLOCK_MONOTONIC, &t);
	return n;
}
int main(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return wait_until(t.tv_sec + t.tv_nsec * 1e-9 + .3) == 0;
}
C
cc -O1 -fno-omit-frame-pointer -o clock clock.c || exit 77
expect 0 "$PSCAL" record -q -F 997 -g -o clock.data ./clock
"$PSCAL" profile --by function --format csv clock.data >functions.csv || fail 'no functions'
grep -q unknown functions.csv && fail "unknown code: $(cat functions.csv)"
grep '^"*\[vdso\]' functions.csv | grep -q 'wait_until < main' || fail "no vDSO: $(cat functions.csv)"
expect 0 "$PSCAL" record -q -o hot.data --probe hot:1%,from=clock.data ./clock
perf script -i hot.data >events 2>/dev/null
grep -q 'block=wait_until' events || fail 'wait_until is not recorded'
grep -q 'block=.*vdso' events && fail 'the vDSO is recorded'

# A recording without samples.
"$PSCAL" record -q -o plain.data ./work 5
expect 1 "$PSCAL" record -q -o hot.data --probe hot,from=plain.data ./work 2>said
grep -q 'has no samples' said || fail "$(cat said)"
