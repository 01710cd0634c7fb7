# SPDX-License-Identifier: GPL-3.0-or-later
# The fit of a log: what of it is steady. The examples' load.csv is drawn from alpha = 0.06,
# beta = 0.001, gamma = 200.

$ pscal fit --from-log --cut-end "$DATA/examples/load.csv"
file                     $DATA/examples/load.csv
model                    usl
points                   6
degrees of freedom       3
residual sum of squares  1.70267

Columns: N is 'threads', 'requests_total' is what was completed in all.

Steady windows of the log
 N  from   to  rows  cut before  behind  throughput  its error  flags
 1    37  101   120          36      19     201.262   0.265431  
 2   137  226   120          16      14     376.311   0.562028  
 4   267  351   120          26       9     670.565    1.00121  
 8   377  471   120          16       9     1083.62    1.82932  
12   502  591   120          21       9     1339.41    2.11638  
16   652  711   120          51       9     1496.23    1.83284  unsettled

Throughput peaks near N = 31 (30 to 32), beyond the largest N measured.

Parameters, standard errors, and intervals of 95 %
                                    best        error         from          to
alpha, contention              0.0604298  0.000577301    0.0585973   0.0622743
beta, coherency              0.000971649  2.50962e-05  0.000891475  0.00105129
gamma, throughput of one         200.102     0.344994      199.006     201.204
N_c, where throughput peaks      31.0964            -      29.9226     32.4347
throughput there, X_max          1669.08            -      1652.72      1687.1

Models
            RSS     AICc      BIC  left-out error            p
linear   195136  87.3654  82.9489         258.679            -
amdahl  787.117   64.287  51.6622         22.0054  3.05484e-06
usl     1.70267  57.4699  16.6369        0.920525  2.13639e-05

At N = 16, 47 % (46 to 47) of the capacity N gamma does useful work; 42 % (41 to
43) is lost to contention, 11 % (10 to 12) to coherency.

Contention (alpha) is what is done one at a time: locks, queues, serial phases,
a shared device. Look at 'pscal profile' for the time with one thread active, at
'perf sched timehist -w' for who wakes whom, at 'perf trace -s -e futex' for
waits for locks, and at 'perf lock contention' for those of the kernel.

Measured and fitted
 N  throughput   fitted     from       to  efficiency      t  flags
 1     201.262  200.102  199.006  201.204     100.0 %  34.76  outlier
 2     376.311  376.709  375.176  378.243      93.5 %  -0.61  
 4     670.565  670.951  669.395  672.504      83.3 %  -0.60  
 8     1083.62  1083.52  1081.73  1085.31      67.3 %   0.16  
12     1339.41  1339.24  1337.57  1340.91      55.5 %   0.27  
16     1496.23  1496.34  1494.04  1498.64      46.5 %  -0.44  influential

Checks
runs         passed: 4 runs of the same sign in 6, p = 0.7
lack of fit  not done: no N is measured twice
outliers     failed: largest t 34.8 at N = 1, limit 10.9
influence    failed: largest Cook's distance 1.01 at N = 16, limit 1
left out     passed: N_c from 30.85 to 31.49, farthest without N = 16
knee         passed: none, p = 0.83

Note: Throughput may not have become steady at N = 16: half of the rows was cut,
which is the most that is; run longer there.

Note: The point at N = 1 is an outlier: it is 34.8 standard errors off the curve
through the others, where 10.9 are rare. Measure there again.

Note: Much hangs on the point at N = 16 (Cook's distance 1.01): without it alpha
would be 0.06077, beta 0.0009473 and N_c 31.49. Measure there again.

$ pscal fit --from-log --weights steady --format json "$DATA/examples/load.csv" | jq -c '.[0] | .columns, .steady[0], .warnings'
{"n":"threads","total":"requests_total","clock":"time_s","work":null,"weights":"steady"}
{"n":1,"from":7,"to":116,"rows":120,"cut_start":6,"cut_end":4,"mean":196.89999999999995,"se":2.724229904290123,"flags":["end"]}
["Throughput changes at the end of the rows at N = 1, 4, 16, as a run does when it is being stopped: --cut-end leaves that out.","Much hangs on the point at N = 16 (Cook's distance 4.35): without it alpha would be 0.06266, beta 0.0007543 and N_c 35.25. Measure there again."]

$ printf 'n,throughput\n1,9\n1,10\n2,19\n2,18\n4,33\n1,11\n' | pscal fit --from-log --format json | jq -c '.[0] | (.steady[] | [.n, .from, .to, .rows, .mean, .se, .flags]), .warnings[1:]'
[1,1,2,2,9.5,null,["short"]]
[2,3,4,2,18.5,null,["short"]]
[4,5,5,1,33,null,["short"]]
[1,6,6,1,11,null,["short"]]
["The steady window has fewer than 10 batches of 5 rows at N = 1, 2, 4, 1: the cut and the error are guesses; log more rows there.","Much hangs on the point at N = 4 (Cook's distance 3.63): without it nothing could be fitted. Measure there again.","beta is on its bound: without it the best beta would be -0.01365. These points show no cost of coherency, and no peak."]

$ pscal fit "$DATA/usl/specsdm91.csv" --format json | jq -c '.[0].steady'
[]

$ printf 'time,n,total\n1,1,5\n1,1,9\n' | pscal fit --from-log
pscal fit: standard input:3: column 1 ('time'): the time does not grow from the row before to this one; sort the log by time
? 1
$ printf 'time,n,total\n1,1,5\n2,1,4\n' | pscal fit --from-log
pscal fit: standard input:3: column 3 ('total'): the total falls from 5 to 4; if each row has its own count, say --columns time:T,n:N,count:3
? 1
$ printf 'n,requests\n1,5\n2,4\n' | pscal fit --from-log
pscal fit: standard input: the header does not say which column is the time of each row; call it 'time', or say it with --columns: there are column 1 ('n'), column 2 ('requests')
? 1
$ printf '1,1,5\n2,1,9\n3,1,12\n' | pscal fit --from-log --columns 1,2,3
pscal fit: standard input: say what column 1 of the log holds: time:1, n:1, throughput:1, count:1 or total:1
? 1
$ printf '1,1,5\n2,1,9\n3,2,22\n4,2,39\n' | pscal fit --linear --from-log --columns time:1,n:2,total:3 --format json | jq -c '[.[0].points[] | .n, .throughput]'
[1,4,2,17]
$ pscal fit --cut-end "$DATA/examples/load.csv"
pscal fit: --cut-end needs --from-log
? 2
$ pscal fit --from-log --time "$DATA/examples/load.csv"
pscal fit: --from-log takes throughput or what was completed, not --time and --work
? 2
$ pscal fit --from-log --weights rate "$DATA/examples/load.csv"
pscal fit: --weights rate: with --from-log they can be none, relative or steady
? 2
