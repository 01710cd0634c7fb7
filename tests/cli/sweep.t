# SPDX-License-Identifier: GPL-3.0-or-later
# A command at several N: the order of runs, the kept rows, the messages on failures.

$ pscal sweep >/dev/null -n 1-4x2 -r 3 --match 'rate ([0-9]+)' -q -- sh -c 'echo {n} >>order; echo rate 1$(({n} * 10))'

# The largest N first, as a warm-up; then each N once a round, in another order.
$ tr '\n' ' ' <order
4 1 4 2 1 2 4 2 4 1 

$ grep -v '^#' sweep.csv | cut -d , -f 1,2,5
n,throughput,repeat
1,110,1
4,140,1
2,120,1
1,110,2
2,120,2
4,140,2
2,120,3
4,140,3
1,110,3

$ sed -n 's/^# \(command\|launcher\|env\|cpus\|throughput\|order\): /\1: /p' sweep.csv
command: sh -c 'echo {n} >>order; echo rate 1$(({n} * 10))'
launcher: none
env: none
cpus: all that are allowed
throughput: what matches 'rate ([0-9]+)'
order: shuffled with seed 1 after 1 warm-up

$ sed -n 's/^# \([a-z_]*\):.*/\1/p' sweep.csv | tr '\n' ' '
command launcher env cpus throughput order date host kernel cpu cpus_online cpus_allowed cpu_threads numa_nodes governor boost smt load 

# Each row has a wall time, the CPU time and the load average.
$ grep '^[0-9]' sweep.csv | grep -vcE '^[0-9]+,[0-9]+,[0-9](\.[0-9]{1,9})?,[0-9](\.[0-9]{1,6})?,[1-3],[0-9]+(\.[0-9]{1,2})?,([0-9]+(\.[0-9]{1,2})?)?$'
0
? 1

# The same command again measures no run; with more rounds and another N, only the missing runs.
$ pscal sweep -n 1-4x2 -r 3 --match 'rate ([0-9]+)' -- sh -c 'echo {n} >>order; echo rate 1$(({n} * 10))' 2>&1 >/dev/null | sed 's/[0-9.]* s,/T s,/'
pscal sweep: 0 runs measured in T s, 9 kept from before, in sweep.csv

$ : >order; pscal sweep >/dev/null -n 1-4x2,3 -r 4 -q --warmup 0 --match 'rate ([0-9]+)' -- sh -c 'echo {n} >>order; echo rate 1$(({n} * 10))'; sort order | tr '\n' ' '
1 2 3 3 3 3 4 

$ grep -c '^# resumed: ....-..-..T..:..:..Z, load' sweep.csv; pscal fit --model linear --format csv sweep.csv | cut -d , -f 1-3
1
file,model,n
sweep.csv,linear,16

# A row whose measurement was interrupted is measured again.
$ printf '4,140,0.0' >>sweep.csv; pscal sweep -n 4 -r 5 --match 'rate ([0-9]+)' -- sh -c 'echo {n} >>order; echo rate 1$(({n} * 10))' 2>&1 >/dev/null | sed 's/[0-9.]* s,/T s,/'; tail -n 1 sweep.csv | cut -d , -f 1,2,5
pscal sweep: sweep.csv: dropped the last line, which was incomplete
pscal sweep: 1 run measured in T s, 4 kept from before, in sweep.csv
4,140,5

$ pscal sweep -n 4 --match 'speed ([0-9]+)' -- ./other {n}
pscal sweep: sweep.csv: was measured with another command: 'sh -c 'echo {n} >>order; echo rate 1$(({n} * 10))'', not './other {n}'; --if-exists=new starts a new file, --if-exists=append adds rows anyway, -o names another file
? 1
$ pscal sweep >/dev/null -n 4 --if-exists=append --match 'rate ([0-9]+)' -r 6 --log logs -q -- sh -c 'echo rate {n}; echo and more >&2'; tail -n 3 sweep.csv | cut -d , -f 1,2,5 | sed 's/^# //; s/: ....-.*/: .../'; cat logs/n4-r6.log; ls logs
command: sh -c 'echo rate {n}; echo and more >&2'
resumed: ...
4,4,6
rate 4
and more
n4-r6.log
warm-up.log

$ pscal sweep >/dev/null -n 4 --if-exists=new -q -r 1 --match 'rate ([0-9]+)' -- echo rate {n}; grep '^[0-9]' sweep.csv | cut -d , -f 1,2,5; grep -c '^[0-9]' sweep.csv.old
4,4,1
18

$ pscal fit --model linear --format csv sweep.csv.old | cut -d , -f 1-3
file,model,n
sweep.csv.old,linear,18

# Ways to pass N to the command.
$ pscal sweep -n 3 -r 1 -q -o - --match '([0-9]+) threads' --env OMP_NUM_THREADS={n} --env A=b{n} -- sh -c 'echo $OMP_NUM_THREADS threads, $A >&2' | grep -e '^3,' -e '^# env' | cut -d , -f 1,2 | tr -d '#'
 env: OMP_NUM_THREADS={n} A=b{n}
3,3

$ pscal sweep -n 5 -r 1 -q -o - --match 'run on ([0-9]+)' --launcher 'sh -c "echo run on {n}: \"\$@\"" sh' -- ./bench {n} | grep -e '^5,' -e '^# launcher' | cut -d , -f 1,2,4 | tr -d '#'
 launcher: sh -c 'echo run on {n}: "\$@"' sh
5,5,

$ pscal sweep -n 1 -r 1 -q -o - --cpus --match 'on ([0-9]+)' -- sh -c 'echo on $(nproc)' | grep '^1,' | cut -d , -f 1,2
1,1

# Sources of the throughput.
$ pscal sweep -n 2 -r 1 -q -o - --work '10*n' --match-time 'took ([0-9.]+)' -- sh -c 'echo took 4 s, took 5 s; : {n}' | grep -e '^2' -e '^# throughput' | cut -d , -f 1,2 | tr -d '#'
 throughput: 10*n / what matches 'took ([0-9.]+)'
2,4

$ pscal sweep -n 2 -r 2 -q -o - --work 3 -- sleep 0.0{n} | awk -F , '/^2/ { print ($2 * $3 > 2.999 && $2 * $3 < 3.001 && $3 >= 0.02) }'
1
1

# The table at its end: a row for each N. One run of N = 2 takes much longer than the other.
$ pscal sweep -n 1,2,4 -r 2 -o t.csv --match 'x ([0-9.]+)' -- sh -c 'echo {n} >>runs; [ $(grep -c 2 runs) != 2 ] || [ {n} != 2 ] || { echo x 100; exit; }; echo x $(({n} * 90 + 10))' 2>/dev/null | sed -n '/^Throughput/p;/^! Runs/p;/^N/,$p' | cut -c-79 | sed 's/\(x\) .*/\1 .../'
Throughput is highest at N = 4: 370, 3.70x ...
! Runs at N = 2 differ by a factor of 1.90: repeat them (-r).
N  runs  median  min  max ...
1     2     100  100  100    1.00x ...
2     2     145  100  190    1.45x ...
4     2     370  370  370    3.70x ...

next: pscal fit t.csv

# Rows, sorting and formats, as with other commands.
$ pscal sweep -q -n 1,2,4 -r 2 -o t.csv --sort median --limit 1 --if-exists append --match 'x ([0-9.]+)' -- sh -c 'echo x {n}' 2>/dev/null | tail -n 3 | cut -c-30
N  runs  median  min  max  spe
4     2     370  370  370    3
... 2 more; --all
$ pscal sweep -q -n 1,2,4 -r 2 -o t.csv --json --if-exists append --match 'x ([0-9.]+)' -- sh -c 'echo x {n}' | jq -c '(.levels[] | [.n, .runs, .throughput, .throughput_low, .throughput_high])'
[1,2,100,100,100]
[2,2,145,100,190]
[4,2,370,370,370]
$ pscal sweep -q -n 1,2,4 -r 2 -o t.csv --format csv --if-exists append --match 'x ([0-9.]+)' -- sh -c 'echo x {n}' | cut -d , -f 1-5
n,runs,throughput,throughput_low,throughput_high
1,2,100,100,100
2,2,145,100,190
4,2,370,370,370
$ pscal sweep -q -n 1-14 -r 1 -o many.csv --match 'x ([0-9.]+)' -- sh -c 'echo x {n}' | tail -n 1
... 2 more; --all
$ pscal sweep -q -n 1-14 -r 1 -o many.csv --all --match 'x ([0-9.]+)' -- sh -c 'echo x {n}' | tail -n 1 | cut -c-11
14     1   
$ pscal sweep -n 1,2 --sort medain ./bench {n}
pscal sweep: --sort medain: no table has this column; did you mean 'median'?
? 2
$ pscal sweep -n 1,2 --json -o - ./bench {n}
pscal sweep: -o - prints the runs themselves, as CSV; leave out --json and --format, or name a file with -o
? 2
$ pscal sweep -n 1,2,4 --json --fit ./bench {n}
pscal sweep: --fit prints its report as text; leave it out, and say 'pscal fit --json FILE'
? 2

# Failures.
$ pscal sweep -n 1,2 -o f.csv -- sh -c 'echo {n} is too much; echo really >&2; exit {n}'
pscal sweep: warm-up at N = 2: the command ended with status 2, and its output ends in '2 is too much | really'
? 1

$ pscal sweep -n 1,2 -o f.csv --warmup 0 -r 2 --keep-going --match 'fine ([0-9])' -- sh -c 'test {n} = 1 && echo fine 1 || kill -9 $$' 2>&1 >/dev/null | sed 's/in [0-9.]* s,/in T s,/'
pscal sweep: N = 2, run 1: the command ended with status 137 (signal 9), and it printed nothing
pscal sweep: N = 2, run 2: the command ended with status 137 (signal 9), and it printed nothing
pscal sweep: 2 runs measured in T s, in f.csv
pscal sweep: 2 runs failed; the same command repeats the missing runs

$ grep -e '^[0-9]' -e '^# failed' f.csv | cut -d , -f 1,2,5 | tr -d '#' | sort
 failed: N = 2, run 1: the command ended with status 137 (signal 9)
 failed: N = 2, run 2: the command ended with status 137 (signal 9)
1,1,1
1,1,2

$ pscal sweep -n 2 -o g.csv --match 'rate ([0-9]+)' -- echo {n}
pscal sweep: warm-up at N = 2: the pattern matches nothing, and its output ends in '2'
? 1

$ pscal sweep -n 9 -o g.csv --timeout 50ms -- sleep {n}
pscal sweep: warm-up at N = 9: the command exceeded --timeout of 0.05 s, and it printed nothing
? 1

$ pscal sweep -n 2 -o g.csv -- ./no-such-command {n}
pscal sweep: ./no-such-command: cannot be started: No such file or directory
? 1

$ echo 'n,throughput' >mine.csv; pscal sweep -n 2 -o mine.csv -- echo {n}
pscal sweep: mine.csv: exists and is not a sweep; name another file with -o
? 1

$ pscal sweep -n 999999 --cpus -- true 2>&1 | sed 's/needs .*/needs .../'
pscal sweep: N = 999999: --cpus needs ...

# The fit of the results.
$ pscal sweep -n 1-8 -r 1 -q --seed 5 -o h.csv --fit --match 'x ([0-9.]+)' -- sh -c 'echo x $(({n} * 100000 / (100 + 5 * ({n} - 1))))' | grep -e peaks -e levels -e contention
These points do not tell whether throughput peaks above N = 153 or levels off
contention, alpha            0.0498     0.0496     0.0500  26 % lost (26 to 26)

$ pscal sweep -n 1-8 -r 1 -q --seed 5 -o h.csv --plot h.gp --match 'x ([0-9.]+)' -- sh -c 'echo x $(({n} * 100000 / (100 + 5 * ({n} - 1))))' | head -n 1; grep -c '^n_name' h.gp
These points do not tell whether throughput peaks above N = 153 or levels off
1

$ pscal sweep -n 1 -r 2 -q -o i.csv --fit --match '([0-9])' -- echo {n}
pscal sweep: --fit needs three different N: add N to -n
? 2
$ pscal sweep >/dev/null -n 1 -r 2 -q -o i.csv --match '([0-9])' -- echo {n}; pscal sweep -n 1 -r 2 -q -o i.csv --fit --match '([0-9])' -- echo {n}
pscal sweep: --fit: i.csv: all points have N = 1; measure at other N too
? 1

# Wrong usage.
$ pscal sweep -n 1,2
pscal sweep: name a COMMAND to run, as in 'pscal sweep -n 1,2,4,8 -- ./bench -T{n}'
? 2
$ pscal sweep ./bench {n}
pscal sweep: say at which N to run it, as -n 1,2,4,8 or -n 1-64x2
? 2
$ pscal sweep -n 1,2 ./bench
pscal sweep: all runs would be the same; put {n} where the command takes its number of threads, or confine it to N CPUs with --cpus
? 2
$ pscal sweep -n 1..4 ./bench {n}
pscal sweep: -n: '1..4' is not a list of N like 1,2,4-8, 1-16:3 (every third) or 1-64x2 (doubled), of numbers from 1 to 1048576
? 2
$ pscal sweep -n 1 -r 0 ./bench {n}
pscal sweep: -r 0: is not a number from 1 to 1048576
? 2
$ pscal sweep -n 1 --warmup x ./bench {n}
pscal sweep: --warmup x: is not a number from 0 to 1000
? 2
$ pscal sweep -n 1 --work 0 ./bench {n}
pscal sweep: --work 0: is not a number above 0, as 1000, or 1000*n for work that grows with N
? 2
$ pscal sweep -n 1 --match 'rate [0-9]' ./bench {n}
pscal sweep: --match 'rate [0-9]': put parentheses around the number, as ([0-9.]+)
? 2
$ pscal sweep -n 1 --match 'rate ([0-9]' ./bench {n}
pscal sweep: --match 'rate ([0-9]': is not an extended regular expression: Unmatched ( or \(
? 2
$ pscal sweep -n 1 --match '([0-9])' --match-time '([0-9])' ./bench {n}
pscal sweep: --match finds the throughput, --match-time the time; give one of them
? 2
$ pscal sweep -n 1 --match '([0-9])' --work 5 ./bench {n}
pscal sweep: --match finds the throughput itself: it does not go with --work
? 2
$ pscal sweep -n 1 --cpus --launcher 'srun -n {n}' ./bench
pscal sweep: --launcher places the work, --cpus would confine the launcher; give one of them
? 2
$ pscal sweep -n 1 --launcher '' ./bench {n}
pscal sweep: --launcher '': give a command and its options, with each quote closed
? 2
$ pscal sweep -n 1 --env THREADS ./bench {n}
pscal sweep: --env THREADS: is not NAME=VALUE
? 2
$ pscal sweep -n 1 --env =5 ./bench {n}
pscal sweep: --env =5: is not NAME=VALUE
? 2
$ pscal sweep -n 1 --launcher "srun 'a b" -- true {n}
pscal sweep: --launcher 'srun 'a b': give a command and its options, with each quote closed
? 2
$ pscal sweep -n 1 --launcher "srun 'a b" ./bench {n}
pscal sweep: --launcher 'srun 'a b': give a command and its options, with each quote closed
? 2
$ pscal sweep >/dev/null -n 1 --launcher "echo 'a b' \\' c\"'\"d" -q -o quoted.csv ./bench {n}; sed -n 's/^# launcher: //p' quoted.csv
echo 'a b' ''\''' 'c'\''d'
$ pscal sweep -n 1 --timeout 0 ./bench {n}
pscal sweep: --timeout 0: give a run between 1ms and 31 years
? 2
$ pscal sweep -n 1 --new ./bench {n}
pscal sweep: --new is now --if-exists=new
? 2
$ pscal sweep -n 1 --if-exists=keep ./bench {n}
pscal sweep: --if-exists keep: there are complete, append and new
? 2
$ pscal sweep -n 1 --fit -o - ./bench {n}
pscal sweep: --fit needs a file: with -o - pipe the output into 'pscal fit'
? 2
$ pscal sweep >/dev/null -n 1 -o /dev/full -q -r 1 -- true {n}
pscal sweep: /dev/full: cannot write: No space left on device
? 1

# With standard error closed, no message is in the file.
$ pscal sweep >/dev/null -n 1,2 -q -r 1 --keep-going --warmup 0 -o closed.csv -- sh -c 'exit $(({n} - 1))' 2>&-; grep -v '^#' closed.csv | cut -d , -f 1,5
n,repeat
1,1

# -q prints the table, and warnings that change its meaning.
$ pscal sweep -q -n 1,2 -r 1 -o table.csv --match 'x ([0-9.]+)' -- sh -c 'echo x {n}; : -q' | cut -c 1-30
Throughput is highest at N = 2

N  runs  median  min  max  spe
1     1       1    1    1    1
2     1       2    2    2    2
