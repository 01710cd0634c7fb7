# SPDX-License-Identifier: GPL-3.0-or-later
# What would be saved if waiting cost nothing. Two threads compute five times for 5 ms and then for 15 ms
# under a mutex; then there is a sleep of 40 ms. On two cores the mutex is held for 150 ms in all, from
# 5 ms on, for which one waits 15 ms and then each 4 times 10 ms: 195 ms of wall time. Without the mutex it
# is 100 + 40 ms, without the sleep or without waiting for the ends of threads 155 ms, and without
# anything to wait for 100 ms.

$ awk -f "$DATA/replay/locks.awk" </dev/null >locks.txt; pscal forecast -q --cores 1 -k 1,2 --why locks.txt
model               replay
measured on cores   1
measured wall time  0.2400 s

cores  wall time  90 % from        to  speed-up  efficiency     bound  closed form
    1   0.2400 s          -         -     1.00x     100.0 %  0.2000 s     0.2400 s
    2   0.1950 s   0.1752 s  0.2170 s     1.23x      61.5 %  0.1500 s     0.1500 s

On 2 cores it takes 0.1950 s. More cores can bring that to 0.1950 s, with one
for each of its 3 threads; no wait at all, on as many cores, to 0.1000 s.

On 2 cores, if waiting there cost nothing
site  waits at         kind   times    waited     saved  of wall time
   0  lock 0x7ffc1000  lock      10  0.0950 s  0.0550 s        28.2 %
   1  join by t1/1     join       2  0.1550 s  0.0400 s        20.5 %
   2  sleep            sleep      1  0.0400 s  0.0400 s        20.5 %

Savings do not add up: without one wait threads come to the next. And a wait for
what another thread has yet to do cannot be left out of a program: this tells
where time goes.

For each doubling of cores the interval takes 6.5 % for what that changes in
caches, memory and clock (--discrepancy). It has nothing for steps that vary.

On the cores of the recording, as far as the target had them, the replay misses
its wall time by 0.00 %.

The replay lets threads take the steps that they took, and wait for each other
as they did. It takes their work, the clock, the speed of memory, and waits for
what is outside not to depend on the number of cores.
$ pscal forecast --cores 1 -k 2,1,2 --why --format csv locks.txt
cores,site,name,kind,visits,waited_s,wall_s,without_wall_s,saved_s,saved_share,chain
1,0,lock 0x7ffc1000,lock,10,0,0.24,0.24,0,0,
1,1,join by t1/1,join,2,0.2,0.24,0.2,0.03999999999999998,0.1666666666666666,
1,2,sleep,sleep,1,0.04,0.24,0.2,0.03999999999999998,0.1666666666666666,
2,0,lock 0x7ffc1000,lock,10,0.095,0.195,0.14,0.05499999999999999,0.282051282051282,
2,1,join by t1/1,join,2,0.155,0.195,0.155,0.04000000000000001,0.20512820512820515,
2,2,sleep,sleep,1,0.04,0.195,0.155,0.04000000000000001,0.20512820512820515,
$ pscal forecast --cores 1 -k 2 --why --format json locks.txt | jq -c '.why, (.forecast | length)'
{"cores":2,"wall_s":0.195,"unlimited_wall_s":0.195,"no_waits_wall_s":0.1,"left_out":0,"sites":[{"cores":2,"site":0,"name":"lock 0x7ffc1000","kind":"lock","visits":10,"waited_s":0.095,"wall_s":0.195,"without_wall_s":0.14,"saved_s":0.05499999999999999,"saved_share":0.282051282051282,"chain":null},{"cores":2,"site":1,"name":"join by t1/1","kind":"join","visits":2,"waited_s":0.155,"wall_s":0.195,"without_wall_s":0.155,"saved_s":0.04000000000000001,"saved_share":0.20512820512820515,"chain":null},{"cores":2,"site":2,"name":"sleep","kind":"sleep","visits":1,"waited_s":0.04,"wall_s":0.195,"without_wall_s":0.155,"saved_s":0.04000000000000001,"saved_share":0.20512820512820515,"chain":null}]}
1

# Without -k it is about the cores of the recording, where nobody waits for the mutex.

$ pscal forecast --cores 1 --why --format csv locks.txt
cores,site,name,kind,visits,waited_s,wall_s,without_wall_s,saved_s,saved_share,chain
1,1,join by t1/1,join,2,0.2,0.24,0.2,0.03999999999999998,0.1666666666666666,
1,2,sleep,sleep,1,0.04,0.24,0.2,0.03999999999999998,0.1666666666666666,

# What if the sleep took half as long, 175 ms in all, or nobody waited for the mutex, 140 ms? Sites have
# numbers and names.

$ pscal forecast -q --cores 1 -k 1,2 --what-if 'sleep=50%' locks.txt
A what-if, and no forecast of the program as it is: waiting costs 50 % of what
it did at site 2 (sleep). Whether a program can be made that way it does not
tell.

model               replay
measured on cores   1
measured wall time  0.2400 s

cores  wall time  90 % from        to  as it is  speed-up  efficiency
    1   0.2200 s          -         -  0.2400 s     1.00x     100.0 %
    2   0.1750 s   0.1573 s  0.1947 s  0.1950 s     1.26x      62.9 %

For each doubling of cores the interval takes 6.5 % for what that changes in
caches, memory and clock (--discrepancy). It has nothing for steps that vary.

On the cores of the recording, as far as the target had them, the replay misses
its wall time by 0.00 %.

The replay lets threads take the steps that they took, and wait for each other
as they did. It takes their work, the clock, the speed of memory, and waits for
what is outside not to depend on the number of cores.
$ pscal forecast --cores 1 -k 2 --what-if 'lock 0x7ffc1000=0' --format csv locks.txt
cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s,unchanged_s
2,0.14,1.714285714285714,0.857142857142857,replay,0.12580422601894378,0.1557976279512948,0.065,0.15,0.1,,,0.195
$ pscal forecast --cores 1 -k 2 --what-if 2=0.5 --what-if 0=0 --format json locks.txt | jq -c '.what_if, .forecast'
[{"site":2,"name":"sleep","kind":"sleep","share":0.5},{"site":0,"name":"lock 0x7ffc1000","kind":"lock","share":0}]
[{"cores":2,"wall_s":0.12,"speedup":1.8333333333333335,"efficiency":0.9166666666666667,"model":"replay","lo_s":0.10783219373052323,"hi_s":0.13354082395825267,"discrepancy":0.065,"closed_form_s":0.15,"work_bound_s":0.1,"path_bound_s":null,"lock_bound_s":null,"unchanged_s":0.195}]
$ pscal forecast --cores 1 -k 2 --what-if 2=0 --why --format csv locks.txt
cores,site,name,kind,visits,waited_s,wall_s,without_wall_s,saved_s,saved_share,chain
2,0,lock 0x7ffc1000,lock,10,0.095,0.155,0.1,0.05499999999999999,0.3548387096774193,
2,1,join by t1/1,join,2,0.155,0.155,0.155,0,0,
$ pscal forecast --cores 1 -k 2 --what-if 2=0 --plot a.gp locks.txt >whatif.txt; grep -o 'locks.txt, a what-if' a.gp
locks.txt, a what-if

# What nobody could mean.

$ pscal forecast --cores 1 --what-if slep=0 locks.txt
pscal forecast: --what-if slep=0: there is no wait site 'slep'; near are 2 (sleep), 1 (join by t1/1), 0 (lock 0x7ffc1000); --why lists them
? 1
$ pscal forecast --cores 1 --what-if 3=0 locks.txt
pscal forecast: --what-if 3=0: there is no wait site '3'; near are 2 (sleep), 1 (join by t1/1), 0 (lock 0x7ffc1000); --why lists them
? 1
$ pscal forecast --cores 1 --what-if 0=0 --what-if 0=1 locks.txt
pscal forecast: --what-if 0=1: this site is named twice
? 1
$ pscal forecast --cores 1 --what-if 0 locks.txt
pscal forecast: --what-if 0: give SITE=SHARE, with a share from 0 to 1 or a percentage
? 2
$ pscal forecast --cores 1 --what-if 0=1.5 locks.txt
pscal forecast: --what-if 0=1.5: give SITE=SHARE, with a share from 0 to 1 or a percentage
? 2
$ pscal forecast --cores 1 --what-if 0=nan locks.txt
pscal forecast: --what-if 0=nan: give SITE=SHARE, with a share from 0 to 1 or a percentage
? 2
$ pscal forecast --cores 1 --why --model closed-form locks.txt
pscal forecast: --why: is for replays, and --model asks for the closed form
? 2

# Five such threads: the law takes the mutex for contention, and what it misses is told.

$ awk -v threads=5 -f "$DATA/replay/locks.awk" </dev/null >five.txt; pscal forecast -q --cores 1 -k 8 --usl five.txt
model               replay
measured on cores   1
measured wall time  0.5400 s

cores  wall time  90 % from        to  speed-up  efficiency     bound  closed form
    8   0.4200 s   0.3537 s  0.4988 s     1.29x      16.1 %  0.3750 s     0.1657 s

Universal Scalability Law through the replay
alpha, contention              0.734227
beta, coherency                0
gamma, runs per second on one  1.93254
R^2                            0.833928
misses the replay by (RMS)     3.8 %
... at worst by                -6.4 %
... on cores                   2

Fitted to 5 replays, up to 5 cores. What the curve misses there is that the law
is not the program's, and no scatter, so that there are no intervals. How far
the replay is from the truth comes on top.

The law does not describe this program: take the replayed wall times, and
parameters and peak for no more than a summary.

Replayed throughput does not fall up to 5 cores, so that beta is 0.

No more than 5 threads are active at a time, so that more cores change nothing:
beyond, the curve is that of a program with more threads.

For each doubling of cores the interval takes 6.5 % for what that changes in
caches, memory and clock (--discrepancy). It has nothing for steps that vary.

On the cores of the recording, as far as the target had them, the replay misses
its wall time by 0.00 %.

The replay lets threads take the steps that they took, and wait for each other
as they did. It takes their work, the clock, the speed of memory, and waits for
what is outside not to depend on the number of cores.
$ pscal forecast --cores 1 -k 8 --usl --format json five.txt | jq -c '.usl | keys_unsorted, [.points[] | [.cores, .wall_s]], .falls'
["alpha","beta","gamma","nc","xmax","r2","rms_error","max_error","max_error_n","falls","points"]
[[1,0.54],[2,0.42],[3,0.42],[4,0.42],[5,0.42]]
false
$ pscal forecast --cores 1 --usl locks.txt
pscal forecast: --usl: cannot say: no more than 2 threads are active at a time, and a curve takes 4 numbers of cores: record the program with more threads
? 1

# Where a replay cannot be trusted it has to be asked for; where there is none nothing can be said.

$ awk -v scale=.02 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >short.txt; pscal forecast -q --cores 1 --why short.txt
pscal forecast: --why: cannot say: the recording is too short to tell how the program goes on; give --model replay to have it all the same
? 1
$ pscal forecast --cores 1 -k 2 --why --model replay --format csv short.txt
cores,site,name,kind,visits,waited_s,wall_s,without_wall_s,saved_s,saved_share,chain
2,0,join by t1/1,join,1,0.004,0.006,0.005876214,0.00012378599999999986,0.020630999999999976,
$ awk -v scale=1 -f "$DATA/replay/phases.awk" </dev/null >asleep.txt; pscal forecast --cores 1 --what-if 0=0 asleep.txt
pscal forecast: --what-if: cannot say: the recording holds no wakes, so that it does not tell who waited for whom
? 1
$ pscal forecast --cores 1 --usl "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, of which there is no replay: give the recording
? 1
