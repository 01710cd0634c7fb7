#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# If the kernel lacks something, or refuses it, one sentence reports it with the command that helps,
# the same for a recording and for the doctor; a recording without --collector uses the next best
# collector.
# Runs alone: it changes a setting of the kernel.
if [ -z "${APART-}" ]; then
	if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null || ! unshare --mount true; then
		echo "this test needs root, setpriv and mounts of its own (unshare; not in a chroot), to remove rights"
		exit 77
	fi
	APART=1 exec unshare --mount sh "$0" "$@"
fi
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

level=$(cat /proc/sys/kernel/perf_event_paranoid)
trap 'echo "$level" >/proc/sys/kernel/perf_event_paranoid' EXIT
trap 'exit 1' HUP INT TERM
cp "$PSCAL" pscal # which any user can read
chmod 777 .
chmod 755 pscal

nobody()
{
	# shellcheck disable=SC2317 # it is called by its name
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
powerless()
{
	# shellcheck disable=SC2317 # it is called by its name
	setpriv --bounding-set=-all --inh-caps=-all "$@"
}
# ./refusing CALL COMMAND...: the kernel refuses this system call, as with a seccomp filter.
cat >refusing <<'END'
#!/usr/bin/perl
my %numbers = (bpf => [321, 280], perf_event_open => [298, 241], prctl => [157, 167]);
my $machine = `uname -m` eq "x86_64\n" ? 0 : 1;
my $call = $numbers{shift @ARGV}[$machine];
my $prctl = $numbers{prctl}[$machine];
my $filter = pack("SCCL" x 4, 0x20, 0, 0, 0, 0x15, 0, 1, $call, 6, 0, 0, 0x00050001, 6, 0, 0, 0x7fff0000);
my $program = pack("Sx6P", 4, $filter);
# PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
syscall($prctl, 38, 1, 0, 0, 0) || syscall($prctl, 22, 2, $program) || exec @ARGV;
exit 126;
END
chmod 755 refusing

# refused COLLECTOR PATTERN HOW...: the collector is not available, the sentence matches, and the
# doctor prints the same one.
refused()
{
	collector=$1
	pattern=$2
	shift 2
	rm -f refused.data
	expect 1 "$@" ./pscal record --collector "$collector" -o refused.data true 2>said
	[ "$(wc -l <said)" -eq 1 ] || fail "not one sentence: $(cat said)"
	grep -Eq "$pattern" said || fail "$collector $*: names no command that helps: $(cat said)"
	[ ! -e refused.data ] || fail "a recording was left behind"
	sentence=$(sed 's/^pscal record: //' said)
	"$@" ./pscal doctor --format json >facts
	jq -e --arg key "collector_$collector" --arg sentence "$sentence" '.facts |
		(.[] | select(.name == $key)) as $fact | $fact.answer == "no" and
		($fact.text == $sentence or ($fact.text | startswith("for the same reason as")) and
			any(.[]; .text == $sentence))' facts >/dev/null ||
		fail "$collector $*: the doctor does not say '$sentence': $(cat facts)"
}

# falls_back COLLECTOR HOW...: a recording uses this collector.
falls_back()
{
	collector=$1
	shift
	rm -f back.data
	expect 0 "$@" ./pscal record -o back.data true 2>said
	[ "$(fact back.data collector)" = "$collector" ] ||
		fail "$*: collector '$(fact back.data collector)', not $collector: $(cat said)"
}

# refused_all PATTERN HOW...: no collector is available, and one sentence reports it.
refused_all()
{
	pattern=$1
	shift
	expect 1 "$@" ./pscal record -o refused.data true 2>said
	[ "$(wc -l <said)" -eq 1 ] || fail "not one sentence: $(cat said)"
	grep -Eq "$pattern" said || fail "$*: names no command that helps: $(cat said)"
	[ ! -e refused.data ] || fail "a recording was left behind"
}

# An unprivileged user, at the levels that distributions set.
for strict in 2 4; do
	echo $strict >/proc/sys/kernel/perf_event_paranoid
	refused perf "'sudo (mount|sysctl) " nobody
	falls_back task nobody
	grep -q 'Wakeups were not recorded.*setcap' said || fail "no message about wakeups: $(cat said)"
done

# Some kernels refuse all events to such a user at level 4.
if ./refusing perf_event_open true; then
	refused task "'sudo sysctl kernel.perf_event_paranoid=2'" nobody ./refusing perf_event_open
	refused_all "'sudo sysctl kernel.perf_event_paranoid=2'" nobody ./refusing perf_event_open
	echo "$level" >/proc/sys/kernel/perf_event_paranoid
	falls_back bpf ./refusing perf_event_open
	./refusing perf_event_open ./pscal doctor --format csv >facts
	grep -q '^counters,no,' facts || fail "the doctor has counters of a kernel that refuses them: $(cat facts)"
	refused_all 'seccomp filter.*--cap-add' ./refusing perf_event_open ./refusing bpf
	refused task 'seccomp filter.*--cap-add' ./refusing perf_event_open
	refused bpf 'seccomp filter' ./refusing bpf
	falls_back perf ./refusing bpf
	[ -d /sys/kernel/security ] && mount -t tmpfs none /sys/kernel/security || exit 1
	echo 'none integrity [confidentiality]' >/sys/kernel/security/lockdown
	refused bpf 'locked down for confidentiality.*--collector auto' ./refusing bpf
	falls_back perf ./refusing bpf
	umount /sys/kernel/security
fi
echo "$level" >/proc/sys/kernel/perf_event_paranoid

# Root of a container.
refused bpf 'CAP_BPF.*--privileged' powerless
refused perf 'CAP_PERFMON.*--privileged' powerless
falls_back task powerless

# A kernel without type information.
if [ -e /sys/kernel/btf/vmlinux ]; then
	mount -t tmpfs none /sys/kernel/btf
	refused bpf 'CONFIG_DEBUG_INFO_BTF.*--collector auto' env
	falls_back perf env
	umount /sys/kernel/btf
fi

# A kernel before 6.3, without events of sockets.
sockets=/sys/kernel/tracing/events/sock
if [ -d $sockets/sock_send_length ]; then
	mount -t tmpfs none $sockets
	expect 1 ./pscal record --requests -o refused.data true 2>said
	grep -q '^pscal record: --requests needs the events of sockets of Linux 6.3: ' said ||
		fail "no word on the kernel: $(cat said)"
	./pscal doctor --format json | jq -r '.facts[] | select(.name == "requests" and .answer == "no").text' >told
	sed 's/^pscal record: //' said | cmp - told || fail "the doctor says: $(cat told)"
	umount $sockets
fi

# A kernel without tracefs: an empty folder in its place, on which nothing can be mounted.
umount -R -l /sys/kernel/debug /sys/kernel/tracing 2>/dev/null
umount -l /sys/kernel/tracing 2>/dev/null
[ -e /sys/kernel/tracing/events ] && exit 0
refused perf "'sudo mount -t tracefs tracefs /sys/kernel/tracing'" nobody
refused bpf 'CONFIG_EVENT_TRACING.*CAP_SYS_ADMIN' powerless
falls_back task powerless
exit 0
