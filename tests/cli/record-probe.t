# Refused options for blocks of code; no program is started.
$ pscal record --probe work -p 1
pscal record: --probe works from the start of a command, not in running processes
? 2
$ pscal record --arguments=2 true
pscal record: --arguments is now a setting of --probe and --uprobe, as --probe 'insert*,args=2'
? 2
$ pscal record --probe work,args=5 true
pscal record: --probe args=5: give a number from 0 to 4
? 2
$ pscal record --probe work,every=0 true
pscal record: --probe every=0: give a number from 1 to 1000000000
? 2
$ pscal record --probe work,every=one true
pscal record: --probe every=one: give a number from 1 to 1000000000
? 2
$ pscal record --probe work,stacks=-1 true
pscal record: --probe stacks=-1: give a number from 0 to 1000000000
? 2
$ pscal record --faults true
pscal record: --faults is now a setting, as --tasks=faults; --probe and --uprobe record faults
? 2
$ pscal record --no-faults true
pscal record: --no-faults is now a setting of --probe and --uprobe, as --probe 'insert*,faults=no'
? 2
$ pscal record --every=2 true
pscal record: --every is now a setting of --probe, as --probe 'insert*,every=100'
? 2
$ pscal record --stack-every=2 true
pscal record: --stack-every is now a setting of --probe, as --probe 'insert*,stacks=1000'
? 2
$ pscal record --probe work,faults=maybe true
pscal record: --probe faults=maybe: say faults=yes or faults=no
? 2
$ pscal record --probe ,args=1 true
pscal record: --probe: name a function in front of the settings
? 2
$ pscal record --probe work,args true
pscal record: --probe args: say args=N
? 2
$ pscal record --probe work,arg=1 true
pscal record: --probe: there is no setting 'arg'; did you mean 'args'?
? 2
$ pscal record --children true
pscal record: --children is the default; --no-children leaves descendants out
? 2
$ ls
