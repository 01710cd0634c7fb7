# What cannot be asked of OpenMP; nothing is recorded for it.
$ pscal record --omp -p 1
pscal record: --omp is loaded into a command when that starts, not into what runs already
? 2
$ pscal record --omp -o - true
pscal record: --omp: the names of tasks stand at the end of a recording, where a stream has no place for them; record into a file
? 2
$ pscal record --omp --every=10 true
pscal record: --every and --stack-every are about functions that are watched from inside; name some with --probe
? 2
$ pscal record --omp /no/such/command
pscal record: --omp: /no/such/command: there is no such program to start
? 1
$ ls
