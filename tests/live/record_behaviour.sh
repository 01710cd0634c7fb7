#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs have the same output, files, status and environment while they are recorded, in each way
# to record. BEHAVIOUR selects the ways whose lines match it.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
here=$PWD
PATH=$WORKLOADS:$PATH
export PATH here
unset LD_PRELOAD
touch=behaviour_touch

# The ways to record, a line each: a name, the allowed differences, and the options. With `probes`
# the environment has LD_PRELOAD, PSCAL_SPOOL and, for programs with AddressSanitizer, ASAN_OPTIONS;
# with `omp` OMP_TOOL_LIBRARIES, too (man pscal-record).
modes="
perf - --collector perf
bpf - --collector bpf
task - --collector task
calls - --sync
locks - --sync=all
uprobe - --uprobe $WORKLOADS/behaviour_processes:$touch --uprobe $WORKLOADS/behaviour_rights:$touch
samples - -F 499 --off-cpu
counters - -e task-clock,page-faults
probe probes --probe $WORKLOADS/behaviour_processes:* --probe $WORKLOADS/behaviour_rights:*
libc probes --probe libc.so.6:*,every=100
tasks probes --tasks
omp omp --tasks=omp
all omp --sync -F 99 -e page-faults --tasks=omp --probe libc.so.6:m* --uprobe libc.so.6:getpid
ended probes --probe libc.so.6:*,every=100 --duration 0.05
nobody - --collector task
"

# Commands that run in each of these ways: RUN is empty, or `pscal record` with its options.
cat >each <<'S'
behaviour_processes	$RUN behaviour_processes
behaviour_rights	$RUN behaviour_rights
inherited	inherited strange $RUN inherited print
S

# Commands that run in some of them, as they depend little on the way to record.
cat >some <<'S'
status	$RUN sh -c 'exit 3'
signal	$RUN sh -c 'kill -USR1 $$'
core	ulimit -c unlimited; $RUN sh -c 'kill -SEGV $$'
no-core	ulimit -c 0; $RUN sh -c 'kill -SEGV $$'
interrupt	$RUN sh -c 'kill -INT $$'
words	$RUN inherited print '' '*' 'a b' -q --probe -- "$(printf '\n')x"
piped	head -c 100000 /dev/zero | tr '\0' x | $RUN wc -c
input-left	seq 10 | (read -r first; $RUN head -n 1 >/dev/null; cat)
no-input	$RUN inherited print <&-
no-output	$RUN inherited print >&-
no-errors	$RUN inherited print 2>&-
nothing-open	$RUN inherited print <&- >&- 2>&- 9>all
seven	$RUN inherited print 7<each
thousand	ulimit -n 1024; $RUN sh -c 'ulimit -n; ulimit -Hn'
environment	env -i PATH="$PATH" HOME=/ EMPTY= $RUN inherited print
preloads	LD_PRELOAD=libm.so.6 $RUN inherited print
children-ignored	(trap '' CHLD; $RUN grep -c 'SigIgn:.*[13579bdf]....$' /proc/self/status)
nohup	(trap '' HUP; $RUN inherited print)
background	$RUN inherited print & wait
nice	nice -n 5 chrt -b 0 $RUN inherited print
one-cpu	taskset -c 0 $RUN inherited print
session	setsid -w $RUN sh -c 'test -t 0 || ps -o sid= -p $$ | wc -l'
gone	mkdir gone; cd gone; rmdir ../gone; $RUN inherited print
umask	umask 0137; $RUN touch file; stat -c %a file
no-new-rights	setpriv --no-new-privs $RUN inherited print
capabilities	setpriv --bounding-set -sys_time,-mac_admin $RUN inherited print
alarm	perl -e 'alarm 1; exec @ARGV' $RUN sleep 20; echo $?
many-words	$RUN sh -c 'echo $#' $(seq 20000)
script	printf '#!/bin/sh -e\necho "$0" "$@"; exit 5\n' >script; chmod +x script; $RUN ./script a 'b c'
no-interpreter	printf 'echo "$@"; exit 6\n' >script; chmod +x script; $RUN ./script a 'b c'
static	$RUN sh -c "$here/static exits_with_3; $here/static has_300_threads"
setuid	$RUN sh -c "setpriv --reuid=65534 --clear-groups $here/setuid"
other-machine	$RUN sh -c "$here/other; echo \$?"
exceptions	$RUN $here/throws
terminal	inherited pty sh -c "trap : INT QUIT; $RUN inherited waits; exit \$?"
S
some_modes='bpf probe nobody'

gcc -D_GNU_SOURCE -O2 -w -static -o static "${0%/*}/../workloads/behaviour_processes.c" -pthread || fail 'no gcc'
cat >setuid.c <<'C'
#include <stdio.h>
#include <unistd.h>
int main(void) { return printf("%d %d\n", getuid(), geteuid()) < 0; }
C
gcc -w -o setuid setuid.c && chmod 4755 setuid
cat >other.c <<'C'
void _start(void) { __asm__ volatile("int $0x80" : : "a"(1), "b"(42)); }
C
gcc -m32 -w -nostdlib -static -o other other.c 2>/dev/null || ln -s /bin/true other
cat >throws.cc <<'C'
#include <cstdio>
#include <stdexcept>
#include <thread>
struct said { int n; ~said() { std::printf("~%d\n", n); } };
__attribute__((noinline)) int deep(int n) { said s{n}; if (!n) throw std::runtime_error("bottom"); return deep(n - 1) + s.n; }
int main() {
	std::thread t([] { try { deep(3); } catch (const std::exception &e) { std::puts(e.what()); } });
	t.join();
	try { deep(2); } catch (...) { std::puts("all"); }
	std::fflush(stdout);
	throw 5;
}
C
g++ -O2 -w -o throws throws.cc -pthread || fail 'no g++'
chmod 755 . static setuid other throws
seq 1000 >input

# into DIRECTORY COMMAND: runs it there, with its output in that directory.
into()
{
	mkdir -p "$1"
	chmod 777 "$1"
	(
		cd "$1" || exit
		$as timeout 60 sh -c "RUN='$RUN'; $2" <"$here/input" >stdout 2>stderr 4<&-
		echo $? >status
	) 2>/dev/null
	for core in "$1"/core* "$1"/*/core*; do
		[ ! -f "$core" ] || {
			: >"${core%/*}/a-core-was-written"
			rm "$core"
		}
	done
}

# Removes intended differences, and messages of shells about signals, which contain process ids.
without()
{
	names=
	case $1 in
	probes) names='LD_PRELOAD|PSCAL_SPOOL|ASAN_OPTIONS' ;;
	omp) names='LD_PRELOAD|PSCAL_SPOOL|ASAN_OPTIONS|OMP_TOOL_LIBRARIES' ;;
	esac
	find "$2" -type f \( -name stdout -o -name all -o -name stderr \) -exec \
		sed -i -E -e "/^env (${names:-none})=/d" -e '/^(Aborted|Segmentation fault|User defined signal 1|Alarm clock)/d' {} +
}

# as_mode MODE: prints the user that runs it, and the commands.
as_mode()
{
	as=
	[ "$1" != nobody ] || as='setpriv --reuid=65534 --regid=65534 --clear-groups'
	case " $some_modes " in
	*" $1 "*) cat each some ;;
	*) cat each ;;
	esac >"todo.$1"
}

# compare MODE DESIGN NAME COMMAND
compare()
{
	as_bare=bare${as:+.nobody}
	RUN="$PSCAL record -q -o $here/out/$1.data $options --"
	into "ran/$1/$3" "$4"
	rm -rf "expected/$1"
	cp -r "$as_bare/$3" "expected/$1"
	without "$2" "expected/$1"
	without "$2" "ran/$1/$3"
	sed -i "s|$here/ran/$1/|$here/$as_bare/|" "ran/$1/$3"/stdout "ran/$1/$3"/[a]ll 2>/dev/null
	diff -r "expected/$1" "ran/$1/$3" >"differences.$1" || {
		echo "$3: differs when recorded by $1 (- alone, + recorded):"
		diff -ru "expected/$1" "ran/$1/$3" | grep '^[-+O]' | head -n 12 | cut -c 1-200 |
			sed 's/^/	/'
	}
	for spool in out/"$1".data.spool-*; do
		[ ! -e "$spool" ] || echo "$3: when recorded by $1 the spool is left behind"
	done
}

compare_all()
{
	while IFS=$tab read -r name command <&4; do
		# Refused, as the file does not name its interpreter.
		[ "$name:$2" = no-interpreter:probes ] || compare "$1" "$2" "$name" "$command"
	done 4<"todo.$1"
}

mkdir -m 777 out
mkdir ran expected
tab=$(printf '\t')
printf '%s' "$modes" | grep -e "${BEHAVIOUR:-.}" | grep . >lines

# Without a recorder.
for mode in bpf nobody; do
	as_mode "$mode"
	RUN=
	while IFS=$tab read -r name command <&4; do
		into "bare${as:+.nobody}/$name" "$command"
	done 4<"todo.$mode"
done

# With a recorder, some at a time.
running=0
while read -r mode design options <&3; do
	as_mode "$mode"
	compare_all "$mode" "$design" >"said.$mode" 2>&1 3<&- &
	running=$((running + 1))
	[ $((running % 4)) -ne 0 ] || wait
done 3<lines
wait
cat said.*
echo "$(cat todo.* | wc -l) programs and situations in $(wc -l <lines) ways"
[ "$(cat said.* | wc -c)" -eq 0 ] || fail 'some programs behave differently when recorded'
