#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs of the system have the same output, files and status while all their functions that can
# be probed are recorded: those of the libraries that they load, and their own if they have symbols.
# UNHARMED selects programs by a pattern of grep.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
here=$PWD
seconds=120

# The input of all programs: text with repetition, made of files of the tests.
cat "$0" "${0%/*}"/*-lib "$PSCAL" | head -c 300000 >corpus
awk 'BEGIN { srand(3); for (i = 0; i < 3000; i++) print int(1000 * rand()), "word" i % 97, i }' >table
cat >unit.c <<'C'
#include <stdio.h>
#include <string.h>
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int main(void) { char text[9] = ""; strcat(text, "sum"); return !printf("%s %d\n", text, fibonacci(9)); }
C
cat >Unit.java <<'J'
public class Unit {
	static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
	public static void main(String[] a) throws Exception {
		Thread t = new Thread(() -> System.out.println(fibonacci(20)));
		t.start(); t.join();
		try { Object o = null; o.hashCode(); } catch (NullPointerException e) { System.out.println("null"); }
		System.exit(3);
	}
}
J
cat >unit.py <<'P'
import hashlib, json, re, threading, subprocess, os, signal, zlib
total = []
threads = [threading.Thread(target=lambda i=i: total.append(sum(range(i * 1000)))) for i in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sorted(total), zlib.crc32(b"x" * 999), hashlib.sha256(b"y").hexdigest())
print(json.dumps(sorted(re.findall(r"w[a-z]+\d", open("../table").read()))[:5]))
print(subprocess.run(["sh", "-c", "kill -TERM $$"]).returncode, subprocess.getoutput("echo ok"))
pid = os.fork()
if pid == 0: os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
signal.signal(signal.SIGALRM, lambda *a: print("alarm")); signal.setitimer(signal.ITIMER_REAL, 0.05); signal.pause()
try: [].x
except AttributeError as e: print(e)
raise SystemExit(5)
P
cat >unit.sh <<'S'
trap 'echo usr1' USR1; kill -USR1 $$
for i in 1 2 3 4 5; do echo "$i" | (read -r n; echo $((n * n))) & wait $!; done
a=(b c d); echo "${a[@]^^}" "${#a[@]}" <(true) | tr -d 0-9; cat <<< "$(printf '%05.1f' 3.14159)"
( exit 4 ) || echo "status $?"; ulimit -n >/dev/null; sleep 0.01; exec sh -c 'exit 9'
S
cat >unit.pl <<'L'
my %h; while (<>) { my @f = split; $h{$f[1]} += $f[0] } print "$_ $h{$_}\n" for sort keys %h;
local $SIG{ALRM} = sub { die "alarm\n" }; eval { alarm 1; select undef, undef, undef, 5; }; print $@;
if (my $p = fork) { waitpid $p, 0; print $? >> 8, "\n" } else { exit 6 } print sprintf("%.10g", exp 1), `echo sub`; exit 2;
L
cat >unit.sql <<'Q'
create table t (a integer, b text); with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
insert into t select i * 7919 % 2003, hex(i) from n; create index x on t (b); select count(*), sum(a), min(b), avg(a) from t;
select a, b from t order by b desc limit 5; .read /nowhere
Q
cat >unit.gp <<'G'
set terminal dumb 60 20; f(x) = a * sin(b * x) + c; a = 1; b = 1; c = 1
set fit quiet; set fit logfile "/dev/null"; fit f(x) "../table" using 0:1 via a, c; plot sin(x) with lines
G
cat >unit.mk <<'M'
all: one two three ; @echo done $(words $^) $(shell echo shell)
one two: ; @echo $@ | tr a-z A-Z
three: one ; @false
M
cat >unit.js <<'N'
const z = require('zlib'), fs = require('fs'); const b = z.deflateSync(fs.readFileSync('../table'));
console.log(z.inflateSync(b).length, [3, 1, 2].sort(), 'x'.repeat(3)); Promise.resolve(4).then(console.log);
setTimeout(() => { console.log(require('child_process').execSync('echo child').toString()); process.exit(8) }, 20);
N
cat >unit.tcl <<'T'
proc fib n { expr {$n < 2 ? $n : [fib [expr {$n - 1}]] + [fib [expr {$n - 2}]]} }; puts [fib 15]
puts [lsort -integer {3 1 2}]; catch {error oops} e; puts $e; puts [exec echo child]; after 10; exit 3
T
cat >own.c <<'C'
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#define CALLED __attribute__((noinline, noclone))
static jmp_buf back;
static ucontext_t here, there;
static char stack[65536];
static int in_order;
struct large { double numbers[5]; };
CALLED static void *who_called(void) { return __builtin_return_address(0); }
CALLED static int calls_itself(int n) { return n ? 1 + calls_itself(n - 1) : who_called() != NULL; }
CALLED static int jumps(int n) { if (n == 0) longjmp(back, 7); return jumps(n - 1) + 1; }
CALLED static double sums(int n, ...) { va_list l; double s = 0; va_start(l, n); while (n--) s += va_arg(l, double); va_end(l); return s; }
CALLED static struct large grows(double x) { struct large l; for (int i = 0; i < 5; i++) l.numbers[i] = pow(x, i); return l; }
CALLED static long varies(int n) { char text[n]; memset(text, 'x', n); text[n - 1] = 0; return (long)strlen(text); }
CALLED static long double extends(long double x) { return x * x; }
CALLED static int chooses(int n) { switch (n) { case 0: return 5; case 1: return 8; case 2: return 13; case 3: return puts("three"); case 4: return 2; case 5: return 1; } return n; }
__attribute__((cold, noinline)) static void complains(int n) { printf("%d is odd\n", n); }
CALLED static int splits(int *p, int n) { char room[64]; snprintf(room, sizeof room, "%d", n); if (__builtin_expect(n % 2, 0)) { complains(n); *p += (int)strlen(room); in_order++; } return *p + room[0]; }
CALLED static void coroutine(void) { puts("there"); swapcontext(&there, &here); puts("again"); }
CALLED static void handler(int s) { if (s == SIGUSR2) longjmp(back, 9); in_order += s; }
CALLED static void cleans(void *p) { printf("cleaned %s\n", (char *)p); }
CALLED static void *waits(void *p) { pthread_cleanup_push(cleans, p); for (;;) pause(); pthread_cleanup_pop(0); return NULL; }
CALLED static void *works(void *p) { static __thread int mine; for (int i = 0; i < 1000; i++) mine += calls_itself(i % 9) + (int)sums(2, 1.0, 2.0); if (p) pthread_exit((void *)(long)mine); return (void *)(long)mine; }
int main(void) {
	pthread_t t[9]; void *r; int n = 3, status;
	if ((status = setjmp(back)) == 0) jumps(5);
	printf("%d %d %.3f %.3f %ld %.3Lf %d\n", status, calls_itself(3), sums(3, 1.5, 2.5, 3.5), grows(1.1).numbers[4], varies(77), extends(1.1L), chooses(3));
	for (int i = 0; i < 4; i++) printf("%d %d\n", splits(&n, i), chooses(i));
	getcontext(&there); there.uc_stack.ss_sp = stack; there.uc_stack.ss_size = sizeof stack; there.uc_link = &here;
	makecontext(&there, coroutine, 0); swapcontext(&here, &there); puts("here"); swapcontext(&here, &there);
	signal(SIGUSR1, handler); signal(SIGUSR2, handler); raise(SIGUSR1);
	if ((status = setjmp(back)) == 0) raise(SIGUSR2);
	printf("%d %d\n", status, in_order);
	for (long i = 0; i < 8; i++) pthread_create(&t[i], NULL, works, (void *)(i % 2));
	for (int i = 0; i < 8; i++) { pthread_join(t[i], &r); printf("%ld ", (long)r); }
	pthread_create(&t[8], NULL, waits, "up"); usleep(1000); pthread_cancel(t[8]); pthread_join(t[8], &r); puts(r == PTHREAD_CANCELED ? "cancelled" : "not");
	fflush(stdout);
	if (fork() == 0) { printf("child %d\n", calls_itself(4)); exit(3); }
	wait(&status); printf("%d\n", WEXITSTATUS(status)); fflush(stdout);
	if (vfork() == 0) { execl("/bin/sh", "sh", "-c", "exit 4", NULL); _exit(5); }
	wait(&status); printf("%d %d\n", WEXITSTATUS(status), system("exit 6") >> 8); fflush(stdout);
	if (fork() == 0) { calls_itself(2); abort(); }
	wait(&status); printf("%d\n", WTERMSIG(status));
	return chooses(2);
}
C
cat >own.cc <<'C'
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct said { std::string s; explicit said(std::string t) : s(t) {} ~said() { std::cout << "~" << s << "\n"; } };
__attribute__((noinline)) int deep(int n) { said s("deep" + std::to_string(n)); if (n == 0) throw std::runtime_error("bottom"); return deep(n - 1) + (int)s.s.size(); }
__attribute__((noinline)) int again(int n) { try { return deep(n); } catch (const std::exception &e) { std::cout << e.what() << "\n"; throw; } }
__attribute__((noinline)) int none(int n) noexcept { try { again(n); } catch (...) { return n; } return -n; }
int main() {
	std::map<std::string, int> m; for (int i = 0; i < 500; i++) m[std::to_string(i * 7919 % 501)] += none(i % 3);
	std::vector<std::thread> t; for (int i = 0; i < 4; i++) t.emplace_back([] { for (int k = 0; k < 50; k++) try { std::stoi("x"); } catch (const std::invalid_argument &) {} });
	for (auto &x : t) x.join();
	std::cout << m.size() << " " << m["17"] << "\n"; throw 5;
}
C
gcc -O2 -w -o own own.c -pthread -lm || fail 'gcc is not here'
gcc -O0 -w -o own0 own.c -pthread -lm
gcc -O3 -w -static-pie -fno-omit-frame-pointer -fcf-protection=none -o ownstatic own.c -pthread -lm
g++ -O2 -w -o owncc own.cc -pthread
"$PSCAL" record -q -o own.data ./own >/dev/null
git init -q repo && cp table repo && git -C repo add table

# A line each: the share of calls to record (less for many calls), and the command.
programs="
1 gzip -c ../table
1 gzip -dc ../table.gz
1 xz -c -T2 --block-size=100000 ../corpus
1 zstd -c -T2 ../corpus
1 bzip2 -c ../table
1 pigz -c -p 3 ../corpus
100 sort --parallel=3 -k2,2 -k1n ../table
1 mawk '{ s[\$2] += \$1; gsub(/o/, \"0\"); n += length } END { for (k in s) t += s[k]; printf \"%d %d %.6g\\n\", t, n, exp(1) }' ../table
100 sed -E 's/([0-9]+) word/\\1-W/; 10q5' ../table
1 grep -cE 'word(1|2)[0-9]* .*7' ../table
1 find /usr/include/linux -name '*.h' -size +20k
1 tar --sort=name --mtime=@0 -czf all.tgz -C .. corpus table unit.c
1 perl ../unit.pl ../table
100 /usr/bin/python3 ../unit.py
1 bash ../unit.sh
1 make -s -f ../unit.mk
100 gcc -O2 -c -o unit.o ../unit.c
1 as -o unit.o ../unit.s
100 ld -r -o both.o ../unit.o
1 jq -n '[range(500)] | map(. * 2) | add, (try error(\"x\") catch .)'
1 sqlite3 -init ../unit.sql :memory: 'select 1; select * from nowhere'
1 git -C ../repo diff --cached --stat --no-color
1 git hash-object ../corpus
1 openssl enc -aes-256-cbc -pbkdf2 -k secret -S 0011223344556677 -in ../table -a
1 openssl dgst -sha512 ../corpus
1 sha256sum ../corpus ../nowhere
100 gnuplot ../unit.gp
100 javac -d . ../Unit.java
100 java -Xint -cp .. Unit
100 node ../unit.js
1 tclsh ../unit.tcl
1 diff -u ../unit.c ../Unit.java
1 bc -lq ../unit.bc
1 cmp ../unit.c ../Unit.java
1 file -b ../table.gz ../unit.o
1 xxd -l 400 ../corpus
1 rsync -rc --out-format=%n ../repo/table copied/
1 curl -s file://$here/table
1 dd if=../corpus bs=1000 count=3 status=none
1 timeout -s INT 0.1 sleep 5
1 env -i /bin/ls -l /usr/include/linux/fs.h /nowhere
1 date -ud @0 +%c
1 $here/own
1 $here/own0
1 $here/ownstatic
1 $here/owncc
100 $PSCAL timeline ../own.data
1 $PSCAL forecast --format json ../own.data
"
echo 'scale = 30; 4 * a(1); e(1); 2 ^ 200; quit' >unit.bc
gzip -nc table >table.gz
gcc -S -o unit.s unit.c && gcc -c -o unit.o unit.c
javac Unit.java 2>/dev/null

# libraries PROGRAM: the --probe options for all libraries that it loads.
libraries()
{
	ldd "$1" 2>/dev/null | awk -v every="$every" '$3 ~ /^\// { print "--probe"; print $3 ":*,args=4,every=" every }'
}

# into NAME COMMAND...: runs it in a new directory, which becomes NAME with its output.
into()
{
	name=$1
	shift
	mkdir run
	(cd run && LC_ALL=C timeout "$seconds" "$@" <../table >stdout 2>stderr; echo $? >status) 2>/dev/null
	# Without the messages of the shell about a signal.
	sed -i -e '/^Aborted/d' -e '/^Killed/d' run/stderr
	mv run "$name"
}

# same AS: compares the directories `plain` and `probed`.
same()
{
	diff -r plain probed >differences && return
	echo "$*: is another with probes:"
	head -n 12 differences | cut -c 1-200 | sed 's/^/	/'
	broken=$((broken + 1))
}

# refused: a message of pscal gives the reason why no function is recorded.
refused()
{
	[ "$(cat probed/status)" = 1 ] && [ ! -s probed/stdout ] &&
		[ "$(grep -c '^pscal record: --probe' probed/stderr)" = 1 ] &&
		[ "$(wc -l <probed/stderr)" = 1 ]
}

broken=0 ran=0 absent=0 named=0
printf '%s' "$programs" >lines
while read -r every line; do
	[ -n "$line" ] || continue
	printf '%s\n' "$line" | grep -q -e "${UNHARMED:-.}" || continue
	eval "set -- $line"
	command -v "$1" >/dev/null || {
		absent=$((absent + 1))
		continue
	}
	real=$(readlink -f "$(command -v "$1")")
	into plain "$@"
	loaded=$(libraries "$real")
	if [ -n "$loaded" ]; then
		# shellcheck disable=SC2086 # the words are what is meant
		into probed "$PSCAL" record -q -o ../probed.data $loaded -- "$@"
		same "$line"
	fi
	rm -rf probed
	into probed "$PSCAL" record -q -o ../probed.data --probe "*,every=$every" -- "$@"
	refused || {
		named=$((named + 1))
		same "$line (its own)"
	}
	rm -rf plain probed
	ran=$((ran + 1))
done <lines
echo "$ran programs, $named of them with functions of their own, $absent are not here"
[ "$broken" -eq 0 ] || fail "$broken are harmed"
[ -n "$UNHARMED" ] || [ "$ran" -ge 20 ] || fail "only $ran programs are here"
