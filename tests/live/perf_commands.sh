#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# After `make install`, perf runs pscal: as a command, and through perf script.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

source=$(cd "${0%/*}/../.." && pwd)
flavour=${1##*/}
bpf=1
[ "$flavour" = "${flavour%-nobpf}" ] || bpf=0
unset MAKEFLAGS MFLAGS MAKELEVEL

# install_with TARGET ARGUMENT...
install_with()
{
	make -s -C "$source" "FLAVOUR=${flavour%-nobpf}" BPF=$bpf PREFIX=/usr "$@" >log 2>&1 ||
		fail "make $*: $(cat log)"
}

scripts=$(perf --exec-path)/scripts
[ -d "$scripts" ] || {
	echo 'this perf has no scripts'
	exit 77
}
install_with install "DESTDIR=$PWD/root"
PATH=$PWD/root/usr/bin:$PATH
PERF_EXEC_PATH=$PWD/root$(perf --exec-path)
export PATH PERF_EXEC_PATH

perf pscal --version | grep -q '^pscal ' || fail 'perf pscal'
expect 2 perf pscal nonsense 2>said

perf script -l 2>&1 | grep -q 'pscal \[-i FILE\] ' || fail "perf does not see it: $(perf script -l)"
expect 0 perf script record pscal sh -c 'sleep 0.01; exit 0' 2>said
[ -s perf.data ] || fail "nothing was recorded: $(cat said)"
perf pscal profile --format csv perf.data >wanted || fail 'perf pscal profile'
perf script report pscal --format csv >got || fail 'perf script report pscal'
cmp wanted got || fail 'another profile'
mv perf.data other.data
perf script report pscal -i other.data --format csv | cmp - wanted || fail 'another file'
perf script pscal sh -c 'sleep 0.01; echo printed' >said || fail 'both at once'
grep -q '^CPUs used' said || fail "said: $(cat said)"

# `make uninstall` removes the scripts, and `make install` works without perf.
install_with uninstall "DESTDIR=$PWD/root" "PERF_EXEC_PATH=${PERF_EXEC_PATH#"$PWD/root"}"
[ -z "$(find root ! -type d)" ] || fail "left: $(find root ! -type d)"
install_with install "DESTDIR=$PWD/none" PERF_EXEC_PATH=
[ -z "$(find none -name 'pscal-re*' -path '*/scripts/*')" ] || fail 'scripts without perf'
