# SPDX-License-Identifier: GPL-3.0-or-later
# The sweep of a program whose threads sleep 10 ms and compute 2 ms in turn, on 2 CPUs.

$ awk 'BEGIN { print "# sweep of pscal\n# cpus: all that are allowed\n# cpus_allowed: 0-1\nn,throughput,wall_s,cpu_s,repeat,load,others"; for (n = 1; n <= 64; n *= 2) { x = n / .012; x = x > 980 ? 980 - n : x; printf "%d,%.4f,%.6f,0.8,1,,0.02\n", n, x, 400 / x } }' >naps.csv

$ pscal fit -q naps.csv | sed -n '/CPUs/,/^$/p'
! All 2 CPUs are busy from N = 16 on: waits for them count as contention or
  coherency.
! The curve changes at N = 16 (knee, p = 3.9e-05): fit each part alone.

$ pscal fit --format json naps.csv | jq -c '.[0] | .cpus, .cpus_full_n, .flags, .verdict'
2
16
["superlinear","cpus_full","knee","outlier","influential","nc_unstable"]
"Throughput peaks at N = 31 (95 %: 24 to 62), with 1025 (901 to 1161)."

$ sed 's/,0.02$/,1.3/; s/^# cpus_allowed: .*/# cpus_allowed: 3,5/' naps.csv | pscal fit -q | sed -n '/CPUs/,/^$/p;/^How/,/^$/p'
! All 2 CPUs are busy from N = 4 on, 1.3 by other programs: waits for them count
  as contention or coherency.
! The curve changes at N = 16 (knee, p = 3.9e-05): fit each part alone.

# Full CPUs at the largest N alone do not slow other N down.
$ head -n 9 naps.csv | pscal fit -q | sed -n '/CPUs/,/^$/p;/^How/,/^$/p'
! All 2 CPUs are busy from N = 16 on.
! Only 5 points: one measurement can change the result. Measure more N.
! N = 16 is off the curve (t = 123 > 9.92), as others are: measure it again.

# If CPUs are left, if each N had CPUs of its own, and if rows come, or may come, from several
# machines.
$ sed 's/^# cpus_allowed: .*/# cpus_allowed: 0-3/' naps.csv | pscal fit --format json | jq -c '.[0] | .cpus, .cpus_full_n, .flags'
4
null
["superlinear","knee","outlier","influential","nc_unstable"]
$ sed 's/^# cpus: .*/# cpus: the first n of 0,1/' naps.csv | pscal fit --format json | jq -c '.[0] | .cpus, .cpus_full_n'
null
null
$ (cat naps.csv; echo '# cpus_allowed: 0-3') | pscal fit --format json | jq -c '.[0] | .cpus, .cpus_full_n'
null
null
$ sed 's/^# cpus: /# launcher: srun\n&/' naps.csv | pscal fit --format json | jq -c '.[0] | .cpus, .cpus_full_n'
null
null
$ sed 's/^# cpus: /# launcher: none\n&/' naps.csv | pscal fit --format json | jq -c '.[0] | .cpus, .cpus_full_n'
2
16
