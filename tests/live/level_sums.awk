# SPDX-License-Identifier: GPL-3.0-or-later
# Sums the output of levels.awk, sorted by time, to lines "J WALL_NS" for each number of threads
# ready, and "unknown WALL_NS". Passes other lines on.

$1 !~ /^[0-9]+$/ {
	print
	next
}

{
	if (NR > 1 && unknown)
		unknown_ns += $1 - before
	else if (begun)
		wall_ns[active] += $1 - before
	begun = 1
	before = $1
	active += $2
	unknown += $3
	if (active > most)
		most = active
}

END {
	for (j = 0; j <= most; j++)
		printf "%d %.0f\n", j, wall_ns[j]
	printf "unknown %.0f\n", unknown_ns
}
