# SPDX-License-Identifier: GPL-3.0-or-later
# The first outputs that a user sees: help, and messages about wrong usage.

$ pscal
pscal: name a command; 'pscal --help' lists them
? 2

$ pscal --help
Usage: pscal COMMAND [OPTIONS] [FILE]
How parallel a program is, how long it would take on other core counts,
and what keeps it from scaling.

First steps:
    pscal run -- make -j8     records it, and shows both answers
    pscal forecast --why      what keeps it from scaling
    pscal profile             CPUs used, run-queue wait, threads

Record a program, and see what limits it:
  run        record a command, and print its profile and forecast
  record     record a command, or running threads, into pscal.data
  profile    CPUs used, threads ready, run-queue wait: what limits the program
  forecast   forecast the wall time on other core counts, and what limits it

Measure it at several sizes:
  sweep      run a command at several N, and measure its throughput
  fit        fit the Universal Scalability Law to measured throughput

Look closer:
  timeline   list the states of each thread over time, and its wakers
  rdam       find functions that other threads slow down, and why
  stretch    compare serial and parallel runs: work inflation, idle cores and overhead
  dag        critical path and parallelism of tasks, and their graph
  model      pools, queues and locks of a server, to forecast with
  report     write a page for browsers that shows a recording, or compares two

Other tools:
  export     write a recording for databases, trace viewers and flame graphs
  list       list countable events and which of them this machine supports
  doctor     show what this machine allows to record, and how to allow more

'pscal COMMAND -h' lists its usual options, 'pscal COMMAND --help' all of them,
'man pscal-COMMAND' explains them.

$ pscal help | head -n 1
Usage: pscal COMMAND [OPTIONS] [FILE]

# With the commit of the build, and libraries of this machine.

$ pscal --version | sed -E '1s/ g[0-9a-f]{7,}(-dirty)?$//; 1!s/ [0-9.]+[^ ,]*,/ N,/g; 1!s/ [0-9.]+$/ N/; s/ (bpf|probe|ompt)//g; s/ libbpf N,//'
pscal 0.9.0
features: omp
libraries: libtraceevent N, libelf N, libdw N, gsl N, popt N, jansson N, libzstd N, zlib N, capstone N, sqlite3 N, libpfm N

$ pscal dance
pscal: there is no command 'dance'; 'pscal --help' lists them
? 2

$ pscal fit --colour "$DATA/usl/specsdm91.csv"
pscal fit: --colour: there is no such option; did you mean '--color'?
? 2

$ pscal fit --format yaml "$DATA/usl/specsdm91.csv"
pscal fit: --format yaml: there are text, csv and json
? 2

$ pscal profile --format
pscal profile: --format: its argument is missing; say --format=FORMAT
? 2

$ pscal profile a.data b.data
pscal profile: b.data: one input at a time; pscal report and pscal stretch compare recordings
? 2

$ pscal profile no-such.data
pscal profile: no-such.data: cannot open: No such file or directory
? 1

$ pscal profile .
pscal profile: .: is a directory without a file 'data', as 'perf record --threads' makes one; name the file of a recording
? 1

$ pscal profile </dev/null
pscal profile: there is no pscal.data here; 'pscal record -- COMMAND' makes one
? 1

# -h is one screen: at most 24 lines of at most 80 columns.
$ for c in $(pscal --help | sed -n 's/^  \([a-z][a-z]*\)  *[^ ].*/\1/p'); do pscal $c -h | awk -v c=$c 'length($0) > 80 { print c ": " $0 } END { if (NR > 24 || NR < 9) print c, NR }'; done
sweep:       --match=REGEX     regular expression that finds the throughput in the output

$ pscal forecast -h
Usage: pscal forecast [OPTIONS] [FILE...]

  -n, --cores=LIST              core counts to forecast for, as 1,2,4-16
      --quota=CPUS              under a quota of CPU time, as a container has
      --why                     cost of each wait
      --by=WHAT                 a row for each site (default), name or process
      --what-if NAME=SHARE,...  forecast with SHARE of the waits at a site
      --assert=EXPRESSION       exit with 3 unless this holds, as 'NAME>=2'
      --plot=FILE               draw the result into a .svg, .png or .pdf file
      --chart                   draw the result with characters
      --threads [POOL=]LIST     numbers of threads of the pool
      --rate=LIST               requests a second
      --goal=GOAL               find the fewest threads
      --pid=LIST                processes with all their descendants
      --comm=NAME               threads of this name
  -o, --output=FILE             write the result to FILE
      --json                    JSON, as --format=json
      --all                     all rows of the tables
  -q, --quiet                   only the verdict, warnings and tables
  -v, --verbose                 also method, checks and costs
  -h                            list the usual options
      --help                    list all options

# --help has groups, and rare options are in the last one.
$ pscal forecast --help | grep '^[^ ]'
Usage: pscal forecast [OPTIONS] [FILE...]
Options:
With a performance model (see pscal model):
Target:
Common options:
Advanced:

# An output that cannot be written is a failure.
$ pscal --version >/dev/full
pscal: standard output: cannot write: No space left on device
? 1

$ pscal fit --help >/dev/full
pscal fit: standard output: cannot write: No space left on device
? 1

$ pscal fit -o no/such/place "$DATA/usl/specsdm91.csv"
pscal fit: no/such/place: cannot write: No such file or directory; make its directory first
? 1

# -f has two meanings in export.
$ pscal export --help | grep -A1 force
  -f, --force             also read files of other users; export: replace
                          output

# --limit leaves a table that is always whole as it is.
$ pscal forecast --help | grep -A1 -e --limit; pscal forecast --recorded-cores 1 -n 1-4 --limit 1 "$DATA/examples/profile.csv" | grep -c ' %  '
      --limit=N                    number of rows of each table that is
                                   shortened by default
4
