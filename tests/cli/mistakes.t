# SPDX-License-Identifier: GPL-3.0-or-later
# Mistakes of new users: the command, its message, the status. Each message is one sentence that
# names the fault, and a remedy.

# --- The command ------------------------------------------------------------------------------

$ pscal porfile
pscal: there is no command 'porfile'; did you mean 'profile'?
? 2
$ pscal rec
pscal: there is no command 'rec'; did you mean 'record'?
? 2
$ pscal RECORD true
pscal: there is no command 'RECORD'; did you mean 'record'?
? 2
$ pscal stat -- true
pscal: there is no command 'stat'; did you mean 'run'?
? 2
$ pscal top
pscal: there is no command 'top'; did you mean 'profile'?
? 2
$ pscal convert
pscal: there is no command 'convert'; did you mean 'export'?
? 2
$ pscal forcast --why
pscal: there is no command 'forcast'; did you mean 'forecast'?
? 2
$ pscal ''
pscal: name a command; 'pscal --help' lists them
? 2
$ pscal -v
pscal: -v: options go behind the command; say 'pscal COMMAND -v'
? 2
$ pscal -q record true
pscal: -q: options go behind the command; say 'pscal record -q'
? 2
$ pscal --json profile
pscal: --json: options go behind the command; say 'pscal profile --json'
? 2
$ pscal -p 1
pscal: -p: options go behind the command; say 'pscal COMMAND -p'
? 2
$ pscal --hepl
pscal: --hepl: there is no such option; there are --help and --version
? 2
$ pscal help recrd
pscal: there is no command 'recrd'; did you mean 'record'?
? 2
$ pscal help help | head -n 1
Usage: pscal COMMAND [OPTIONS] [FILE]
$ touch some.data; pscal some.data
pscal: some.data: is a file, not a command of pscal; say 'pscal profile some.data'
? 2
$ printf '#!/bin/sh\n' >prog; chmod +x prog; pscal ./prog
pscal: ./prog: is a program, not a command of pscal; say 'pscal run -- ./prog'
? 2
$ rm some.data prog; mkdir dir; pscal dir
pscal: there is no command 'dir'; to record a program say 'pscal run -- dir'
? 2
$ pscal make -j8
pscal: there is no command 'make'; to record a program say 'pscal run -- make'
? 2
$ pscal --version=1
pscal: --version=1: there is no such option; there are --help and --version
? 2

# --- Options ----------------------------------------------------------------------------------

$ pscal profile --inteval 1
pscal profile: --inteval: there is no such option; did you mean '--interval'?
? 2
$ pscal profile --interval
pscal profile: --interval: its argument is missing; say --interval=SECONDS
? 2
$ pscal profile --interval --json
pscal profile: --interval: its argument is missing; say --interval=SECONDS
? 2
$ pscal profile --interval ten
pscal profile: --interval: 'ten' is not a time; try 250ms, 10s or 2m
? 2
$ pscal profile --interval 0
pscal profile: --interval 0: is not from 1us to 1000000000s
? 2
$ pscal profile --interval -1
pscal profile: --interval: '-1' is not a time; try 250ms, 10s or 2m
? 2
$ pscal profile -interval 1
pscal profile: -interval: there is no such option; did you mean '--interval'?
? 2
$ pscal profile --cores two
pscal profile: --cores two: is not a number of cores
? 2
$ pscal profile -n two
pscal profile: -n two: is not a number of cores
? 2
$ pscal profile -qn two
pscal profile: -n two: is not a number of cores
? 2
$ pscal profile --cores 0
pscal profile: --cores 0: is not a number of cores
? 2
$ pscal profile --cores -4
pscal profile: --cores -4: is not a number of cores
? 2
$ pscal profile --cores 1e3
pscal profile: --cores 1e3: is not a number of cores
? 2
$ pscal profile --format xml
pscal profile: --format xml: there are text, csv and json
? 2
$ pscal profile --format=CSV
pscal profile: there is no pscal.data here; 'pscal record -- COMMAND' makes one
? 1
$ pscal profile --jsn
pscal profile: --jsn: there is no such option; did you mean '--json'?
? 2
$ pscal profile --quiet=yes
pscal profile: --quiet=yes: takes no argument; say --quiet
? 2
$ pscal profile --limit 0
pscal profile: --limit 0: is not a number of rows, 1 or more
? 2
$ pscal profile --limit many
pscal profile: --limit many: is not a number of rows, 1 or more
? 2
$ pscal profile --color sometimes
pscal profile: --color sometimes: there are auto, always and never
? 2
$ pscal profile --colour always
pscal profile: --colour: there is no such option; did you mean '--color'?
? 2
$ pscal profile --pid bash
pscal profile: --pid: 'bash' is not a number, or a list of them as 12,34; 'pgrep NAME' finds the numbers of a name
? 2
$ pscal profile --pid 0
pscal profile: --pid: '0' is not a number, or a list of them as 12,34; 'pgrep NAME' finds the numbers of a name
? 2
$ pscal profile --pid 1,,2
pscal profile: --pid: '1,,2' is not a number, or a list of them as 12,34; 'pgrep NAME' finds the numbers of a name
? 2
$ pscal profile --tid 99999999999
pscal profile: --tid: '99999999999' is not a number, or a list of them as 12,34; 'pgrep NAME' finds the numbers of a name
? 2
$ pscal profile --plot
pscal profile: --plot: its argument is missing; say --plot=FILE
? 2
$ pscal profile --plot x.jpg
pscal profile: --plot: x.jpg: unknown plot format; use .svg, .png or .pdf, or .gnuplot for the script that draws it
? 2
$ pscal profile --plot x
pscal profile: --plot: x: unknown plot format; use .svg, .png or .pdf, or .gnuplot for the script that draws it
? 2
$ pscal profile --chart --json
pscal profile: --chart: characters are drawn in text only; take --plot FILE beside --format json
? 2
$ pscal profile -x
pscal profile: -x: there is no such option; 'pscal profile --help' lists them
? 2
$ pscal profile --
pscal profile: there is no pscal.data here; 'pscal record -- COMMAND' makes one
? 1
$ pscal profile --sqlite x.db
pscal profile: --sqlite: there is no such option; 'pscal profile --help' lists them
? 2
$ pscal profile -f json
pscal profile: json: there is no such file; for a format say --format json
? 2
$ pscal profile -F 99
pscal profile: -F: there is no such option; 'pscal profile --help' lists them
? 2
$ pscal profile --output
pscal profile: --output: its argument is missing; say --output=FILE
? 2
$ pscal timeline --from later
pscal timeline: --from: 'later' is not a time; try 250ms, 10s or 2m
? 2
$ pscal timeline --tid
pscal timeline: --tid: its argument is missing; say --tid=LIST
? 2
$ pscal forecast --model magic
pscal forecast: --model magic: the models are closed-form and replay
? 2
$ pscal forecast --what-if
pscal forecast: --what-if: its argument is missing; say --what-if=NAME=SHARE,...
? 2
$ pscal forecast --spin
pscal forecast: --spin: its argument is missing; say --spin=KIND
? 2
$ pscal forecast --on 4
pscal forecast: --on is now -n or --cores
? 2
$ pscal forecast -k 4
pscal forecast: -k is now -n or --cores
? 2
$ pscal forecast --usl --model
pscal forecast: --model: its argument is missing; say --model=MODEL
? 2
$ pscal fit --model cubic
pscal fit: --model cubic: there are usl, amdahl and linear
? 2
$ pscal fit --amdahl
pscal fit: --amdahl is now --model amdahl
? 2
$ pscal fit --time
pscal fit: --time is now --columns N,time:COLUMN, as 1,time:2
? 2
$ pscal fit --at
pscal fit: --at: its argument is missing; say --at=N,...
? 2
$ pscal fit --at x
pscal fit: --at: 'x' is not a list of numbers like 1,2.5,40
? 2
$ pscal fit --at 0
pscal fit: --at 0: each N must be above 0
? 2
$ pscal fit --assert
pscal fit: --assert: its argument is missing; say --assert=EXPRESSION
? 2
$ pscal fit --assert 'alpha'
pscal fit: --assert 'alpha': compare with <, <=, > or >= and a number or a percentage, as in 'alpha>=2'
? 2
$ pscal fit --assert 'alfa<0.1'
pscal fit: --assert 'alfa<0.1': must begin with one of alpha, beta, gamma, nc, xmax, n, x(N), e(N)
? 2
$ pscal fit --assert 'alpha=0.1'
pscal fit: --assert 'alpha=0.1': compare with <, <=, > or >= and a number or a percentage, as in 'alpha>=2'
? 2
$ pscal fit --robust=median
pscal fit: --robust=median: the losses are tukey and huber
? 2
$ pscal fit --what-if 'alpha=many'
pscal fit: --what-if: alpha=many: give a number, a factor like x0.5, or a difference like +0.01
? 2
$ pscal rdam --sort size
pscal rdam: --sort size: there are score, grouped, lost, total, calls, p50, p99, name
? 2
$ pscal rdam --threshold 0.1
pscal rdam: --threshold is now --min-score
? 2
$ pscal rdam --min thread
pscal rdam: --min is now --baseline
? 2
$ pscal rdam --gate lots
pscal rdam: --gate is now --assert, as in 'score<=30%'
? 2
$ pscal rdam --min-score 2
pscal rdam: there is no pscal.data here; 'pscal record -- COMMAND' makes one
? 1
$ pscal stretch --by colour a b
pscal stretch: --by colour: there are function, line and path; for tasks also segment, task, level and subtree
? 2
$ pscal stretch --intervals 0 a b
pscal stretch: --intervals 0: is not a number from 1 to 10000
? 2
$ pscal dag --max-nodes few
pscal dag: --max-nodes few: is not a number from 0 to 4294967295
? 2
$ pscal export
pscal export: name the output: --sqlite DB, --csv DIR, --chrome FILE, --perfetto FILE, --firefox FILE or --folded FILE
? 2
$ pscal export --sqlite
pscal export: --sqlite: its argument is missing; say --sqlite=DB
? 2
$ pscal list -a
pscal list: -a is now --all
? 2
$ pscal list a b
pscal list: b: one pattern at a time; say 'pscal list a'
? 2
$ pscal list --assert x
pscal list: --assert: there is no such option; 'pscal list --help' lists them
? 2
$ pscal list no-such-event-at-all
pscal list: no event matches 'no-such-event-at-all'
? 1

# --- Targets of recordings ---------------------------------------------------------------------------

$ pscal record
pscal record: name a COMMAND to start, or running processes; say -- COMMAND, or -p PID, -t TID, --comm NAME, --cgroup PATH or -a
? 2
$ pscal record --
pscal record: name a COMMAND to start, or running processes; say -- COMMAND, or -p PID, -t TID, --comm NAME, --cgroup PATH or -a
? 2
$ pscal run
pscal run: name a COMMAND to start, or running processes; say -- COMMAND, or -p PID, -t TID, --comm NAME, --cgroup PATH or -a
? 2
$ pscal run --
pscal run: name a COMMAND to start, or running processes; say -- COMMAND, or -p PID, -t TID, --comm NAME, --cgroup PATH or -a
? 2
$ pscal run -p 1 -- true
pscal run: record either a COMMAND or running processes (-p, -t, --comm, --cgroup), not both
? 2
$ pscal run -o - -- true
pscal run: -o -: the recording is read again; name a file
? 2
$ pscal run --why -- true
pscal run: --why: there is no such option; 'pscal run --help' lists them
? 2
$ pscal record -p
pscal record: -p: its argument is missing; say -p PID[,PID]
? 2
$ pscal record -p bash
pscal record: -p: 'bash' is not a number, or a list of them as 12,34; 'pgrep NAME' finds the numbers of a name
? 2
$ pscal record -p 0
pscal record: -p: '0' is not a number, or a list of them as 12,34; 'pgrep NAME' finds the numbers of a name
? 2
$ pscal record -p 1 -- true
pscal record: record either a COMMAND or running processes (-p, -t, --comm, --cgroup), not both
? 2
$ pscal record -a -p 1
pscal record: -a records everything: it does not go with -p, -t, --comm or --cgroup
? 2
$ pscal record --comm x -t 1
pscal record: --comm chooses threads by name: it does not go with -p or -t
? 2
$ pscal record --duration
pscal record: --duration: its argument is missing; say --duration=TIME
? 2
$ pscal record --duration 0 -- true
pscal record: --duration 0: record for more than 0 s
? 2
$ pscal record --duration -1 -- true
pscal record: --duration: '-1' is not a time; try 250ms, 10s or 2m
? 2
$ pscal record --duration ten -- true
pscal record: --duration: 'ten' is not a time; try 250ms, 10s or 2m
? 2
$ pscal record --duration 10parsecs -- true
pscal record: --duration: '10parsecs' is not a time; try 250ms, 10s or 2m
? 2
$ pscal record -F -- true
pscal record: -F: its argument is missing; say -F HZ
? 2
$ pscal record -F often -- true
pscal record: -F often: give a number of samples a second, say 997
? 2
$ pscal record -g -- true
pscal record: -g and --call-graph are for samples, or calls; take samples with -F 997, or record calls with --sync or --uprobe
? 2
$ pscal record --call-graph lbr -F 99 -- true
pscal record: --call-graph lbr: take fp, dwarf, dwarf,SIZE or none
? 2
$ pscal record --sync=none-of-them -- true
pscal record: --sync: none-of-them: take futex (calls that wait in the kernel), all (also calls that do not), or none
? 2
$ pscal record --collector ebpf -- true
pscal record: --collector: there is no collector 'ebpf'; there are auto, bpf, perf and task
? 2
$ pscal record --max-size huge -- true
pscal record: --max-size: 'huge' is not a size; try 500M or 2G
? 2
$ pscal record -z99 -- true
pscal record: -z 99: levels are 1 to 22, and 0 for no compression
? 2
$ pscal record --compression-level 99 true
pscal record: --compression-level 99: levels are 1 to 22, and 0 for no compression
? 2
$ pscal record --freq fast true
pscal record: --freq fast: give a number of samples a second, say 997
? 2
$ pscal record --pid bash
pscal record: --pid: 'bash' is not a number, or a list of them as 12,34; 'pgrep NAME' finds the numbers of a name
? 2
$ pscal record --delay soon true
pscal record: --delay soon: give milliseconds, a time as 500ms or 2s, or -1
? 2
$ pscal record -o -- true
pscal record: -o: its argument is missing; say -o FILE
? 2
$ pscal record --probe -- true
pscal record: --probe: its argument is missing; say --probe=[OBJECT:]GLOB
? 2
$ pscal record --probe 'f' -p 1
pscal record: --probe works from the start of a command, not in running processes
? 2
$ pscal record --probe f,args=9 -- true
pscal record: --probe args=9: give a number from 0 to 4
? 2
$ pscal record --probe f,every=0 -- true
pscal record: --probe every=0: give a number from 1 to 1000000000
? 2
$ pscal record --every 2 -- true
pscal record: --every is now a setting of --probe, as --probe 'insert*,every=100'
? 2
$ pscal record --uprobe f -- true
pscal record: --uprobe f: give BINARY:FUNCTION, say ./server:handle or libc.so.6:malloc
? 2
$ pscal record --uprobe ./nowhere:f -- true
pscal record: --uprobe: ./nowhere: No such file or directory
? 1
$ pscal record --counters-optional -- true
pscal record: --counters-optional is for counters; name some with -e
? 2
$ pscal record -D soon -- true
pscal record: -D soon: give milliseconds, a time as 500ms or 2s, or -1
? 2
$ pscal record -D -1 -- true
pscal record: --delay -1: recording would never begin; give --control FIFO, and 'enable' there
? 2
$ pscal record --clean -- true
pscal record: --clean records nothing: leave out the COMMAND, or the running processes
? 2
$ pscal record --cgroup no/such/group
pscal record: --cgroup: /sys/fs/cgroup/no/such/group: is not a control group: No such file or directory
? 1
$ pscal record --json -- true
pscal record: --json: there is no such option; 'pscal record --help' lists them
? 2
$ pscal record --task-counters cycles -- true
pscal record: --task-counters is now a setting of --tasks, as --tasks=omp,count=cycles+instructions
? 2
$ pscal sweep
pscal sweep: name a COMMAND to run, as in 'pscal sweep -n 1,2,4,8 -- ./bench -T{n}'
? 2
$ pscal sweep -- true
pscal sweep: say at which N to run it, as -n 1,2,4,8 or -n 1-64x2
? 2
$ pscal sweep -n -- true
pscal sweep: -n: its argument is missing; say -n LIST
? 2
$ pscal sweep -n 1,x -- true {n}
pscal sweep: -n: '1,x' is not a list of N like 1,2,4-8, 1-16:3 (every third) or 1-64x2 (doubled), of numbers from 1 to 1048576
? 2
$ pscal sweep -n 0 -- true {n}
pscal sweep: -n: '0' is not a list of N like 1,2,4-8, 1-16:3 (every third) or 1-64x2 (doubled), of numbers from 1 to 1048576
? 2
$ pscal sweep -n 8-4 -- true {n}
pscal sweep: -n: '8-4' is not a list of N like 1,2,4-8, 1-16:3 (every third) or 1-64x2 (doubled), of numbers from 1 to 1048576
? 2
$ pscal sweep -n 1,2 -- true
pscal sweep: all runs would be the same; put {n} where the command takes its number of threads, or confine it to N CPUs with --cpus
? 2
$ pscal sweep -n 1,2 -r 0 -- true {n}
pscal sweep: -r 0: is not a number from 1 to 524288
? 2
$ pscal sweep --repeats 0 -n 1,2 ./bench {n}
pscal sweep: --repeats 0: is not a number from 1 to 524288
? 2
$ pscal sweep --levels 8-4 ./bench {n}
pscal sweep: --levels: '8-4' is not a list of N like 1,2,4-8, 1-16:3 (every third) or 1-64x2 (doubled), of numbers from 1 to 1048576
? 2
$ pscal sweep -n 1,2 --timeout never -- true {n}
pscal sweep: --timeout: 'never' is not a time; try 250ms, 10s or 2m
? 2
$ pscal sweep -n 1,2 --match '(' -- true {n}
pscal sweep: --match '(': is not an extended regular expression: Unmatched ( or \(
? 2
$ pscal sweep -n 1,2 --env THREADS -- true {n}
pscal sweep: --env THREADS: is not NAME=VALUE
? 2

# --- Files ------------------------------------------------------------------------------------

$ pscal profile
pscal profile: there is no pscal.data here; 'pscal record -- COMMAND' makes one
? 1
$ pscal forecast
pscal forecast: there is no pscal.data here; 'pscal record -- COMMAND' makes one
? 1
$ pscal profile nowhere.data
pscal profile: nowhere.data: cannot open: No such file or directory
? 1
$ cp "$DATA/examples/pscal.data" pigz.data; pscal profile
pscal profile: there is no pscal.data here; name a FILE, as 'pigz.data', or 'pscal record -- COMMAND' makes one
? 1
$ pscal profile pgz.data
pscal profile: pgz.data: cannot open: No such file or directory; there is 'pigz.data'
? 1
$ pscal profile pigz.dta
pscal profile: pigz.dta: cannot open: No such file or directory; there is 'pigz.data'
? 1
$ pscal profile -i
pscal profile: -i: its argument is missing; say -i FILE
? 2
$ pscal profile -i pigz.data other.data
pscal profile: other.data: one input at a time; pscal report and pscal stretch compare recordings
? 2
$ pscal profile pigz.data pigz.data
pscal profile: pigz.data: one input at a time; pscal report and pscal stretch compare recordings
? 2
$ pscal profile dir
pscal profile: dir: is a directory without a file 'data', as 'perf record --threads' makes one; name the file of a recording
? 1
$ pscal profile dir/
pscal profile: dir/: is a directory without a file 'data', as 'perf record --threads' makes one; name the file of a recording
? 1
$ pscal profile no/such/dir/x.data
pscal profile: no/such/dir/x.data: cannot open: No such file or directory
? 1
$ pscal profile pigz.data/x
pscal profile: pigz.data/x: cannot open: Not a directory
? 1
$ : >empty; pscal profile empty
pscal profile: empty: is empty
? 1
$ pscal profile </dev/null
pscal profile: there is no pscal.data here; name a FILE, as 'pigz.data', or 'pscal record -- COMMAND' makes one
? 1
$ : | pscal profile
pscal profile: standard input: is empty
? 1
$ head -c 100 /dev/zero >zeros; pscal profile zeros
pscal profile: zeros: is neither a perf.data file nor the text of perf script
? 1
$ printf 'hello\n' >hello.txt; pscal profile hello.txt
pscal profile: hello.txt: holds no scheduling events that can be read; record some with 'pscal record' or 'perf sched record', and print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1
$ pscal profile "$(command -v sh)"
pscal profile: /usr/bin/sh: is a program, which cannot be read; record it with: pscal record -- PROGRAM
? 1
$ head -c 3000 pigz.data >cut.data; pscal profile cut.data
pscal profile: cut.data: is cut off: the table of events at its end is missing; copy the whole file
? 1
$ head -c 50 pigz.data >head.data; pscal profile head.data
pscal profile: head.data: is a perf.data file cut off within its header
? 1
$ gzip -c pigz.data | head -c 500 >cut.gz; pscal profile cut.gz
pscal profile: cut.gz: its gzip data ends too early, after 500 bytes; 'gzip -dc' unpacks the part that is there
? 1
$ printf 'cores,wall_s\n1,2\n' >table.csv; pscal profile table.csv
pscal profile: table.csv: holds no scheduling events that can be read; record some with 'pscal record' or 'perf sched record', and print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1
$ pscal profile -o no/such/dir/out.txt pigz.data
pscal profile: no/such/dir/out.txt: cannot write: No such file or directory; make its directory first
? 1
$ pscal profile -o dir pigz.data
pscal profile: dir: is a directory; name a file
? 1
$ pscal profile >/dev/full pigz.data
pscal profile: standard output: cannot write: No space left on device
? 1
$ pscal profile --comm nobody pigz.data
pscal profile: the recording has no thread for --comm nobody; its threads are pigz
? 1
$ pscal profile --pid 1 pigz.data
pscal profile: the recording has no thread for --pid 1; its processes are 5419 (pigz)
? 1
$ pscal profile --sort size pigz.data
pscal profile: --sort size: there are cpu, wait, blocked, switches, name and start
? 2
$ pscal profile --sort wal pigz.data >/dev/null
pscal profile: --sort wal: there are cpu, wait, blocked, switches, name and start
? 2
$ pscal profile --counters pigz.data
pscal profile: pigz.data: nothing was counted in the target; record with -e
? 1
$ pscal profile --follow pigz.data
pscal profile: pigz.data: is a complete file: --follow is for piped input
? 1
$ pscal fit pigz.data
pscal fit: pigz.data:1: holds a NUL byte: this is not text, or text in UTF-16; save it as CSV in UTF-8
? 1
$ pscal fit nowhere.csv
pscal fit: nowhere.csv: cannot open: No such file or directory; there is 'table.csv'
? 1
$ pscal fit empty
pscal fit: empty: is empty
? 1
$ pscal fit hello.txt
pscal fit: hello.txt: has a header and no points; add a row for each N
? 1
$ printf 'n,x\n1,10\n2,many\n' >word.csv; pscal fit word.csv
pscal fit: word.csv:3: column 2 ('x'): 'many' is not a number
? 1
$ printf 'n,x\n1,10\n2,-5\n4,20\n' >minus.csv; pscal fit minus.csv
pscal fit: minus.csv:3: column 2 ('x'): the throughput must be above 0, not -5
? 1
$ printf 'n,x\n1,10\n' >one.csv; pscal fit one.csv
pscal fit: one.csv: all points have N = 1; measure at other N too
? 1
$ printf '1;10\n2;19\n4;30\n' >semi.csv; pscal fit -q semi.csv | head -n 1
No error estimate: the curve has as many parameters as there are points. Measure
$ pscal fit --columns a,b table.csv
pscal fit: table.csv: there is no column 'a'; there are column 1 ('cores'), column 2 ('wall_s')
? 1
$ pscal forecast table.csv
pscal forecast: table.csv: holds no scheduling events that can be read; record some with 'pscal record' or 'perf sched record', and print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1
$ pscal forecast --measured nowhere.csv pigz.data
pscal forecast: nowhere.csv: cannot open: No such file or directory; there is 'minus.csv', 'one.csv' or 'semi.csv'
? 1
$ pscal rdam pigz.data
pscal rdam: the recording has no function calls of the target; record them with 'pscal record --probe' or --uprobe, or name another target with --pid, --tid or --comm; 'pscal stretch' compares functions without them
? 1
$ pscal dag pigz.data
pscal dag: the recording has no tasks of the target; record them with 'pscal record --tasks' (OpenMP: --tasks=omp)
? 1
$ pscal stretch
pscal stretch: give a recording of a serial run and one or more recordings of parallel runs; record both with 'pscal record -F 997' and say 'pscal stretch serial.data parallel.data'
? 2
$ pscal stretch pigz.data
pscal stretch: give a recording of a serial run and one or more recordings of parallel runs; record both with 'pscal record -F 997' and say 'pscal stretch serial.data parallel.data'
? 2
$ pscal stretch pigz.data pigz.data
pscal stretch: pigz.data and pigz.data are the same file; give recordings of different runs
? 2
$ pscal export --sqlite pigz.data pigz.data
pscal export: pigz.data: this is the recording; choose another name for the output
? 1
$ pscal export --sqlite dir pigz.data
pscal export: dir: is a directory; name a file
? 1
$ pscal timeline --tid 1 pigz.data
pscal timeline: --tid 1: there is no such thread; there are 5419 (pscal), 5420 (pigz), 5421 (pigz), 5422 (pigz)
? 1
$ pscal timeline --from 2 --to 1 pigz.data
pscal timeline: --to 1: is before --from 2
? 2
$ pscal timeline --blocks pigz.data
pscal timeline: the recording has no calls or tasks of the target; record them with 'pscal record --probe', or --tasks
? 1

# --- Terminals and pipes ----------------------------------------------------------------------

$ pscal profile pigz.data | :
$ pscal profile --help | head -n 1
Usage: pscal profile [OPTIONS] [FILE]
$ script -qec 'stty cols 40; pscal profile --inteval 1' /dev/null
pscal profile: --inteval: there is no
  such option
hint: did you mean '--interval'?
? 2
$ script -qec 'stty cols 20; pscal -q record' /dev/null
pscal: -q: options
  go behind the
  command
hint: say 'pscal
  record -q'
? 2
$ script -qec 'pscal record -o - -- true' /dev/null
pscal record: -o -: the recording would go to the terminal; pipe it into something, say 'pscal profile'
? 2

# --- Settings, units, pagers, words in quotes --------------------------------------------------

$ pscal run -- 'ls -l'
pscal run: ls -l: cannot be started: No such file or directory; leave out the quotes: say -- ls -l
? 1
$ pscal run -- 'sleep 1 && true'
pscal run: sleep 1 && true: cannot be started: No such file or directory; a shell runs such a line: say -- sh -c 'sleep 1 && true'
? 1
$ pscal record 'no-such-program'
pscal record: no-such-program: cannot be started: No such file or directory
? 1
$ pscal record -- ./pigz.data
pscal record: ./pigz.data: cannot be started: Permission denied; a program needs chmod +x
? 1
$ pscal sweep -n 1 -- 'echo {n}'
pscal sweep: echo 1: cannot be started: No such file or directory; leave out the quotes: say -- echo 1
? 1
$ pscal forecast 8
pscal forecast: 8: there is no such file; for core counts say -n 8
? 2
$ pscal forecast 1,2,4
pscal forecast: 1,2,4: there is no such file; for core counts say -n 1,2,4
? 2
$ pscal forecast -n 2 8 pigz.data
pscal forecast: 8: there is no such file; for core counts say -n 2,8
? 2
$ pscal record --probe 'f*,arg=2' -- true
pscal record: --probe: there is no setting 'arg'; did you mean 'args'?
? 2
$ pscal record --probe 'f*,every' -- true
pscal record: --probe every: say every=N
? 2
$ pscal record --probe 'f*,every=1e3' -- true
pscal record: --probe every=1e3: give a number from 1 to 1000000000
? 2
$ pscal record --probe 'f*,faults=off' -- true
pscal record: --probe faults=off: say faults=yes or faults=no
? 2
$ pscal record --probe ',args=1' -- true
pscal record: --probe: name a function in front of the settings
? 2
$ pscal record --uprobe 'libc.so.6:malloc,every=9' -- true
pscal record: --uprobe: there is no setting 'every'; there are args, exceptions, faults
? 2
$ pscal record --tasks=openmp -- true
pscal record: --tasks: there is no setting 'openmp'; there are faults, marked, omp, count
? 2
$ pscal record --tasks=omp,cycles -- true
pscal record: --tasks: there is no setting 'cycles'; there are faults, marked, omp, count
? 2
$ pscal record --tasks=count= -- true
pscal record: --tasks count=: say count=EVENT
? 2
$ pscal record --omp -- true
pscal record: --omp is now --tasks=omp
? 2
$ pscal record --no-faults -- true
pscal record: --no-faults is now a setting of --probe and --uprobe, as --probe 'insert*,faults=no'
? 2
$ pscal record --children -- true
pscal record: --children is the default; --no-children leaves descendants out
? 2
$ pscal record --compression -- true
pscal record: --compression: there is no such option; did you mean '--compression-level'?
? 2
$ pscal record --duration 5min30 -- true
pscal record: --duration: '5min30' is not a time; try 250ms, 10s or 2m
? 2
$ pscal record --duration 10S -- true
pscal record: --duration: '10S' is not a time; try 250ms, 10s or 2m
? 2
$ pscal record --duration=-5s -- true
pscal record: --duration: '-5s' is not a time; try 250ms, 10s or 2m
? 2
$ pscal record -D 2sec -- true
pscal record: -D 2sec: give milliseconds, a time as 500ms or 2s, or -1
? 2
$ pscal record --max-size 10s -- true
pscal record: --max-size: '10s' is not a size; try 500M or 2G
? 2
$ pscal profile --interval 1d pigz.data
pscal profile: --interval: '1d' is not a time; try 250ms, 10s or 2m
? 2
$ pscal timeline --from 2s --to 1s pigz.data
pscal timeline: --to 1s: is before --from 2s
? 2
$ pscal timeline --thread pigz pigz.data
pscal timeline: --thread is now --tid, or --comm for a name
? 2
$ pscal timeline --comm pigs pigz.data
pscal timeline: the recording has no thread for --comm pigs; did you mean 'pigz'?
? 1
$ pscal timeline --tid 9-5 pigz.data
pscal timeline: --tid: '9-5' is not a number, or a list of them as 12,34; 'pgrep NAME' finds the numbers of a name
? 2
$ pscal export --flamegraph stacks.txt pigz.data
pscal export: --flamegraph is --folded=FILE, for flamegraph.pl
? 2
$ pscal profile --brief pigz.data
pscal profile: --brief is gone; -q prints verdict, warnings and tables
? 2
$ pscal profile --pager pigz.data
pscal profile: --pager: there is no such option; did you mean '--no-pager'?
? 2
$ pscal run --clean
pscal run: --clean: records nothing; say 'pscal record --clean'
? 2
$ pscal run --csv -- true
pscal run: --csv: there is no such option; 'pscal run --help' lists them
? 2
$ pscal run -n 0 -- true
pscal run: -n: '0' is not a list like 1,2,4-16 of numbers from 1 to 1048576
? 2
$ pscal run -n two -- true
pscal run: -n: 'two' is not a list like 1,2,4-16 of numbers from 1 to 1048576
? 2
$ PSCAL_PAGER='grep -c "^CPUs used"' TERM=xterm script -qec 'stty rows 5; pscal profile -q pigz.data' /dev/null
1
$ PSCAL_PAGER='grep -c "^CPUs used"' TERM=xterm script -qec 'pscal profile --no-pager -q pigz.data' /dev/null | grep -c pigz:
1
$ PSCAL_PAGER='grep -c "^CPUs used"' TERM=xterm script -qec 'pscal profile --assert "cpus_used>=64" -q pigz.data' /dev/null
1
pscal profile: 'cpus_used>=64' fails: 0.953
? 3
$ PSCAL_PAGER=nosuch TERM=xterm script -qec 'pscal profile -q pigz.data' /dev/null | grep -c '^CPUs used'
1
$ PSCAL_PAGER= TERM=xterm script -qec 'pscal profile --color never -q pigz.data' /dev/null | head -n 1
pigz: 44.1 ms wall time, 42.0 ms CPU time, 4 threads, 0.953 of 1 CPU used. It
$ PSCAL_PAGER='wc -l' TERM=dumb script -qec 'pscal profile -q pigz.data' /dev/null | head -n 1
pigz: 44.1 ms wall time, 42.0 ms CPU time, 4 threads, 0.953 of 1 CPU used. It

# --- Performance models --------------------------------------------------------------------------

$ cp "$DATA/examples/server.json" . && sed 's/"open", "rate": 600/"closed", "clients": 16, "think": 0.04/' server.json >closed.json && sed 's/"takes": "A",/"takes": "A", "fixed": true, "why_fixed": "it has one for each CPU",/' server.json >fixed.json
$ pscal forecast --threads woker=2 server.json
pscal forecast: --threads: there is no pool woker; did you mean 'worker'?
? 1
$ pscal forecast --threads x=2 server.json
pscal forecast: --threads: there is no pool x; there is worker
? 1
$ pscal forecast --threads 0 server.json
pscal forecast: --threads: '0' is not a list like 1,2,4-16 of numbers from 1 to 100000
? 2
$ pscal forecast --threads two server.json
pscal forecast: --threads: 'two' is not a list like 1,2,4-16 of numbers from 1 to 100000
? 2
$ pscal forecast --threads 1-2000 server.json
pscal forecast: the lists make more than 1000 combinations
? 1
$ pscal forecast --threads 8 fixed.json
pscal forecast: --threads: the program itself sets the number of threads of worker: it has one for each CPU
? 1
$ pscal forecast --rate -5 server.json
pscal forecast: --rate -5: give requests a second, as 600,900, or times the recorded rate, as 2x
? 2
$ pscal forecast --rate 600,fast server.json
pscal forecast: --rate 600,fast: give requests a second, as 600,900, or times the recorded rate, as 2x
? 2
$ pscal forecast --rate 2x closed.json
pscal forecast: --rate 2x: give requests a second, as 600,900, or times the recorded rate, as 2x
? 1
$ pscal forecast --clients 8 server.json
pscal forecast: --clients: requests arrive independently of earlier answers; say --rate LIST, or for clients that wait --clients LIST --think TIME
? 1
$ pscal forecast --clients 0 closed.json
pscal forecast: --clients: '0' is not a list like 1,2,4-16 of numbers from 1 to 100000
? 2
$ pscal forecast --think 1s server.json
pscal forecast: --think: requests arrive independently of earlier answers; say --rate LIST, or for clients that wait --clients LIST --think TIME
? 1
$ pscal forecast --think soon closed.json
pscal forecast: --think: 'soon' is not a time; try 250ms, 10s or 2m
? 2
$ pscal forecast --goal 20ms server.json
pscal forecast: --goal 20ms: give p95=TIME or mean=TIME, as p95=20ms
? 2
$ pscal forecast --goal p95=fast server.json
pscal forecast: --goal: 'fast' is not a time; try 250ms, 10s or 2m
? 2
$ pscal forecast --goal p95=20ms --threads 4 --rate 600 server.json
pscal forecast: --goal: looks for the number of threads or for the load; leave out --threads or --rate
? 2
$ pscal forecast --set threads server.json
pscal forecast: --set threads: give NAME=VALUE, as machine.cores=4
? 2
$ pscal forecast --set threads=8 server.json
pscal forecast: --set threads: the model has no number "threads"; did you mean 'worker.threads'?
? 1
$ pscal forecast --set worker.thread=8 server.json
pscal forecast: --set worker.thread: pools[0]: there is no "thread"; did you mean 'threads'?
? 1
$ pscal forecast --set worker.threads=0 server.json
pscal forecast: --set worker.threads: pools[0].threads: it is 0; give a whole number from 1 to 100000
? 1
$ pscal forecast --why server.json
pscal forecast: server.json: is a model, and --why needs a recording
? 2
$ pscal forecast --threads 4 --why server.json
pscal forecast: --threads: does not go with --why
? 2
$ pscal forecast --threads 4 "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, and --threads needs a recording
? 2
$ echo '{"a": 1}' | pscal model -
pscal model: standard input: it has no "schema"; a model begins with {"schema": 1
? 1
$ echo '{"schema": 1,' | pscal forecast --threads 4 -
pscal forecast: standard input: line 2, column 0: string or '}' expected near end of file
? 1
$ pscal model --plot model.jpg server.json
pscal model: --plot: model.jpg: unknown plot format; use .svg, .png, .pdf or .dot
? 2
$ pscal model -o - server.json
pscal model: -o: -: is not an output here; name a file
? 2
$ pscal model --threads 4 server.json
pscal model: --threads: there is no such option; 'pscal model --help' lists them
? 2
$ pscal profile server.json
pscal profile: server.json: is JSON, which cannot be read; give a perf.data file or the output of perf script
? 1

# --- Servers, pages, comparisons --------------------------------------------------------------

$ pscal model --comm web server.json
pscal model: server.json: is a model, and --comm needs a recording
? 2
$ pscal model --tid 7 server.json
pscal model: server.json: is a model, and --tid needs a recording
? 2
$ pscal forecast --pid 7 --threads 4 server.json
pscal forecast: server.json: is a model, and --pid needs a recording
? 2
$ pscal forecast --comm web server.json
pscal forecast: server.json: is a model, and --comm needs a recording
? 2
$ pscal forecast --comm web "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, and --comm needs a recording
? 2
$ pscal forecast --against "$DATA/examples/pscal.data" server.json
pscal forecast: server.json: is a model, and --against needs a recording
? 2
$ pscal forecast --usl server.json
pscal forecast: server.json: is a model, and --usl needs a recording
? 2
$ pscal model "$DATA/examples/pscal.data"
pscal model: no model: the recording has no calls of locks and conditions, so queues are unknown; 'pscal record --requests' records them
? 1
$ pscal model "$DATA/examples/profile.csv"
pscal model: $DATA/examples/profile.csv: holds no scheduling events that can be read; record some with 'pscal record' or 'perf sched record', and print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1
$ pscal model --sort nosuch server.json
pscal model: --sort nosuch: no table has this column; there are pool, threads, takes from, busy, visits/s, CPU, run queue, other waits, waits at, kind, times/s, busy, waiting, mean wait
? 1
$ pscal forecast --threads 2 "$DATA/examples/pscal.data"
pscal forecast: no model: the recording has no calls of locks and conditions, so queues are unknown; 'pscal record --requests' records them
? 1
$ pscal forecast --rate 2x "$DATA/examples/pscal.data"
pscal forecast: no model: the recording has no calls of locks and conditions, so queues are unknown; 'pscal record --requests' records them
? 1
$ pscal forecast --goal p99=20ms server.json
pscal forecast: --goal p99=20ms: give p95=TIME or mean=TIME, as p95=20ms
? 2
$ pscal forecast --think 1 --rate 600 server.json
pscal forecast: --think: requests arrive independently of earlier answers; say --rate LIST, or for clients that wait --clients LIST --think TIME
? 1
$ pscal forecast --against nosuch.data "$DATA/examples/pscal.data"
pscal forecast: nosuch.data: cannot open: No such file or directory; there is 'cut.data', 'head.data' or 'pigz.data'
? 1
$ pscal forecast --against "$DATA/examples/pscal.data" --why "$DATA/examples/pscal.data"
pscal forecast: --against: splits the error of a forecast, and does not go with --why
? 2
$ pscal forecast --against "$DATA/examples/pscal.data" -n 4 "$DATA/examples/pscal.data"
pscal forecast: --against: splits the error of a forecast, and does not go with --cores
? 2
$ pscal forecast --what-if nosuch=50% "$DATA/examples/pscal.data"
pscal forecast: --what-if nosuch=50%: there is no wait site 'nosuch' (near: 3 (device I/O), 0 (join by pigz/5419), 1 (join by pigz/5420)), and the CPU time of a function 'nosuch' needs samples; record with -F 499 -g
? 1
$ pscal forecast --what-if thread:nosuch=50% "$DATA/examples/pscal.data"
pscal forecast: --what-if thread:nosuch=50%: no thread has the name 'nosuch'; one is called 'pigz'
? 1
$ pscal forecast --what-if =50% "$DATA/examples/pscal.data"
pscal forecast: --what-if =50%: give SITE=SHARE or FUNCTION=SHARE, a share as .5 or 50%, or up to 8 of them with commas between
? 2
$ pscal forecast --assert 'p95<20ms' server.json
pscal forecast: --assert 'p95<20ms': 'p95' is none of wall_s(N), speedup(N), efficiency(N), throughput, response_s, response_p95_s; did you mean 'response_p95_s'?
? 2
$ pscal forecast --assert 'response_p95_s<=.02' "$DATA/examples/pscal.data"
pscal forecast: --assert response_p95_s<=.02: needs the forecast of a server; ask for one, as with --threads 8 or --rate 2x
? 1
$ pscal report --sort nosuch "$DATA/examples/pscal.data"; ls pscal-report.html
pscal report: --sort: is for printed tables; the page has its own order. 'pscal profile' takes it
ls: cannot access 'pscal-report.html': No such file or directory
? 2
$ pscal report --limit 5 "$DATA/examples/pscal.data"
pscal report: --limit: is for printed tables; the page has its own order. 'pscal profile' takes it
? 2
$ pscal report --forecast=no "$DATA/examples/pscal.data"
pscal report: --forecast no: there are auto, always and never
? 2
$ pscal report nosuch.data
pscal report: nosuch.data: cannot open: No such file or directory; there is 'cut.data', 'head.data' or 'pigz.data'
? 1
$ pscal report -o dir/none/page.html "$DATA/examples/pscal.data"
pscal report: dir/none/page.html: cannot write: No such file or directory; make its directory first
? 1
$ pscal report --format csv "$DATA/examples/pscal.data"
pscal report: --format: the page is HTML; 'pscal profile' and 'pscal forecast' print the same as CSV and JSON
? 2
$ pscal report --csv "$DATA/examples/pscal.data"
pscal report: --csv: there is no such option; 'pscal report --help' lists them
? 2
$ pscal export --format flamegraph "$DATA/examples/pscal.data"
pscal export: --format flamegraph: there are text, csv and json
? 2
$ pscal export --to chrome "$DATA/examples/pscal.data"
pscal export: --to: there is no such option; 'pscal export --help' lists them
? 2
$ pscal export --json "$DATA/examples/pscal.data"
pscal export: name the output: --sqlite DB, --csv DIR, --chrome FILE, --perfetto FILE, --firefox FILE or --folded FILE
? 2
$ pscal run -p
pscal run: -p: its argument is missing; say -p PID[,PID]
? 2
$ pscal run -p nosuch
pscal run: -p: 'nosuch' is not a number, or a list of them as 12,34; 'pgrep NAME' finds the numbers of a name
? 2
$ pscal run -p 1 -- true
pscal run: record either a COMMAND or running processes (-p, -t, --comm, --cgroup), not both
? 2
$ pscal run --why -- true
pscal run: --why: there is no such option; 'pscal run --help' lists them
? 2
$ pscal run --threads 4 -- true
pscal run: --threads: there is no such option; 'pscal run --help' lists them
? 2
$ pscal run -n 0 -- true
pscal run: -n: '0' is not a list like 1,2,4-16 of numbers from 1 to 1048576
? 2
$ pscal run --clean
pscal run: --clean: records nothing; say 'pscal record --clean'
? 2

# --- Names of files, and places to write ---------------------------------------------------------

$ cp "$DATA/examples/pscal.data" own.data; mkdir place; pscal profile -o '' own.data
pscal profile: the name of the output is empty; name a file
? 1
$ pscal record --output '' true
pscal record: the name of the output is empty; name a file
? 1
$ pscal record -o place true
pscal record: place: is a directory; name a file
? 1
$ pscal sweep -o '' -n 1,2 ./bench {n}
pscal sweep: the name of the output is empty; name a file
? 1
$ pscal profile ''
pscal profile: the name of the input is empty; name a file
? 1
$ pscal profile --plot '' own.data
pscal profile: --plot: the name of the picture is empty; name a .svg, .png or .pdf file
? 2
$ pscal export --csv own.data/tables own.data
pscal export: own.data/tables: cannot write: Not a directory; a part of its path is a file
? 1
$ pscal profile -o own.data/x own.data
pscal profile: own.data/x: cannot write: Not a directory; a part of its path is a file
? 1
$ pscal profile -o none/x own.data
pscal profile: none/x: cannot write: No such file or directory; make its directory first
? 1
$ pscal list cycles instructions
pscal list: instructions: one pattern at a time; say 'pscal list cycles'
? 2
$ pscal forecast own.data -n 2 4
pscal forecast: 4: there is no such file; for core counts say -n 2,4
? 2
$ pscal forecast own.data -n 1,2,4,
pscal forecast: -n: '1,2,4,' is not a list like 1,2,4-16 of numbers from 1 to 1048576
? 2
$ pscal forecast own.data --what-if nothing
pscal forecast: --what-if nothing: give SITE=SHARE or FUNCTION=SHARE, a share as .5 or 50%, or up to 8 of them with commas between
? 2
$ pscal profile own.data --interval 10ms5
pscal profile: --interval: '10ms5' is not a time; try 250ms, 10s or 2m
? 2
$ pscal profile own.data --limit 3k
pscal profile: --limit 3k: is not a number of rows, 1 or more
? 2
$ pscal sweep -n 1,2 -- sleep 0.0{N}
pscal sweep: all runs would be the same; put {n} where the command takes its number of threads, or confine it to N CPUs with --cpus
? 2
$ pscal fit own.data
pscal fit: own.data:1: holds a NUL byte: this is not text, or text in UTF-16; save it as CSV in UTF-8
? 1
$ pscal help forecast why | head -n 1
Usage: pscal forecast [OPTIONS] [FILE...]
$ pscal fit --usl own.data
pscal fit: --usl is the default; --model asks for another law
? 2
