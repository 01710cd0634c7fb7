#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A sweep in an allocation of Slurm, whose srun places the tasks: as a batch job, cancelled and
# continued, and with a run that takes too long.
# Begins early: it waits for Slurm.
# shellcheck source=/dev/null
. "${0%/*}/live-lib"
# shellcheck source=/dev/null
. "${0%/*}/slurm-lib"
slurm_begin
[ "$(nproc)" -ge 2 ] || {
	echo 'two tasks at a time need two CPUs'
	exit 77
}

no_steps()
{
	[ -z "$(squeue -h -s)" ]
}

rows()
{
	grep -c '^[0-9]' "$1" 2>/dev/null
}

# at_least N FILE: the file has at least N rows.
at_least()
{
	[ "$(rows "$2")" -ge "$1" ]
}

# The batch script of the manual page. Each task prints the number of tasks.
cat >job <<END
#!/bin/sh
#SBATCH --ntasks=2 --output=job.out
$PSCAL sweep -n 1,2 -r 2 --launcher 'srun -n {n} -c 1' --match 'of ([0-9]+)' -o job.csv -- \\
    sh -c 'sleep 0.2; echo task \$SLURM_PROCID of \$SLURM_NTASKS on \$SLURM_CPUS_PER_TASK'
END
expect 0 sbatch --wait job
cat job.out
[ "$(rows job.csv)" -eq 4 ] || fail 'not 4 rows'
# n, throughput, wall_s, cpu_s: the number of tasks is right, and the CPU time is unknown.
grep '^[0-9]' job.csv | awk -F , '
	$1 != $2 || $3 < 0.2 || $4 != "" { print "bad row: " $0; bad = 1 }
	END { exit bad }' || fail 'the rows are wrong'
grep -qx '# launcher: srun -n {n} -c 1' job.csv || fail 'the launcher is not in the file'

# A cancelled job keeps its measured runs; the next one continues with the rest. The command sleeps
# for a moment, but for long if the file has two runs, unless there is a file `quick`.
cat >sleeper <<'END'
[ -e quick ] || [ "$(grep -c '^[0-9]' long.csv)" -lt 2 ] || exec sleep 60
sleep 0.2
END
cat >long <<END
#!/bin/sh
#SBATCH --ntasks=2 --output=long.out
exec $PSCAL sweep -n 1,2 -r 3 --warmup 0 --launcher 'srun -n {n} -c 1' -o long.csv -- sh sleeper
END
job=$(sbatch --parsable long)
wait_for 60 at_least 2 long.csv
scancel --batch --signal=TERM "$job"
wait_for 60 slurm_is_idle
no_steps || fail 'a step is left behind'
cat long.out
grep -q 'ended by signal 15 after 2 of 6 runs, which are in long.csv' long.out ||
	fail 'the end is not reported'
kept=$(rows long.csv)
[ "$kept" -eq 2 ] || fail "$kept runs instead of 2"
: >quick
expect 0 sbatch --wait long
cat long.out
[ "$(rows long.csv)" -eq 6 ] || fail 'not 6 rows'
grep -q "$kept kept from before" long.out || fail 'the earlier runs were not kept'

# srun ends a run that takes too long, on all nodes.
expect 1 "$PSCAL" sweep -n 2 -r 1 -o slow.csv --timeout 1 --launcher 'srun -n {n}' -- sleep 60
no_steps || fail 'a step is left behind'
