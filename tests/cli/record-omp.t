# Refused options for OpenMP; no program is started.
$ pscal record --tasks=omp -p 1
pscal record: --tasks=omp works from the start of a command, not in running processes
? 2
$ pscal record --tasks=omp -o - true
pscal record: --tasks: a stream has no place for the names of tasks; record into a file
? 2
$ pscal record --tasks=omp,every=10 true
pscal record: --tasks: there is no setting 'every'; there are faults, marked, omp, count
? 2
$ pscal record --omp true
pscal record: --omp is now --tasks=omp
? 2
$ pscal record --tasks=omp /no/such/command
pscal record: --tasks=omp: /no/such/command: there is no such program to start
? 1
$ ls
