# SPDX-License-Identifier: GPL-3.0-or-later
# The fit of a log: its steady part. The examples' load.csv is drawn from alpha = 0.06, beta =
# 0.001, gamma = 200.

$ pscal fit --from-log=both "$DATA/examples/load.csv"
Throughput peaks at N = 31 (95 %: 30 to 32), beyond the largest N measured (16),
with 1669 (1653 to 1687).
! Throughput did not become steady at N = 16 (half of the rows was cut): run
  longer.
! N = 1 is off the curve (t = 34.8 > 10.9): measure it again.
! N = 16 dominates the fit (Cook's distance 1.01): measure it again.

Columns: N = 'threads', throughput = 'requests_total' per time, counted since
the start.

                              best  95 % from       to  at N = 16
contention, alpha           0.0604     0.0586   0.0623  42 % lost (41 to 43)
coherency, beta           0.000972   0.000891  0.00105  11 % lost (10 to 12)
throughput of one, gamma       200        199      201  47 % useful (46 to 47)

 N  measured  curve  efficiency
 1       201    200     100.0 %  outlier
 2       376    377      93.5 %
 4       671    671      83.3 %
 8      1084   1084      67.3 %
12      1339   1339      55.5 %
16      1496   1496      46.5 %  influential

Checks: 3 passed, 2 failed (outliers, influence), 1 n/a; -v.

next: pscal record -- COMMAND; pscal forecast --why  # at N = 16

$ pscal fit --from-log --weights steady --format json "$DATA/examples/load.csv" | jq -c '.[0] | .columns, .steady[0], .warnings'
{"n":"threads","total":"requests_total","clock":"time_s","work":null,"weights":"steady"}
{"n":1,"from":7,"to":116,"rows":120,"cut_start":6,"cut_end":4,"mean":196.89999999999995,"se":2.724229904290123,"flags":["end"]}
["Throughput changes at the end of the rows at N = 1, 4, 16: --from-log=both cuts that.","N = 16 dominates the fit (Cook's distance 4.35): measure it again."]

$ printf 'n,throughput\n1,9\n1,10\n2,19\n2,18\n4,33\n1,11\n' | pscal fit --from-log --format json | jq -c '.[0] | (.steady[] | [.n, .from, .to, .rows, .mean, .se, .flags]), .warnings[1:]'
[1,1,2,2,9.5,null,["short"]]
[2,3,4,2,18.5,null,["short"]]
[4,5,5,1,33,null,["short"]]
[1,6,6,1,11,null,["short"]]
["Fewer than 10 batches of 5 rows are steady at N = 1, 2, 4, 1: log more rows.","N = 4 dominates the fit (Cook's distance 3.63): measure it again."]

$ pscal fit "$DATA/usl/specsdm91.csv" --format json | jq -c '.[0].steady'
[]

$ printf 'time,n,total\n1,1,5\n1,1,9\n' | pscal fit --from-log
pscal fit: standard input:3: column 1 ('time'): the time does not grow; sort the log by time
? 1
$ printf 'time,n,total\n1,1,5\n2,1,4\n' | pscal fit --from-log
pscal fit: standard input:3: column 3 ('total'): the total falls from 5 to 4; if each row has its own count, use --columns time:T,n:N,count:3
? 1
$ printf 'n,requests\n1,5\n2,4\n' | pscal fit --from-log
pscal fit: standard input: the header names no time of each row; name its column 'time', or choose it with --columns: there are column 1 ('n'), column 2 ('requests')
? 1
$ printf '1,1,5\n2,1,9\n3,1,12\n' | pscal fit --from-log --columns 1,2,3
pscal fit: standard input: say what column 1 of the log holds: time:1, n:1, throughput:1, count:1 or total:1
? 1
$ printf '1,1,5\n2,1,9\n3,2,22\n4,2,39\n' | pscal fit --model linear --from-log --columns time:1,n:2,total:3 --format json | jq -c '[.[0].points[] | .n, .throughput]'
[1,4,2,17]
$ pscal fit --cut-end "$DATA/examples/load.csv"
pscal fit: --cut-end is now --from-log=both
? 2
$ pscal fit --from-log --work 3 "$DATA/examples/load.csv"
pscal fit: --from-log takes a throughput or a count, not --work
? 2
