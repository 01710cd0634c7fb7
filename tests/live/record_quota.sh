#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A command in a control group with a quota of CPU time: the recording has the quota, the profile
# separates the time in which it throttled threads, and the forecast is without it. The wall times
# of real runs with the forecast quotas are printed; the test only checks that a smaller quota takes
# longer.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

"$PSCAL" record -q -o probe.data true 2>refusal || {
	cat refusal
	exit 77
}

. "${0%/*}/../../scripts/cpu-group"
cpu_group || {
	echo 'no control group that limits CPU time can be made here'
	exit 77
}
# shellcheck disable=SC2154 # cpu_group sets it
trap 'rmdir "$cpu_group"' EXIT

cat >two.sh <<END
[ "\$1" = free ] || echo \$\$ >'$cpu_group/cgroup.procs'
work='BEGIN { for (i = 0; i < 20000000; i++) x += i }'
awk "\$work" &
awk "\$work"
wait
END

# The recording of a program without a quota has none.
"$PSCAL" record -q -o free.data -- sh two.sh free || fail 'recording without a quota failed'
[ -z "$(fact free.data quota_throttled)" ] || fail "a quota: $(fact free.data quota_ns)"

cpu_group_grant 50000
"$PSCAL" record -q -o half.data -- sh two.sh || fail 'recording with half a CPU failed'
[ "$(fact half.data quota_ns) $(fact half.data quota_period_ns)" = '50000000 100000000' ] ||
	fail "the quota: $(fact half.data quota_ns) ns in $(fact half.data quota_period_ns)"
throttled=$(fact half.data quota_throttled)
[ "$throttled" -ge 4 ] || fail "throttled only $throttled times"

# The kernel counts CPUs, and both threads may wait for the same one. If other programs have a CPU,
# the recording may not show when the group stops there.
"$PSCAL" profile --json half.data >half.json || fail 'its profile'
jq -e '.quota_cpus == .5 and .throttled_wait_s > .5 * .group_throttled_s and
	.throttled_wait_s < 2.2 * .group_throttled_s and .run_queue_s >= 0' half.json >/dev/null ||
	fail "the profile: $(jq -c '[.quota_cpus, .throttled_share, .throttled_wait_s,
		.group_throttled_s, .throttled_periods]' half.json)"

# The forecast from it is without the quota; with the quota it is close to the recording.
"$PSCAL" forecast -q -n 2 --json half.data >without.json || fail 'a forecast'
"$PSCAL" forecast -q -n 2 --quota 50% --json half.data >with.json || fail 'a forecast with the quota'
jq -e -s '.[1].forecast[0].wall_s > 1.5 * .[0].forecast[0].wall_s and
	.[1].bottleneck.kind == "quota"' without.json with.json >/dev/null ||
	fail "forecasts: $(jq -c '.forecast[0].wall_s' without.json with.json)"

last=1000000
for us in 50000 100000 150000; do
	cpu_group_grant $us
	"$PSCAL" record -q -o $us.data -- sh two.sh || fail "recording with $us us failed"
	quota=$(awk -v us=$us 'BEGIN { print us / 100000 }')
	"$PSCAL" forecast --quota "$quota" --json --against $us.data free.data >$us.json ||
		fail "the forecast for $quota CPUs"
	jq -r --arg quota "$quota" '.against[0] | "\($quota) CPUs: forecast \(.forecast_s) s, " +
		"measured \(.measured_s) s, work \(.work), structure \(.structure)"' $us.json
	wall=$(jq '.against[0].forecast_s * 1000 | round' $us.json)
	[ "$wall" -lt "$last" ] || fail "$quota CPUs take $wall ms, fewer $last ms"
	last=$wall
done
