# What cannot be asked of blocks of code; nothing is recorded for it.
$ pscal record --probe work -p 1
pscal record: --probe is loaded into a command when that starts, not into what runs already
? 2
$ pscal record --arguments=2 true
pscal record: --arguments is about functions; name some with --probe or --uprobe
? 2
$ pscal record --probe work --arguments=5 true
pscal record: --arguments 5: give a number from 0 to 4
? 2
$ pscal record --probe work --every=0 true
pscal record: --every 0: give a number from 1 to 1000000000
? 2
$ pscal record --probe work --every=one true
pscal record: --every one: give a number from 1 to 1000000000
? 2
$ pscal record --probe work --stack-every=-1 true
pscal record: --stack-every -1: give a number from 0 to 1000000000
? 2
$ pscal record --faults true
pscal record: --faults is about what happens within functions and tasks; name functions with --probe or --uprobe, or have tasks with --tasks or --omp
? 2
$ ls
