# SPDX-License-Identifier: GPL-3.0-or-later
# pscal record --uprobe: a fault of a name is reported before anything else.

$ pscal record --uprobe handle true
pscal record: --uprobe handle: give BINARY:FUNCTION, say ./server:handle or libc.so.6:malloc
? 2
$ pscal record --uprobe :handle true
pscal record: --uprobe :handle: give BINARY:FUNCTION, say ./server:handle or libc.so.6:malloc
? 2
$ pscal record --uprobe no-such-program-anywhere:handle true
pscal record: --uprobe: no-such-program-anywhere: is neither a command in PATH nor a library that true would load: give its path
? 1
$ pscal record --uprobe ./no-such-file:handle true
pscal record: --uprobe: ./no-such-file: No such file or directory
? 1
$ pscal record --uprobe /tmp:handle true
pscal record: --uprobe: /tmp: is not a file
? 1
$ echo text >text; pscal record --uprobe ./text:handle true 2>&1 | sed 's,/tmp/[^ ]*/,,'
pscal record: --uprobe ./text:handle: text has no functions with names: it is stripped, or not a program for this machine
$ pscal record --uprobe libc.so.6:setjmp true
pscal record: --uprobe libc.so.6:setjmp: cannot be probed: it returns twice, and the program would not survive a probe
? 1
$ pscal record --uprobe libc.so.6:pthread_mutex_lok true 2>&1 | sed 's/of the [0-9]* functions of [^ ]*libc/of the N functions of libc/; s/ it is stripped, so[^;]*;//'
pscal record: --uprobe libc.so.6:pthread_mutex_lok: none of the N functions of libc.so.6 is called 'pthread_mutex_lok', but it is stripped: only those it exports have names; did you mean 'pthread_mutex_lock'?
$ pscal record --uprobe 'libc.so.6:*' true 2>&1 | sed 's/[0-9]* functions/N functions/'
pscal record: --uprobe libc.so.6:*: matches N functions, and a program that stops at each of their calls does little else: name the few that matter, 1000 at most
$ pscal record --uprobe libc.so.6:malloc,args=5 true
pscal record: --uprobe args=5: give a number from 0 to 4
? 2
$ pscal record --uprobe libc.so.6:malloc,args=-1 true
pscal record: --uprobe args=-1: give a number from 0 to 4
? 2
$ pscal record --uprobe libc.so.6:malloc,stacks=1 true
pscal record: --uprobe: there is no setting 'stacks'; there are args, exceptions, faults
? 2
$ pscal record --uprobe libc.so.6:malloc,every=10 true
pscal record: --uprobe: there is no setting 'every'; there are args, exceptions, faults
? 2
$ pscal record --risk-exceptions true
pscal record: --risk-exceptions is now a setting of --uprobe, as --uprobe BINARY:FUNCTION,exceptions
? 2
$ pscal record -p 1 --call-graph fp --uprobe nothing
pscal record: --uprobe nothing: give BINARY:FUNCTION, say ./server:handle or libc.so.6:malloc
? 2
