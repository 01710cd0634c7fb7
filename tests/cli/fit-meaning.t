# SPDX-License-Identifier: GPL-3.0-or-later
# What the parameters mean at the largest N, by what dominates.
$ for set in specsdm91 raytracer6 raytracer seed_table4; do pscal fit "$DATA/usl/$set.csv" | sed -n '/^At N/,/^Measured/p' | sed '$d'; done
At N = 216, 8.5 % (5.5 to 12) of the capacity N gamma does useful work; 50 % (22
to 81) is lost to contention, 41 % (12 to 67) to coherency.

Contention (alpha) is what is done one at a time: locks, queues, serial phases,
a shared device. Look at 'pscal profile' for the time with one thread active, at
'perf sched timehist -w' for who wakes whom, at 'perf trace -s -e futex' for
waits for locks, and at 'perf lock contention' for those of the kernel.

At N = 20, 48 % (43 to 54) of the capacity N gamma does useful work; 22 % (0 to
44) is lost to contention, 30 % (12 to 48) to coherency.

Coherency (beta) is what pairs spend to agree: shared counters, false sharing,
data that all exchange with all. Look at 'perf c2c record' and 'perf c2c report'
for the cache lines that move between cores.

At N = 64, 22 % (18 to 26) of the capacity N gamma does useful work; 78 % (64 to
82) is lost to contention, 0 % (0 to 12) to coherency.

Contention (alpha) is what is done one at a time: locks, queues, serial phases,
a shared device. Look at 'pscal profile' for the time with one thread active, at
'perf sched timehist -w' for who wakes whom, at 'perf trace -s -e futex' for
waits for locks, and at 'perf lock contention' for those of the kernel.

At N = 350, 50 % (44 to 55) of the capacity N gamma does useful work; 0 % (0 to
18) is lost to contention, 50 % (36 to 55) to coherency.

Coherency (beta) is what pairs spend to agree: shared counters, false sharing,
data that all exchange with all. Look at 'perf c2c record' and 'perf c2c report'
for the cache lines that move between cores.

$ pscal fit --format json "$DATA/usl/specsdm91.csv" | jq -c '.[0].meaning | map_values(. * 1e6 | round)'
{"n":216000000,"useful_share":84686,"useful_share_low":54596,"useful_share_high":121219,"contention_share":504865,"contention_share_low":224170,"contention_share_high":811656,"coherency_share":410449,"coherency_share_low":123024,"coherency_share_high":669856}

$ printf '1,10\n2,20\n4,40\n8,80\n' | pscal fit | grep lost
Up to N = 8 nothing is lost to contention or coherency.

$ printf '1,10\n2,19.9\n4,39.1\n8,76.5\n' | pscal fit | sed -n '/^At N/,/^Measured/p' | sed '$d'
At N = 8, 96 % (91 to 100) of the capacity N gamma does useful work; 4.1 % (0 to
9.1) is lost to contention, 0 % (0 to 7.1) to coherency.

# Where a law takes it for granted that nothing is lost, nothing is said of that.
$ pscal fit --amdahl "$DATA/usl/specsdm91.csv" | grep -A 1 '^At N'
At N = 216, 5.9 % (2.5 to 12) of the capacity N gamma does useful work; 94 % (88
to 98) is lost to contention, as Amdahl's law knows of nothing else.

$ pscal fit --linear "$DATA/usl/specsdm91.csv" | grep lost
? 1
