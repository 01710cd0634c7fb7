# SPDX-License-Identifier: GPL-3.0-or-later
# Reading the points of a fit: columns, times, weights, and files that are not a table of
# measurements.

$ printf 'threads,elapsed_ms\n1,1000\n2,520\n4,280\n8,180\n16,150\n32,170\n' >elapsed.csv

$ pscal fit elapsed.csv
Throughput peaks at N = 17.1 (95 %: 16.3 to 18), with 6.72 (6.58 to 6.87).
! N = 32 dominates the fit (Cook's distance 12.5): measure it again.

Columns: N = 'threads', throughput = 1 / 'elapsed_ms' per second.

                             best  95 % from       to  at N = 32
contention, alpha          0.0467     0.0316   0.0630  25 % lost (18 to 33)
coherency, beta           0.00326    0.00291  0.00362  57 % lost (50 to 64)
throughput of one, gamma     1.04      0.976     1.11  18 % useful (16 to 19)

 N  measured  curve  efficiency
 1         1   1.04     100.0 %
 2      1.92   1.98      96.2 %
 4      3.57   3.53      89.3 %
 8      5.56   5.52      69.4 %
16      6.67   6.71      41.7 %  influential
32      5.88   5.86      18.4 %  influential

Checks: 3 passed, 2 failed (influence, left out), 1 n/a; -v.

next: perf c2c record -- COMMAND; perf c2c report  # at N = 32: shared cache lines

$ pscal fit --work 1000 elapsed.csv --format json | jq -c '.[0] | .columns, (.points | map(.throughput | round))'
{"n":"threads","time":"elapsed_ms","clock":null,"work":"1000","weights":null}
[1000,1923,3571,5556,6667,5882]

$ pscal fit --columns 1,throughput:2 elapsed.csv --format json | jq -c '.[0] | .columns, .points[1].throughput'
{"n":"threads","throughput":"elapsed_ms","clock":null,"work":null,"weights":null}
520

$ pscal fit --columns elapsed_ms,threads elapsed.csv --format json | jq -c '.[0].columns'
{"n":"threads","time":"elapsed_ms","clock":null,"work":null,"weights":null}

$ tail -n +2 elapsed.csv | pscal fit --columns 1,time:2 --format json | jq -c '.[0] | .columns, .points[0].throughput'
{"n":"1","time":"2","clock":null,"work":null,"weights":null}
0.001

$ printf 'users,R (ms),p99\n1,10,20\n2,11,20\n4,13,20\n8,18,20\n' | pscal fit | grep -A 1 '^Columns'
Columns: N = 'users', throughput = N / 'R (ms)' per second (Little's law, no
think time).

$ printf 'cores,S(N)\n1,1\n2,1.9\n4,3.4\n8,5.5\n' | pscal fit | grep -A 1 '^Columns'
Columns: N = 'cores', throughput = the speedup 'S(N)'.

$ printf 'cores,jobs,seconds\n1,100,10\n2,220,11\n4,300,9\n8,800,16\n' | pscal fit --work jobs --format json | jq -c '.[0] | .columns, [.points[].throughput]'
{"n":"cores","time":"seconds","clock":null,"work":"jobs","weights":null}
[10,20,33.333333333333336,50]

$ printf '1;10,5\n2;20,25\n4;36\n8;60,125\n' | pscal fit --format json | jq -c '[.[0].points[].throughput]'
[10.5,20.25,36,60.125]

$ printf '# threads time_ms\n1 1000\n2  520\n4  280\n8  180\n' | pscal fit --format json | jq -c '.[0] | .columns, .n'
{"n":"threads","time":"time_ms","clock":null,"work":null,"weights":null}
4

# Several series in one table.

$ printf 'program,n,throughput\na,1,10\nb,1,100\na,2,19\nb,2,150\na,4,35\nb,4,190\na,8,60\nb,8,180\n' >several.csv

$ pscal fit several.csv
pscal fit: several.csv: column 1 ('program') names 2 series: 'a', 'b'; fit each by itself with --series program, one of them with --series 'program=a', or all as one with --series none
? 1
$ pscal fit -q --series program several.csv | grep -A 2 '^several'
several.csv: a:

These points do not tell whether throughput peaks above N = 16 or levels off far
--
several.csv: b:

These points do not tell whether throughput peaks above N = 3.8 or levels off at
$ pscal fit --series program --format csv several.csv | cut -d , -f 1-4
file,series,model,n
several.csv,a,usl,4
several.csv,b,usl,4
$ pscal fit --series program=b --format json several.csv | jq -c '.[] | [.file, .series, .n]'
["several.csv","b",4]
$ pscal fit --series none --format csv several.csv | cut -d , -f 1-3
file,model,n
several.csv,usl,8
$ pscal fit --series program --compare -q several.csv | grep several
A  several.csv: a
B  several.csv: b
$ pscal fit --series program --assert 'nc<1' -o report.txt several.csv
pscal fit: several.csv: a: 'nc<1' fails: 74.2, at least 16.2 (95 %) (and 1 more)
? 3
$ pscal fit --series program --plot a.svg several.csv
pscal fit: --plot: takes one series, as each one has its own picture; choose it with --series COLUMN=VALUE
? 1
$ pscal fit --series program=a --compare several.csv
pscal fit: --compare: takes two series, before and after, not 1
? 1
$ pscal fit --series ,program several.csv
pscal fit: --series takes up to 4 columns of text, by name or number and separated by commas, each with =VALUE for one series
? 2

# Weights.

$ printf 'n,throughput,runs,sd\n1,10,2,1\n2,19,2,2\n4,33,4,3\n8,50,8,4\n' >weighed.csv

$ for w in none relative runs 3 sd:sd; do pscal fit --weights $w weighed.csv --format json | jq -c '.[0].columns.weights'; done
null
"relative"
"runs"
"3"
"sd:sd"

$ pscal fit --weights deviation weighed.csv
pscal fit: --weights: weighed.csv: there is no column 'deviation'; there are column 1 ('n'), column 2 ('throughput'), column 3 ('runs'), column 4 ('sd')
? 1
$ pscal fit --weights sd: weighed.csv
pscal fit: --weights takes none, relative, steady, COLUMN or sd:COLUMN
? 2
$ pscal fit --weights steady weighed.csv
pscal fit: --weights steady needs --from-log; for a column of that name give its number
? 2

# Ambiguous names.

$ printf 'threads,cores,tput\n1,2,5\n2,4,9\n4,8,15\n' | pscal fit
pscal fit: standard input: column 1 ('threads') and column 2 ('cores') may both be the N; choose with --columns, N first
? 1
$ printf 'threads,ops,seconds\n1,2,5\n2,4,9\n4,8,15\n' | pscal fit
pscal fit: standard input: column 2 ('ops') may be throughput, or the work done in column 3; use --columns N,throughput:ops, or --columns N,time:3 --work ops
? 1
$ printf 'threads,time,latency\n1,2,5\n2,4,9\n4,8,15\n' | pscal fit
pscal fit: standard input: column 2 ('time') and column 3 ('latency') may both be the measured column; choose with --columns, N first
? 1
$ printf 'threads,foo,bar\n1,2,5\n2,4,9\n4,8,15\n' | pscal fit
pscal fit: standard input: the header names no throughput; name its column 'throughput', or choose it with --columns: there are column 1 ('threads'), column 2 ('foo'), column 3 ('bar')
? 1
$ printf 'threads,Zeit_ms\n1,40\n2,21\n4,12\n8,8\n' >zeit.csv; pscal fit zeit.csv
pscal fit: zeit.csv: the name of column 2 ('Zeit_ms') does not tell its quantity; say --columns 1,time:2 if it is a run time, else 1,throughput:2 or 1,latency:2
? 1
$ pscal fit --columns 1,2 zeit.csv
pscal fit: zeit.csv: the name of column 2 ('Zeit_ms') does not tell its quantity; say --columns 1,time:2 if it is a run time, else 1,throughput:2 or 1,latency:2
? 1
$ pscal fit --columns 1,throughput:2 zeit.csv | sed '/^$/,$d'
Throughput falls from the first N on.
! It falls nearly as 1 / N: is 'Zeit_ms' a time? Then say --columns
  'threads,time:Zeit_ms'.
! Only 4 points: one measurement can change the result. Measure more N.
! N = 1 dominates the fit (Cook's distance 740): measure it again.
$ printf '1,40\n2,21\n4,12\n8,8\n' | pscal fit | grep -A1 nearly
! It falls nearly as 1 / N: is '2' a time? Then say --columns '1,time:2'.
! Only 4 points: one measurement can change the result. Measure more N.
$ printf '1,40\n2,37\n4,35\n8,30\n' | pscal fit | grep nearly
? 1
$ pscal fit --columns 1,time:2 zeit.csv | grep -e Columns -e '^8'
Columns: N = 'threads', throughput = 1 / 'Zeit_ms' per second.
8       125    125      62.5 %  influential
$ printf '1,2,5\n2,4,9\n4,8,15\n' | pscal fit
pscal fit: standard input:1: 3 columns and no header; add a first line 'n,throughput,...', or choose with --columns 1,2, and write decimal points
? 1
$ pscal fit --columns threads,latency elapsed.csv
pscal fit: elapsed.csv: there is no column 'latency'; there are column 1 ('threads'), column 2 ('elapsed_ms')
? 1
$ pscal fit --columns threads elapsed.csv
pscal fit: --columns takes two columns, N and the measurement, as 1,3 or threads,elapsed
? 2
$ pscal fit --columns threads,2,2 elapsed.csv
pscal fit: --columns takes two columns, N and the measurement, by name or number, separated by commas; for a name with a comma give its number
? 2
$ pscal fit --columns 1,time: elapsed.csv
pscal fit: --columns: time: names no column
? 2
$ pscal fit --columns 1,1 elapsed.csv
pscal fit: elapsed.csv: the name of column 1 ('threads') does not tell its quantity; say --columns 1,time:1 if it is a run time, else 1,throughput:1 or 1,latency:1
? 1
$ pscal fit --work 0 elapsed.csv
pscal fit: --work 0: the work must be above 0
? 2
$ pscal fit --work 5 --columns 1,throughput:2 elapsed.csv
pscal fit: elapsed.csv: --work needs a time, but column 2 is read as throughput; if it is a time say --columns 1,time:2
? 1

# Invalid numbers, and numbers too large.

$ printf 'n,throughput\n1,1e308\n2,1.7e308\n' | pscal fit
pscal fit: standard input:2: column 2 ('throughput'): a throughput of 1e+308 is too large; give it in another unit
? 1
$ printf 'n,throughput\n1,1e-308\n2,1.7e-308\n' | pscal fit
pscal fit: standard input:2: column 2 ('throughput'): a throughput of 1e-308 is too small; give it in another unit
? 1
$ printf 'n,throughput\n1,nan\n2,1\n' | pscal fit
pscal fit: standard input:2: column 2 ('throughput'): 'nan' is not a number
? 1
$ printf 'n,time_ms\n1,10ms\n2,6ms\n' | pscal fit
pscal fit: standard input:2: column 2 ('time_ms'): '10ms' is not a number: a unit belongs into the header, as in 'time_ms'
? 1
$ printf 'n,throughput\n1,1\0\n2,1\n' | pscal fit
pscal fit: standard input:2: holds a NUL byte: this is not text, or text in UTF-16; save it as CSV in UTF-8
? 1
$ printf '\377\376n\0,\0x\0\n\0' | pscal fit
pscal fit: standard input:1: holds a NUL byte: this is not text, or text in UTF-16; save it as CSV in UTF-8
? 1

# At the ends of the range the answer is the same as in the middle.

$ for e in -67 0 66; do printf "n,throughput\n1,65e$e\n18,996e$e\n36,1652e$e\n72,1750e$e\n108,1729e$e\n144,1675e$e\n216,1600e$e\n" | pscal fit --format json | jq -c '.[0].intervals | [.alpha[], .nc[] | . * 1e6 | round]'; done
[8684,86914,70441492,185667179]
[8684,86914,70441492,185667179]
[8684,86914,70441492,185667179]

# A name with a newline stays in one line, and no option selects it.
$ printf 'prog,n,x\n"a\nb",1,1\n"a\nb",2,2\nc,1,1\nc,2,2\n' >newline.csv; pscal fit newline.csv 2>&1 | cut -d: -f3-
 column 1 ('prog') names 2 series: 'a?b', 'c'; fit each by itself with --series prog, one of them with --series 'prog=c', or all as one with --series none

# A name that --columns or a shell would not take as it is.
$ printf 'cores,it'"'"'s\n1,100\n2,52\n4,27\n8,14\n16,7.5\n' | pscal fit - | grep -A1 'falls nearly'
! It falls nearly as 1 / N: is 'it's' a time? Then say so with --columns, by the
  number of the column.
