# SPDX-License-Identifier: GPL-3.0-or-later
# Who let a block go on is said of what it takes longer than it must, not of what it always sleeps:
# nap.awk has 25 ms of that, until timers, and 5 ms until thread 100 lets it go on.

$ awk -f "$DATA/rdam/nap.awk" >nap.txt; pscal rdam --comm prog --threshold 0 nap.txt
nap costs most: its 50 occurrences in thread 101 (prog) took 5.00 ms longer than
if each had been as fast as the fastest, 502 us: 16.5 % of the thread's wall
time of 30.3 ms. For 100 % of that it was blocked, mostly until thread 100
(prog) let it go on.

block  tid  thread  times   score     lost     min  median     p99     max  where it went
nap    101  prog       50  16.5 %  5.00 ms  502 us  602 us  702 us  702 us  blocked 100 %

To see the slowest nap: pscal timeline --blocks --thread 101 --from 0.000512
--to 0.001214 nap.txt
