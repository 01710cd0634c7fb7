# SPDX-License-Identifier: GPL-3.0-or-later
# Hot functions from the samples of an earlier recording.

$ pscal record --probe hot:0 true
pscal record: --probe hot:0: give a share of the samples above 0 up to 1, say hot:0.02 or hot:2%
? 2

$ pscal record --probe hot:2x% true
pscal record: --probe hot:2x%: give a share of the samples above 0 up to 1, say hot:0.02 or hot:2%
? 2
$ pscal record --probe hot: true
pscal record: --probe hot:: give a share of the samples above 0 up to 1, say hot:0.02 or hot:2%
? 2
$ pscal record --probe hot:200% true
pscal record: --probe hot:200%: give a share of the samples above 0 up to 1, say hot:0.02 or hot:2%
? 2
$ pscal record --probe hot --probe hot:2% true
pscal record: --probe hot: is given more than once; give only the lower share
? 2
$ pscal record --probe 'insert*,form=some.data' true
pscal record: --probe: there is no setting 'form'; did you mean 'from'?
? 2
$ pscal record --hot-from some.data true
pscal record: --hot-from is now a setting of --probe, as --probe hot,from=FILE
? 2
$ pscal record --probe hot,from=nowhere.data true
pscal record: --probe hot: nowhere.data: cannot open: No such file or directory
? 1
$ pscal record --probe hot,from=/dev/null true
pscal record: --probe hot: /dev/null: is empty
? 1
