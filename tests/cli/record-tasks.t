# Refused options for tasks; no program is started.
$ pscal record --tasks -p 1
pscal record: --tasks works from the start of a command, not in running processes
? 2
$ pscal record --tasks -o - true
pscal record: --tasks: a stream has no place for the names of tasks; record into a file
? 2
# Options for the recording of calls do not apply to tasks.
$ pscal record --tasks=every=10 true
pscal record: --tasks: there is no setting 'every'; there are faults, marked, omp, count
? 2
$ pscal record --tasks /no/such/command
pscal record: --tasks: /no/such/command: there is no such program to start
? 1
$ ls
# Counters of tasks.
$ pscal record --task-counters page-faults true
pscal record: --task-counters is now a setting of --tasks, as --tasks=omp,count=cycles+instructions
? 2

$ pscal record --tasks=count=no-such-event true
pscal record: --tasks, count: no-such-event: neither libpfm4 nor the kernel knows this event ('pscal list --all' shows them)
? 1

$ pscal record --tasks=count=page-faults+minor-faults+major-faults+cs+migrations true
pscal record: --tasks, count: at most 4 events can be counted in tasks
? 1
